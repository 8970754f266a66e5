"""One agent cell with a few people, a room, a role and a service; and worlds in which it permits."""

from dataclasses import replace
from typing import Final

from privity.model.audiences import Audience, AudienceKind
from privity.model.context import (
    AccessContext,
    ConversationFacts,
    Delivery,
    NotCollaborative,
    SinkKind,
    Visibility,
)
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    ContextId,
    DeliveryRevision,
    EgressRegistryRevision,
    EvidenceRevision,
    Fingerprint,
    GroupId,
    HostFactsRevision,
    PolicyId,
    PolicyRevision,
    PrincipalId,
    RequestId,
    RevocationEpoch,
    RuleId,
    RunId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    StoreId,
    SubjectRevision,
)
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, PolicyState, Requirement, Rule
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
from privity.model.resources import Anonymity, Integrity, Lineage, RevisionState, Section
from privity.model.standing import Authenticity, ContextStanding
from privity.model.stores import StoreFacts, StoreKind, StoreState
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
from privity.policy.facts import PlanFacts, RevisionFacts
from tests.policy.world import AN_HOUR, NOW, World

AGENT: Final = AgentId("agt_cell")
FOREIGN: Final = AgentId("agt_other")
ALICE: Final = PrincipalId("usr_alice")
ALICE_BEFORE: Final = PrincipalId("usr_alice_before")
BOB: Final = PrincipalId("usr_bob")
CRON: Final = PrincipalId("svc_cron")
CHILD: Final = PrincipalId("agt_child")
ROOM: Final = PrincipalId("cnv_room")
LOBBY: Final = PrincipalId("cnv_lobby")
STAFF: Final = GroupId("rol_staff")
BOARD: Final = GroupId("rol_board")
EVIDENCE: Final = EvidenceRevision("evr_1")
FINGERPRINT: Final = Fingerprint("f" * 64)


def audience(kind: AudienceKind, audience_id: str) -> Audience:
    """Return one audience."""
    return Audience(kind=kind, id=audience_id)


TO_ALICE: Final = audience(AudienceKind.USER, ALICE)
TO_ALICE_BEFORE: Final = audience(AudienceKind.USER, ALICE_BEFORE)
TO_BOB: Final = audience(AudienceKind.USER, BOB)
TO_ROOM: Final = audience(AudienceKind.CONVERSATION, ROOM)
TO_LOBBY: Final = audience(AudienceKind.CONVERSATION, LOBBY)
TO_STAFF: Final = audience(AudienceKind.ROLE, STAFF)
TO_BOARD: Final = audience(AudienceKind.ROLE, BOARD)
TO_CRON: Final = audience(AudienceKind.AGENT, CRON)
TO_CELL: Final = audience(AudienceKind.AGENT_SHARED, AGENT)
TO_FOREIGN_CELL: Final = audience(AudienceKind.AGENT_SHARED, FOREIGN)
INSIDE: Final = audience(AudienceKind.INTERNAL, AGENT)
INSIDE_FOREIGN: Final = audience(AudienceKind.INTERNAL, FOREIGN)

AUDIENCES: Final = (
    TO_ALICE,
    TO_ALICE_BEFORE,
    TO_BOB,
    TO_ROOM,
    TO_LOBBY,
    TO_STAFF,
    TO_BOARD,
    TO_CRON,
    TO_CELL,
    TO_FOREIGN_CELL,
    INSIDE,
    INSIDE_FOREIGN,
)


def store(name: str, kind: StoreKind, base: Audience) -> StoreFacts:
    """Return an active store of our cell."""
    return StoreFacts(
        agent_id=AGENT,
        store_id=StoreId(f"sto_{name}"),
        kind=kind,
        audience=base,
        state=StoreState.ACTIVE,
    )


ALICES: Final = store("alice", StoreKind.USER, TO_ALICE)
ALICES_BEFORE: Final = store("alice_before", StoreKind.USER, TO_ALICE_BEFORE)
BOBS: Final = store("bob", StoreKind.USER, TO_BOB)
ROOMS: Final = store("room", StoreKind.CONVERSATION, TO_ROOM)
LOBBYS: Final = store("lobby", StoreKind.CONVERSATION, TO_LOBBY)
STAFFS: Final = store("staff", StoreKind.ROLE, TO_STAFF)
BOARDS: Final = store("board", StoreKind.ROLE, TO_BOARD)
CRONS: Final = store("cron", StoreKind.AGENT, TO_CRON)
SHARED: Final = store("shared", StoreKind.AGENT_SHARED, TO_CELL)
PROJECTED_TO_ROOM: Final = store("projected_room", StoreKind.PROJECTION, TO_ROOM)
PROJECTED_TO_STAFF: Final = store("projected_staff", StoreKind.PROJECTION, TO_STAFF)
PROJECTED_TO_CELL: Final = store("projected_cell", StoreKind.PROJECTION, TO_CELL)
POSTBOX: Final = store("postbox", StoreKind.QUARANTINE, TO_ALICE)
RETIRED: Final = replace(store("retired", StoreKind.USER, TO_ALICE), state=StoreState.RETIRED)
ELSEWHERE: Final = replace(store("elsewhere", StoreKind.USER, TO_ALICE), agent_id=FOREIGN)

STORES: Final = (
    ALICES,
    ALICES_BEFORE,
    BOBS,
    ROOMS,
    LOBBYS,
    STAFFS,
    BOARDS,
    CRONS,
    SHARED,
    PROJECTED_TO_ROOM,
    PROJECTED_TO_STAFF,
    PROJECTED_TO_CELL,
    POSTBOX,
    RETIRED,
    ELSEWHERE,
)


def policy(name: str, reaches: Audience, *rules: Rule) -> Policy:
    """Return an active policy."""
    return Policy(
        policy_id=PolicyId(f"pol_{name}"),
        policy_revision=PolicyRevision(3),
        revocation_epoch=RevocationEpoch(1),
        state=PolicyState.ACTIVE,
        audience=reaches,
        rules=rules,
    )


def captured(of: Policy) -> Requirement:
    """Return the policy as something depends on it now."""
    return Requirement(
        policy_id=of.policy_id,
        expected_revision=of.policy_revision,
        expected_epoch=of.revocation_epoch,
    )


def rule(effect: Effect, capability: Operation, grantee_id: PrincipalId | None, *, name: str = "1") -> Rule:
    """Return a rule that has an hour to live."""
    return Rule(
        rule_id=RuleId(f"rul_{name}"),
        effect=effect,
        capability=capability,
        grantee_id=grantee_id,
        grantor_id=BOB,
        expires_at=NOW + AN_HOUR,
    )


def verified(principal_id: PrincipalId, *merged: PrincipalId) -> VerifiedPrincipal:
    """Return a verified principal with an hour to go."""
    return VerifiedPrincipal(
        principal_id=principal_id,
        merged_ids=merged,
        assurance=Assurance.ADAPTER_ATTESTED,
        strength=SenderStrength.VERIFIED,
        evidence_revision=EVIDENCE,
        expires_at=NOW + AN_HOUR,
    )


def person(principal_id: PrincipalId, kind: ActorKind = ActorKind.HUMAN) -> PrincipalActor:
    """Return an actor with verified evidence and an hour to go."""
    return PrincipalActor(
        actor_kind=kind,
        principal_id=principal_id,
        assurance=Assurance.ADAPTER_ATTESTED,
        strength=SenderStrength.VERIFIED,
        evidence_revision=EVIDENCE,
        expires_at=NOW + AN_HOUR,
    )


SOMEBODY: Final = UnattributedActor(transport_audit_ref="ref_1", evidence_revision=EVIDENCE)


def member(principal_id: PrincipalId, group_id: str) -> Membership:
    """Return a membership seen a minute ago with an hour to go."""
    return Membership(
        principal_id=principal_id,
        group_id=GroupId(group_id),
        provider="directory",
        evidence_revision=EVIDENCE,
        observed_at=NOW - AN_HOUR,
        expires_at=NOW + AN_HOUR,
    )


USER: Final = UserSubject(
    principal_id=ALICE,
    creation_evidence=SubjectEvidence(kind=EvidenceKind.CHANNEL_BINDING, revision=EVIDENCE),
)
CONVERSATION: Final = ConversationSubject(conversation_id=ROOM, adapter="adapter", account="account")
SERVICE: Final = AutonomousSubject(kind=AutonomousKind.SERVICE, principal_id=CRON)
AMBIGUOUS: Final = AmbiguousSubject(reason=AmbiguityReason.SHARED_MAIN)


def context(subject: SessionSubject, actor: Actor, operation: Operation, *outputs: Audience) -> AccessContext:
    """Return a genuine context, with everything the host would have seen beside it."""
    return AccessContext(
        version=1,
        context_id=ContextId("ctx_1"),
        request_id=RequestId("req_1"),
        run_id=RunId("run_1"),
        agent_id=AGENT,
        session_key=SessionKey("key_1"),
        session_id=SessionId("ses_1"),
        session_identity_revision=SessionIdentityRevision("sir_1"),
        subject_revision=SubjectRevision("sur_1"),
        session_subject=subject,
        visibility=Visibility.NORMAL,
        actor=actor,
        verified_principals=(verified(ALICE, ALICE_BEFORE), verified(CRON)),
        mentioned_ids=(),
        conversation=ConversationFacts(
            conversation_id=ROOM,
            adapter="adapter",
            account="account",
            owner_id=ALICE,
            evidence_revision=EVIDENCE,
        ),
        delivery=Delivery(
            sink_kind=SinkKind.PRIVATE,
            audiences=outputs,
            egress_capability_ids=(),
            egress_registry_revision=EgressRegistryRevision("err_1"),
            delivery_revision=DeliveryRevision("der_1"),
        ),
        collaboration=NotCollaborative(),
        verified_memberships=(
            member(ALICE, STAFF),
            member(ALICE, ROOM),
            member(BOB, ROOM),
            member(CRON, STAFF),
            member(CRON, ROOM),
        ),
        delegation=None,
        operation=operation,
        host_facts_revision=HostFactsRevision(5),
        issued_at=NOW - AN_HOUR,
        expires_at=NOW + AN_HOUR,
        brand=b"brand",
    )


def standing(of: AccessContext) -> ContextStanding:
    """Return the host's word that nothing has changed since."""
    return ContextStanding(
        authenticity=Authenticity.GENUINE,
        session_identity_revision=of.session_identity_revision,
        subject_revision=of.subject_revision,
        delivery_revision=of.delivery.delivery_revision,
        egress_registry_revision=of.delivery.egress_registry_revision,
        host_facts_revision=of.host_facts_revision,
        revoked_ids=frozenset(),
    )


def plan(of: AccessContext) -> PlanFacts:
    """Return a plan made for this context a moment ago."""
    return PlanFacts(
        agent_id=of.agent_id,
        context_fingerprint=FINGERPRINT,
        operation=of.operation,
        authority_revision=AuthorityRevision(9),
        delivery_revision=of.delivery.delivery_revision,
        expires_at=NOW + AN_HOUR,
    )


def revision(of: StoreFacts) -> RevisionFacts:
    """Return a readable revision of a store."""
    return RevisionFacts(
        agent_id=of.agent_id,
        store_id=of.store_id,
        state=RevisionState.ACTIVE,
        integrity=Integrity.VERIFIED,
        lineage=Lineage.INTACT,
        anonymity=Anonymity.IDENTIFIED_ONLY,
        expires_at=NOW + AN_HOUR,
    )


def world(about: AccessContext, target: StoreFacts, *rules: Rule) -> World:
    """Return the world in which `about` asks for one revision of `target`."""
    placement = policy("placement", target.audience, *rules)
    return World(
        now=NOW,
        operation=about.operation,
        agent_id=AGENT,
        context=about,
        fingerprint=FINGERPRINT,
        standing=standing(about),
        authority_revision=AuthorityRevision(9),
        plan=plan(about),
        stores=STORES,
        store=target,
        revision=revision(target),
        section=Section.NOTE,
        own_policies=(placement,),
        requirements=(),
        policies={placement.policy_id: placement},
    )


def asks(operation: Operation) -> AccessContext:
    """Return Alice in her own direct message."""
    return context(USER, person(ALICE), operation, TO_ALICE)


def room_asks(operation: Operation) -> AccessContext:
    """Return Alice in the room."""
    return context(CONVERSATION, person(ALICE), operation, TO_ROOM)


def cron_asks(operation: Operation) -> AccessContext:
    """Return the service on its own."""
    return context(SERVICE, person(CRON, ActorKind.SERVICE), operation, INSIDE)


def nobody_asks(operation: Operation) -> AccessContext:
    """Return a shared direct message in which anybody may be speaking."""
    return context(AMBIGUOUS, SOMEBODY, operation, TO_LOBBY)
