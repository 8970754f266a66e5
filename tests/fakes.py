"""Fakes that satisfy ports: a small memory plugin, a clock that stands still, ids in order."""
# ruff: noqa: ARG002 - a fake takes what its port names, and uses what it needs

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, TypeVar

from privity.model.audiences import Audience, AudienceKind
from privity.model.audit import AuditKind, AuditRecord, Explanation
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.events import EventReceipt, TranscriptEvent
from privity.model.ids import (
    AgentId,
    AudienceRevision,
    AuthorityRevision,
    DecisionId,
    HostFactsRevision,
    MountHandle,
    PlanId,
    PolicySetId,
    PrincipalId,
    ReceiptId,
    ResourceHandle,
    RunExposureRevision,
    RunId,
    SessionId,
    SubjectHandle,
)
from privity.model.mutations import Amendment, Forget, Mutation, Publish, Remember
from privity.model.operations import Operation
from privity.model.passages import Card, ForgetPreview, Forgotten, Passage, Remembered, WriteResult
from privity.model.plans import PLAN_VERSION, Mount, Plan
from privity.model.principals import PrincipalActor
from privity.model.reasons import Reason
from privity.model.receipts import RECEIPT_VERSION, EgressReceipt, ExposureReceipt, RunReceipt
from privity.model.resources import Section, TrustClass
from privity.model.standing import Authenticity
from privity.model.subjects import AmbiguousSubject, AutonomousSubject, ConversationSubject, UserSubject
from privity.sdk.envelope import Envelope
from privity.sdk.plugin import CONTRACT_VERSION, Capabilities, CellHealth, LineRange, Synced
from privity.sdk.verification import ContextVerifier

Answer = TypeVar("Answer")

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CAPABLE = Capabilities(
    version=CONTRACT_VERSION,
    scoped_candidates=True,
    exact_read_by_authorized_handle=True,
    scoped_sync=True,
    scoped_write=True,
    scoped_export=True,
    exposure_receipts=True,
    egress_receipts=True,
    labelled_transcripts=True,
)


class StandingClock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.time = START

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self.time

    def pass_by(self, span: timedelta) -> None:
        """Move by `span`."""
        self.time += span


class CountingEntropy:
    """Ids in order, so that a failing test reads the same twice."""

    def __init__(self) -> None:
        self.count = 0
        self.lock = Lock()

    def token(self, prefix: str) -> str:
        """Return the next id."""
        with self.lock:
            self.count += 1
            return f"{prefix}_{self.count:026d}"

    def key(self) -> bytes:
        """Return a key."""
        return bytes(32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One note of the fake plugin, in the place it was written to."""

    handle: ResourceHandle
    agent_id: AgentId
    place: Audience
    section: Section
    text: str


@dataclass(kw_only=True)
class ShownRun:
    """What one run was shown: places whose audience binds its output."""

    session_id: SessionId
    revision: int = 0
    shown: frozenset[Audience] = frozenset()

    @property
    def policy_set_id(self) -> PolicySetId:
        """A name for the set."""
        return PolicySetId(fingerprint(self.shown))


@dataclass(kw_only=True)
class FakePlugin:
    """A memory plugin in a page: it holds contexts to the host's standing, and its places apart.

    `tamper` changes the answers of a call by its name; `fail` makes a call raise.
    """

    verifier: ContextVerifier
    capabilities: Capabilities = CAPABLE
    notes: list[Note] = field(default_factory=list[Note])
    runs: dict[RunId, ShownRun] = field(default_factory=dict[RunId, ShownRun])
    windows: dict[SessionId, frozenset[Audience]] = field(default_factory=dict[SessionId, frozenset[Audience]])
    events: list[tuple[SessionId, TranscriptEvent]] = field(default_factory=list[tuple[SessionId, TranscriptEvent]])
    epochs: dict[AgentId, HostFactsRevision] = field(default_factory=dict[AgentId, HostFactsRevision])
    outbox: list[AuditRecord] = field(default_factory=list[AuditRecord])
    contexts: list[AccessContext] = field(default_factory=list[AccessContext])
    publishers: set[PrincipalId] = field(default_factory=set[PrincipalId])
    tamper: dict[str, Callable[[Any], object]] = field(default_factory=dict[str, Callable[[Any], object]])
    fail: dict[str, BaseException] = field(default_factory=dict[str, BaseException])
    between: dict[str, Callable[[], None]] = field(default_factory=dict[str, Callable[[], None]])

    def say(self, call: str, answer: Answer) -> Answer:
        """Return the answer of a call, or what a test made of it."""
        if call in self.fail:
            raise self.fail[call]
        if call in self.between:
            self.between[call]()
        return self.tamper[call](answer) if call in self.tamper else answer  # pyright: ignore[reportReturnType]

    def refuse(self, context: AccessContext) -> Denied | None:
        """Hold a context to the host's standing, as step 1 of the evaluation does."""
        self.contexts.append(context)
        standing = self.verifier.standing(context)
        if standing.authenticity is not Authenticity.GENUINE:
            return Denied(reason=Reason.INVALID_CONTEXT, step=1, decision_id=None)
        delivery = context.delivery
        checks = (
            (Reason.SESSION_REBOUND, standing.session_identity_revision == context.session_identity_revision),
            (Reason.SESSION_REBOUND, standing.subject_revision == context.subject_revision),
            (Reason.DELIVERY_REBOUND, standing.delivery_revision == delivery.delivery_revision),
            (Reason.DELIVERY_REBOUND, standing.egress_registry_revision == delivery.egress_registry_revision),
            (Reason.IDENTITY_REVOKED, standing.host_facts_revision == context.host_facts_revision),
            (Reason.IDENTITY_REVOKED, not standing.revoked_ids),
        )
        failed = [reason for reason, holds in checks if not holds]
        return Denied(reason=failed[0], step=1, decision_id=None) if failed else None

    def authorize(self, context: AccessContext) -> Plan | Denied:
        """Bind a plan to `context`."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        delegation = context.delegation
        if delegation is not None and context.operation not in delegation.allowed_operations:
            return Denied(reason=Reason.DEFAULT_DENY, step=1, decision_id=None)
        mount = Mount(
            mount_handle=MountHandle("mnt"), capabilities=frozenset(Operation), audience_revision=AudienceRevision(1)
        )
        plan = Plan(
            version=PLAN_VERSION,
            plan_id=PlanId(f"pln_{len(self.contexts)}"),
            context_fingerprint=fingerprint(context),
            session_identity_revision=context.session_identity_revision,
            subject_revision=context.subject_revision,
            authority_revision=AuthorityRevision(1),
            delivery_revision=context.delivery.delivery_revision,
            operation=context.operation,
            mounts=(mount,),
            allowed_egress_audiences=context.delivery.audiences,
            expires_at=context.expires_at,
            seal=b"sealed",
        )
        return self.say("authorize", plan)

    def begin_run(self, context: AccessContext, event: TranscriptEvent | None) -> RunReceipt | Denied:
        """Begin a run on top of its window."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        shown = self.windows.get(context.session_id, frozenset()) | home_of(context)
        self.windows[context.session_id] = shown
        run = self.runs[context.run_id] = ShownRun(session_id=context.session_id, shown=shown)
        if event is not None:
            self.events.append((context.session_id, event))
        receipt = RunReceipt(
            version=RECEIPT_VERSION,
            receipt_id=ReceiptId("rcp"),
            run_id=context.run_id,
            run_exposure_revision=RunExposureRevision(run.revision),
            policy_set_id=run.policy_set_id,
            seal=b"sealed",
        )
        return self.say("begin_run", receipt)

    def inherit_window(self, context: AccessContext, source: SessionId) -> Denied | None:
        """Copy what another window was shown."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        self.say("inherit_window", None)
        self.windows[context.session_id] = self.windows.get(source, frozenset())
        return None

    def authorize_egress(
        self, context: AccessContext, exposure_revision: RunExposureRevision
    ) -> EgressReceipt | Denied:
        """Allow the audiences that everything shown covers."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        run = self.runs[context.run_id]
        if exposure_revision != run.revision:
            return Denied(reason=Reason.PLAN_EXPIRED, step=2, decision_id=None)
        return self.say("authorize_egress", egress_of(context, run))

    def subject_handles(self, context: AccessContext) -> tuple[SubjectHandle, ...]:
        """Name the actor and the mentioned."""
        actor = (context.actor.principal_id,) if isinstance(context.actor, PrincipalActor) else ()
        people = tuple(SubjectHandle(f"sub_{one}") for one in (*actor, *context.mentioned_ids))
        return self.say("subject_handles", people)

    def search(
        self, context: AccessContext, plan: Plan, query: str, *, about: Sequence[SubjectHandle] | None, limit: int
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        """Return the notes of the view that hold a word of the query."""
        words = query.lower().split()
        found = [
            note
            for note in self.notes
            if in_view(note, context)
            and note.section is Section.NOTE
            and any(word in note.text.lower() for word in words)
        ]
        return self.seal("search", context, plan, found[:limit], tuple(passage_of(note) for note in found[:limit]))

    def read(
        self, context: AccessContext, plan: Plan, handle: ResourceHandle, *, lines: LineRange | None
    ) -> Envelope[Passage] | Denied:
        """Return a note of the view."""
        found = [note for note in self.notes if note.handle == handle and in_view(note, context)]
        if not found:
            return Denied(reason=Reason.OUTSIDE_VIEW, step=4, decision_id=DecisionId("dcs_1"))
        return self.seal("read", context, plan, found, passage_of(found[0]))

    def bootstrap(self, context: AccessContext, plan: Plan) -> Envelope[Card] | Denied:
        """Return the card of the session's own place."""
        found = [note for note in self.notes if note.place in home_of(context) and note.section is Section.CARD]
        return self.seal("bootstrap", context, plan, found, Card(entries=tuple(passage_of(note) for note in found)))

    def export(
        self, context: AccessContext, plan: Plan, handles: Sequence[ResourceHandle]
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        """Export nothing."""
        return self.seal("export", context, plan, [], ())

    def seal(
        self, call: str, context: AccessContext, plan: Plan, notes: Sequence[Note], value: Answer
    ) -> Envelope[Answer] | Denied:
        """Record that `notes` are about to be shown, and return `value` with its receipts."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        run = self.runs[context.run_id]
        if notes:
            run.shown |= {note.place for note in notes}
            run.revision += 1
            self.windows[run.session_id] |= run.shown
        exposure = ExposureReceipt(
            version=RECEIPT_VERSION,
            receipt_id=ReceiptId("rcp"),
            context_fingerprint=fingerprint(context),
            plan_id=plan.plan_id,
            run_id=context.run_id,
            run_exposure_revision=RunExposureRevision(run.revision),
            policy_set_id=run.policy_set_id,
            exposed_handles=tuple(note.handle for note in notes),
            recorded_at=context.issued_at,
            seal=b"sealed",
        )
        return self.say(call, Envelope(value=value, exposure=exposure, egress=egress_of(context, run)))

    def write(self, context: AccessContext, plan: Plan, mutation: Mutation) -> WriteResult | Denied:
        """Perform one mutation."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        match mutation:
            case Remember():
                return self.say("write", self.add(context, home_of(context), mutation.text, mutation.section))
            case Publish():
                return self.publish(context, mutation)
            case Forget():
                self.notes = [note for note in self.notes if note.handle != mutation.handle]
                return self.say("write", Forgotten(handle=mutation.handle, descendants=()))

    def preview_forget(self, context: AccessContext, plan: Plan, handle: ResourceHandle) -> ForgetPreview | Denied:
        """Say that nothing was derived: this plugin keeps no lineage."""
        return self.refuse(context) or self.say("preview_forget", ForgetPreview(handle=handle, descendants=()))

    def publish(self, context: AccessContext, mutation: Publish) -> WriteResult | Denied:
        """Publish for whoever may."""
        actor = context.actor
        system = isinstance(context.session_subject, AutonomousSubject)
        granted = isinstance(actor, PrincipalActor) and actor.principal_id in self.publishers
        if not system and not granted:
            return Denied(reason=Reason.DEFAULT_DENY, step=8, decision_id=None)
        return self.say("write", self.add(context, frozenset({shared(context)}), mutation.text, Section.NOTE))

    def add(
        self, context: AccessContext, places: frozenset[Audience], text: str, section: Section
    ) -> Remembered | Denied:
        """Add a note to the one place there is."""
        if len(places) != 1:
            return Denied(reason=Reason.DEFAULT_DENY, step=6, decision_id=None)
        handle = ResourceHandle(f"res_{len(self.notes)}")
        self.notes.append(
            Note(handle=handle, agent_id=context.agent_id, place=next(iter(places)), section=section, text=text)
        )
        return Remembered(handle=handle, derived=False)

    def append_event(self, context: AccessContext, event: TranscriptEvent) -> EventReceipt | Denied:
        """Append one event."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        self.events.append((context.session_id, event))
        run = self.runs[context.run_id]
        receipt = EventReceipt(
            event_id=event.event_id,
            sequence=len(self.events),
            policy_set_id=run.policy_set_id,
            run_exposure_revision=RunExposureRevision(run.revision),
        )
        return self.say("append_event", receipt)

    def sync(self, context: AccessContext, plan: Plan) -> Synced | Denied:
        """Sync nothing."""
        return Synced(rows=0)

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Raise an epoch."""
        before = self.say("advance_host_facts", self.epochs.get(agent_id, HostFactsRevision(0)))
        self.epochs[agent_id] = max(epoch, before)
        return before

    def recover(self, agent_id: AgentId) -> int:
        """Have nothing to clear away."""
        return self.say("recover", 0)

    def pull_outbox(self, agent_id: AgentId, after: int, limit: int) -> tuple[AuditRecord, ...]:
        """Return rows of the outbox."""
        rows = [row for row in self.outbox if row.agent_id == agent_id and row.sequence > after]
        return self.say("pull_outbox", tuple(rows[:limit]))

    def explain(self, agent_id: AgentId, decision_id: DecisionId) -> Explanation | None:
        """Return the record of one decision."""
        found = [row for row in self.outbox if (row.agent_id, row.decision_id) == (agent_id, decision_id)]
        return Explanation(record=found[0]) if found else None

    def health(self, agent_id: AgentId) -> CellHealth:
        """Return counts."""
        epoch = self.epochs.get(agent_id, HostFactsRevision(0))
        return replace(HEALTHY, host_facts_revision=epoch, events=len(self.events))

    def amend_rules(self, context: AccessContext, plan: Plan, amendment: Amendment) -> int | Denied:
        """Grant or revoke the right to publish."""
        refusal = self.refuse(context)
        if refusal is not None:
            return refusal
        if not isinstance(context.session_subject, AutonomousSubject):
            return Denied(reason=Reason.DEFAULT_DENY, step=8, decision_id=None)
        if amendment.grantee_id is not None:
            self.publishers ^= {amendment.grantee_id}
        return len(self.publishers)


HEALTHY = CellHealth(
    stores={},
    revisions={},
    events=0,
    outbox=0,
    counters={},
    host_facts_revision=HostFactsRevision(0),
)


def shared(context: AccessContext) -> Audience:
    """Return the place that a whole cell shares."""
    return Audience(kind=AudienceKind.AGENT_SHARED, id=context.agent_id)


def home_of(context: AccessContext) -> frozenset[Audience]:
    """Return the session's own place, if it has one."""
    match context.session_subject:
        case UserSubject(principal_id=person):
            heads = {one.principal_id for one in context.verified_principals if person in one.merged_ids}
            return frozenset({Audience(kind=AudienceKind.USER, id=next(iter(heads), person))})
        case ConversationSubject(conversation_id=room):
            return frozenset({Audience(kind=AudienceKind.CONVERSATION, id=room)})
        case AutonomousSubject(principal_id=itself):
            return frozenset({Audience(kind=AudienceKind.AGENT, id=itself)})
        case AmbiguousSubject():
            return frozenset()


def in_view(note: Note, context: AccessContext) -> bool:
    """The note stands in a place that the session mounts."""
    return note.agent_id == context.agent_id and note.place in home_of(context) | {shared(context)}


def egress_of(context: AccessContext, run: ShownRun) -> EgressReceipt:
    """Return leave for those audiences of the delivery that everything shown covers."""
    allowed = tuple(
        audience for audience in context.delivery.audiences if all(covers(place, audience) for place in run.shown)
    )
    return EgressReceipt(
        version=RECEIPT_VERSION,
        receipt_id=ReceiptId("egr"),
        context_fingerprint=fingerprint(context),
        run_id=context.run_id,
        run_exposure_revision=RunExposureRevision(run.revision),
        policy_set_id=run.policy_set_id,
        allowed_audiences=allowed,
        delivery_revision=context.delivery.delivery_revision,
        egress_registry_revision=context.delivery.egress_registry_revision,
        expires_at=context.expires_at,
        seal=b"sealed",
    )


def covers(place: Audience, audience: Audience) -> bool:
    """What stands in `place` may go to `audience`."""
    return place == audience or place.kind is AudienceKind.AGENT_SHARED or audience.kind is AudienceKind.INTERNAL


def passage_of(note: Note) -> Passage:
    """Return a note as content."""
    return Passage(
        handle=note.handle,
        path=f"notes/{note.handle}.md",
        text=note.text,
        lines=(1, 1),
        total_lines=1,
        score=1.0,
        trust=TrustClass.OWNER,
        about=(),
        recorded_at=START,
    )


def outbox_row(agent_id: AgentId, sequence: int, context: AccessContext) -> AuditRecord:
    """Return a row of an outbox that some context caused."""
    return AuditRecord(
        sequence=sequence,
        kind=AuditKind.ACCESS,
        decision_id=DecisionId(f"dcs_{sequence}"),
        agent_id=agent_id,
        request_id=context.request_id,
        context_id=context.context_id,
        run_id=context.run_id,
        session_id=context.session_id,
        accessor_id=None,
        target_ids=(),
        operation=Operation.READ,
        reason=None,
        step=11,
        revision_ids=(),
        query_digest=None,
        result_count=0,
        search_tier=None,
        authority_revision=AuthorityRevision(1),
        run_exposure_revision=RunExposureRevision(0),
        policy_set_id=None,
        receipt_id=None,
        determining_rules=(),
        store_kinds=(),
        trace=(),
        at=START,
    )
