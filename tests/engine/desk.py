"""A desk that issues contexts as a host would, with every fact at hand to be bent."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from privity.engine.engine import Engine
from privity.engine.parts import parts_of
from privity.engine.ports import Backend
from privity.model.audiences import Audience, AudienceKind
from privity.model.context import (
    AccessContext,
    Collaboration,
    ConversationFacts,
    Delegation,
    Delivery,
    NotCollaborative,
    SinkKind,
    Visibility,
)
from privity.model.decisions import Denied
from privity.model.events import EventKind, TranscriptEvent
from privity.model.ids import (
    AgentId,
    ContextId,
    DeliveryRevision,
    EgressRegistryRevision,
    EventId,
    EvidenceRevision,
    GroupId,
    HostFactsRevision,
    PrincipalId,
    RequestId,
    ResourceHandle,
    RunId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    SubjectHandle,
    SubjectRevision,
)
from privity.model.mutations import Forget, Publish, Remember
from privity.model.operations import Operation
from privity.model.passages import ForgetPreview, Passage, WriteResult
from privity.model.principals import (
    Actor,
    ActorKind,
    Assurance,
    Membership,
    PrincipalActor,
    SenderStrength,
    UnattributedActor,
    VerifiedPrincipal,
)
from privity.model.resources import Anonymity, Section
from privity.model.standing import Authenticity, ContextStanding
from privity.model.subjects import (
    AmbiguityReason,
    AmbiguousSubject,
    AutonomousKind,
    AutonomousSubject,
    ConversationSubject,
    EvidenceKind,
    SessionSubject,
    SubjectEvidence,
    UserSubject,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
AGENT = AgentId("agt_support")
EVIDENCE = EvidenceRevision("evr_1")
NO_RUN = RunId("run_none")


class StoppedClock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self.time

    def pass_by(self, span: timedelta) -> None:
        """Move forward."""
        self.time += span


class CountingEntropy:
    """Ids in order, so that a failing test reads the same twice."""

    def __init__(self) -> None:
        self.count = 0

    def token(self, prefix: str) -> str:
        """Return the next id."""
        self.count += 1
        return f"{prefix}_{self.count:026d}"

    def key(self) -> bytes:
        """Return a key."""
        return b"k" * 32


@dataclass(kw_only=True)
class Seat:
    """One session as the desk holds it."""

    session_id: SessionId
    subject: SessionSubject
    actor: Actor
    audiences: tuple[Audience, ...]
    sink_kind: SinkKind
    memberships: tuple[Membership, ...] = ()
    conversation: ConversationFacts | None = None
    visibility: Visibility = Visibility.NORMAL
    collaboration: Collaboration = field(default_factory=NotCollaborative)
    delegation: Delegation | None = None
    mentioned: tuple[PrincipalId, ...] = ()
    verified: tuple[VerifiedPrincipal, ...] = ()
    run_id: RunId = NO_RUN
    identity_revision: str = "sir_1"


class Desk:
    """Issues contexts, verifies them, and runs the engine under them."""

    def __init__(self, backend: Backend, *, clock: StoppedClock, entropy: CountingEntropy) -> None:
        self.clock = clock
        self.entropy = entropy
        self.backend = backend
        self.live: dict[str, AccessContext] = {}
        self.epoch = HostFactsRevision(0)
        self.revoked: frozenset[PrincipalId] = frozenset()
        self.rebound: set[SessionId] = set()
        self.backend.stores.open_cell(AGENT)
        self.parts = parts_of(self.backend, self, self.clock, self.entropy)
        self.engine = Engine(self.parts)

    def standing(self, context: AccessContext) -> ContextStanding:
        """Answer for a context as a host would."""
        genuine = self.live.get(context.context_id) is context
        moved = context.session_id in self.rebound
        return ContextStanding(
            authenticity=Authenticity.GENUINE if genuine else Authenticity.FORGED,
            session_identity_revision=None if moved else context.session_identity_revision,
            subject_revision=context.subject_revision,
            delivery_revision=context.delivery.delivery_revision,
            egress_registry_revision=context.delivery.egress_registry_revision,
            host_facts_revision=self.epoch,
            revoked_ids=self.revoked,
        )

    def context(self, seat: Seat, operation: Operation, audiences: Sequence[Audience] | None = None) -> AccessContext:
        """Issue a context for one operation of a seat."""
        made = AccessContext(
            version=1,
            context_id=ContextId(self.entropy.token("ctx")),
            request_id=RequestId(self.entropy.token("req")),
            run_id=seat.run_id,
            agent_id=AGENT,
            session_key=SessionKey(f"key_{seat.session_id}"),
            session_id=seat.session_id,
            session_identity_revision=SessionIdentityRevision(seat.identity_revision),
            subject_revision=SubjectRevision("sbr_1"),
            session_subject=seat.subject,
            visibility=seat.visibility,
            actor=seat.actor,
            verified_principals=seat.verified or verified(seat.actor),
            mentioned_ids=seat.mentioned,
            conversation=seat.conversation,
            delivery=Delivery(
                sink_kind=seat.sink_kind,
                audiences=seat.audiences if audiences is None else tuple(audiences),
                egress_capability_ids=(),
                egress_registry_revision=EgressRegistryRevision("err_1"),
                delivery_revision=DeliveryRevision("dlr_1"),
            ),
            collaboration=seat.collaboration,
            verified_memberships=seat.memberships,
            delegation=seat.delegation,
            operation=operation,
            host_facts_revision=self.epoch,
            issued_at=self.clock.now(),
            expires_at=self.clock.now() + timedelta(minutes=5),
            brand=b"brand",
        )
        self.live[made.context_id] = made
        return made

    def begin(self, seat: Seat, text: str = "hello") -> Seat:
        """Begin a run of a seat with an incoming message."""
        running = replace(seat, run_id=RunId(self.entropy.token("run")))
        receipt = self.engine.begin_run(self.context(running, Operation.READ), self.event(running, text))
        assert not isinstance(receipt, Denied), receipt
        return running

    def event(self, seat: Seat, text: str) -> TranscriptEvent:
        """Return a message of a seat."""
        return TranscriptEvent(
            event_id=EventId(self.entropy.token("evt")),
            kind=EventKind.MESSAGE,
            text=text,
            occurred_at=self.clock.now(),
            delivery_audiences=seat.audiences,
        )

    def search(
        self, seat: Seat, query: str, *, limit: int = 6, about: Sequence[SubjectHandle] | None = None
    ) -> tuple[Passage, ...] | Denied:
        """Search under a fresh context and plan."""
        context = self.context(seat, Operation.READ)
        plan = self.engine.authorize(context)
        if isinstance(plan, Denied):
            return plan
        envelope = self.engine.search(context, plan, query, about=about, limit=limit)
        return envelope if isinstance(envelope, Denied) else envelope.value

    def texts(self, seat: Seat, query: str, *, limit: int = 6) -> list[str]:
        """Return the texts a search finds."""
        found = self.search(seat, query, limit=limit)
        assert not isinstance(found, Denied), found
        return [passage.text for passage in found]

    def read(self, seat: Seat, handle: str) -> Passage | Denied:
        """Read one revision."""
        context = self.context(seat, Operation.READ)
        plan = self.engine.authorize(context)
        if isinstance(plan, Denied):
            return plan
        envelope = self.engine.read(context, plan, ResourceHandle(handle), lines=None)
        return envelope if isinstance(envelope, Denied) else envelope.value

    def card(self, seat: Seat) -> list[str] | Denied:
        """Return the entries of a seat's card."""
        context = self.context(seat, Operation.READ)
        plan = self.engine.authorize(context)
        if isinstance(plan, Denied):
            return plan
        envelope = self.engine.bootstrap(context, plan)
        return envelope if isinstance(envelope, Denied) else [entry.text for entry in envelope.value.entries]

    def remember(
        self,
        seat: Seat,
        text: str,
        *,
        section: Section = Section.NOTE,
        about: Sequence[SubjectHandle] = (),
        lifetime: timedelta | None = None,
    ) -> WriteResult | Denied:
        """Remember something."""
        context = self.context(seat, Operation.APPEND)
        plan = self.engine.authorize(context)
        if isinstance(plan, Denied):
            return plan
        mutation = Remember(text=text, section=section, about=tuple(about), lifetime=lifetime)
        return self.engine.write(context, plan, mutation)

    def kept(self, seat: Seat, text: str, *, section: Section = Section.NOTE) -> ResourceHandle:
        """Remember something that must be accepted, and return its handle."""
        result = self.remember(seat, text, section=section)
        assert not isinstance(result, Denied), result
        return result.handle

    def forget(self, seat: Seat, handle: ResourceHandle) -> WriteResult | Denied:
        """Forget one revision."""
        context = self.context(seat, Operation.DELETE)
        plan = self.engine.authorize(context)
        return plan if isinstance(plan, Denied) else self.engine.write(context, plan, Forget(handle=handle))

    def preview(self, seat: Seat, handle: ResourceHandle) -> ForgetPreview | Denied:
        """Ask what forgetting would take with it."""
        context = self.context(seat, Operation.DELETE)
        plan = self.engine.authorize(context)
        return plan if isinstance(plan, Denied) else self.engine.preview_forget(context, plan, handle)

    def publish(self, seat: Seat, text: str, anonymity: Anonymity = Anonymity.IDENTIFIED_ONLY) -> WriteResult | Denied:
        """Publish to the agent-shared store."""
        context = self.context(seat, Operation.PUBLISH)
        plan = self.engine.authorize(context)
        return (
            plan
            if isinstance(plan, Denied)
            else self.engine.write(context, plan, Publish(text=text, anonymity=anonymity))
        )


def verified(actor: Actor) -> tuple[VerifiedPrincipal, ...]:
    """Return the verified principal behind an actor, if there is one."""
    if not isinstance(actor, PrincipalActor):
        return ()
    return (
        VerifiedPrincipal(
            principal_id=actor.principal_id,
            merged_ids=(),
            assurance=actor.assurance,
            strength=actor.strength,
            evidence_revision=actor.evidence_revision,
            expires_at=actor.expires_at,
        ),
    )


def person(name: str) -> PrincipalId:
    """Return the principal of a person."""
    return PrincipalId(f"usr_{name}")


def room_id(name: str) -> PrincipalId:
    """Return the principal of a conversation."""
    return PrincipalId(f"cnv_{name}")


def acting(name: str, kind: ActorKind = ActorKind.HUMAN) -> PrincipalActor:
    """Return a person as the actor."""
    prefix = {ActorKind.HUMAN: "usr", ActorKind.SYSTEM: "sys", ActorKind.SERVICE: "svc", ActorKind.AGENT: "agt"}
    return PrincipalActor(
        actor_kind=kind,
        principal_id=PrincipalId(f"{prefix[kind]}_{name}"),
        assurance=Assurance.ADAPTER_ATTESTED,
        strength=SenderStrength.VERIFIED,
        evidence_revision=EVIDENCE,
        expires_at=None,
    )


def belonging(principal_id: PrincipalId, group: str, *, hours: float = 1) -> Membership:
    """Return membership evidence that holds from before the start."""
    return Membership(
        principal_id=principal_id,
        group_id=GroupId(group),
        provider="test",
        evidence_revision=EVIDENCE,
        observed_at=START - timedelta(hours=1),
        expires_at=START + timedelta(hours=hours),
    )


def dm(name: str, *, roles: Sequence[str] = ()) -> Seat:
    """Return a person's direct message with the agent."""
    me = person(name)
    return Seat(
        session_id=SessionId(f"ses_dm_{name}"),
        subject=UserSubject(
            principal_id=me,
            creation_evidence=SubjectEvidence(kind=EvidenceKind.CHANNEL_BINDING, revision=EVIDENCE),
        ),
        actor=acting(name),
        audiences=(Audience(kind=AudienceKind.USER, id=me),),
        sink_kind=SinkKind.PRIVATE,
        memberships=tuple(belonging(me, role) for role in roles),
    )


def room(name: str, speaker: str | None, *, member: bool = True) -> Seat:
    """Return a group conversation in which `speaker` spoke last; `None` is somebody unattributed."""
    conversation = room_id(name)
    actor: Actor = (
        UnattributedActor(transport_audit_ref="ref_1", evidence_revision=EVIDENCE)
        if speaker is None
        else acting(speaker)
    )
    memberships = () if speaker is None or not member else (belonging(person(speaker), conversation),)
    return Seat(
        session_id=SessionId(f"ses_room_{name}"),
        subject=ConversationSubject(conversation_id=conversation, adapter="test", account="acme"),
        actor=actor,
        audiences=(Audience(kind=AudienceKind.CONVERSATION, id=conversation),),
        sink_kind=SinkKind.CHANNEL,
        memberships=memberships,
        conversation=ConversationFacts(
            conversation_id=conversation,
            adapter="test",
            account="acme",
            owner_id=None,
            evidence_revision=EVIDENCE,
        ),
    )


def autonomous(name: str, kind: AutonomousKind = AutonomousKind.SERVICE) -> Seat:
    """Return a service, an agent or the system acting for itself."""
    actor = acting(name, ActorKind(kind))
    return Seat(
        session_id=SessionId(f"ses_{kind}_{name}"),
        subject=AutonomousSubject(kind=kind, principal_id=actor.principal_id),
        actor=actor,
        audiences=(Audience(kind=AudienceKind.AGENT, id=actor.principal_id),),
        sink_kind=SinkKind.SESSION,
    )


def nobody(name: str = "main") -> Seat:
    """Return a session without a coherent subject."""
    return Seat(
        session_id=SessionId(f"ses_any_{name}"),
        subject=AmbiguousSubject(reason=AmbiguityReason.SHARED_MAIN),
        actor=UnattributedActor(transport_audit_ref="ref_2", evidence_revision=EVIDENCE),
        audiences=(Audience(kind=AudienceKind.CONVERSATION, id=f"cnv_{name}"),),
        sink_kind=SinkKind.CHANNEL,
    )
