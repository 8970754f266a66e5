"""Values for the laws of storage: plausible, and each field unlike its neighbours."""

from datetime import UTC, datetime, timedelta
from typing import Final

from privity.engine.records import EventLabel, PolicyClass, RevisionRecord, StoreRecord
from privity.model.audiences import Audience, AudienceBound, AudienceKind
from privity.model.audit import AuditKind, AuditRecord, SearchTier
from privity.model.context import SinkKind, Visibility
from privity.model.decisions import Outcome, TraceEntry
from privity.model.events import EventKind, TranscriptEvent
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    ContentHash,
    ContextId,
    DecisionId,
    EgressRegistryRevision,
    EventId,
    EvidenceRevision,
    PolicyId,
    PolicyRevision,
    PolicySetId,
    PrincipalId,
    ReceiptId,
    RequestId,
    ResourceId,
    RevisionId,
    RevocationEpoch,
    RuleId,
    RunExposureRevision,
    RunId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    StoreId,
    SubjectRevision,
)
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, PolicySet, PolicyState, Requirement, Rule
from privity.model.reasons import Reason
from privity.model.resources import (
    Anonymity,
    Lifetime,
    Lineage,
    Origin,
    ResourceSubject,
    RevisionState,
    Section,
    SubjectKind,
    TrustClass,
)
from privity.model.stores import StoreFacts, StoreKind, StoreState
from privity.model.subjects import (
    EvidenceKind,
    SessionSubject,
    SubjectEvidence,
    UserSubject,
)

NOON: Final = datetime(2026, 3, 1, 12, 0, 0, 123_457, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)


def person(name: str) -> Audience:
    """Return the audience of one person."""
    return Audience(kind=AudienceKind.USER, id=f"usr_{name}")


def policy(name: str, *, revision: int = 1) -> Policy:
    """Return a policy with one rule."""
    return Policy(
        policy_id=PolicyId(f"pol_{name}"),
        policy_revision=PolicyRevision(revision),
        revocation_epoch=RevocationEpoch(revision + 10),
        state=PolicyState.ACTIVE,
        audience=person(name),
        rules=(
            Rule(
                rule_id=RuleId(f"rul_{name}"),
                effect=Effect.DENY,
                capability=Operation.PUBLISH,
                grantee_id=None,
                grantor_id=PrincipalId("usr_operator"),
                expires_at=NOON + revision * HOUR,
            ),
        ),
    )


def store(agent_id: AgentId, name: str, *, path_key: str, kind: StoreKind = StoreKind.USER) -> StoreRecord:
    """Return a store of one person."""
    return StoreRecord(
        facts=StoreFacts(
            agent_id=agent_id,
            store_id=StoreId(f"sto_{name}"),
            kind=kind,
            audience=person(name),
            state=StoreState.ACTIVE,
        ),
        policy_id=PolicyId(f"pol_{name}"),
        path_key=path_key,
        created_at=NOON,
    )


def requirement(name: str, *, revision: int = 1) -> Requirement:
    """Return a capture of `policy(name)`."""
    return Requirement(
        policy_id=PolicyId(f"pol_{name}"),
        expected_revision=PolicyRevision(revision),
        expected_epoch=RevocationEpoch(revision + 10),
    )


def policy_set(*requirements: Requirement, members: frozenset[Audience] = frozenset({person("ada")})) -> PolicySet:
    """Return a policy set of these captures."""
    return PolicySet(
        policy_set_id=PolicySetId(f"pst_{len(requirements)}"),
        requirements=requirements,
        bound=AudienceBound(members=members),
    )


def policy_class(class_id: str = "cls_1") -> PolicyClass:
    """Return a policy class."""
    return PolicyClass(
        class_id=class_id,
        own_policy_ids=(PolicyId("pol_ada"), PolicyId("pol_Ada")),
        inherited_policy_ids=(PolicyId("pol_bo"),),
        anonymity=Anonymity.ANONYMOUS_SAFE,
    )


def revision(place: StoreRecord, name: str) -> RevisionRecord:
    """Return a revision of a resource of its own, as a writer hands it in."""
    return RevisionRecord(
        agent_id=place.facts.agent_id,
        store_id=place.facts.store_id,
        resource_id=ResourceId(f"res_{name}"),
        revision_id=RevisionId(f"rev_{name}"),
        number=1,
        state=RevisionState.FINALIZED,
        lineage=Lineage.INTACT,
        content_hash=ContentHash("0" * 64),
        size=7,
        section=Section.NOTE,
        anonymity=Anonymity.ANONYMOUS_SAFE,
        class_id="cls_1",
        origin=Origin(trust=TrustClass.PARTICIPANT, author_id=PrincipalId("usr_bo"), event_id=EventId("evt_1")),
        about=(
            ResourceSubject(kind=SubjectKind.PERSON, id="usr_bo", evidence_revision=EvidenceRevision("evi_1")),
            ResourceSubject(kind=SubjectKind.TOPIC, id="Köln", evidence_revision=None),
        ),
        lifetime=Lifetime(recorded_at=NOON, expires_at=NOON + HOUR),
        own_policy_ids=(place.policy_id,),
        requirements=(),
        parents=(),
        change=0,
    )


def record(agent_id: AgentId, name: str) -> AuditRecord:
    """Return an audit record that nobody numbered yet."""
    return AuditRecord(
        sequence=0,
        kind=AuditKind.ACCESS,
        decision_id=DecisionId(f"dec_{name}"),
        agent_id=agent_id,
        request_id=RequestId("req_1"),
        context_id=ContextId("ctx_1"),
        run_id=RunId("run_1"),
        session_id=SessionId("ses_1"),
        accessor_id=PrincipalId("usr_ada"),
        target_ids=(StoreId("sto_ada"), StoreId("sto_Ada")),
        operation=Operation.RETRIEVE,
        reason=Reason.DEFAULT_DENY,
        step=7,
        revision_ids=(RevisionId("rev_1"),),
        query_digest="d1",
        result_count=3,
        search_tier=SearchTier.FTS,
        authority_revision=AuthorityRevision(5),
        run_exposure_revision=RunExposureRevision(2),
        policy_set_id=PolicySetId("pst_1"),
        receipt_id=ReceiptId("rcp_1"),
        determining_rules=(RuleId("rul_ada"),),
        store_kinds=(StoreKind.USER, StoreKind.CONVERSATION),
        trace=(TraceEntry(step=1, check="context_is_genuine", outcome=Outcome.PASSED),),
        at=NOON,
    )


def event(name: str) -> TranscriptEvent:
    """Return a transcript event."""
    return TranscriptEvent(
        event_id=EventId(f"evt_{name}"),
        kind=EventKind.MESSAGE,
        text=f"What {name} said: «naïve» 手机\n\x07",
        occurred_at=NOON,
        delivery_audiences=(person("ada"),),
    )


def label(session: str, *, subject: SessionSubject | None = None) -> EventLabel:
    """Return the label of an event of a session."""
    return EventLabel(
        session_key=SessionKey(f"key_{session}"),
        session_id=SessionId(session),
        session_subject=subject or ada_subject(),
        store_id=StoreId("sto_ada"),
        actor_id=None,
        transport_audit_ref="ref_1",
        actor_evidence_revision=EvidenceRevision("evi_2"),
        policy_set=policy_set(requirement("ada"), requirement("bo")),
        exposure_revision=RunExposureRevision(4),
        delivery_audiences=(person("ada"), person("bo")),
        sink_kind=SinkKind.PRIVATE,
        egress_registry_revision=EgressRegistryRevision("egr_1"),
        session_identity_revision=SessionIdentityRevision("sir_1"),
        subject_revision=SubjectRevision("sur_1"),
        visibility=Visibility.NORMAL,
        run_id=RunId("run_1"),
    )


def ada_subject() -> SessionSubject:
    """Return the subject of a direct session."""
    return UserSubject(
        principal_id=PrincipalId("usr_ada"),
        creation_evidence=SubjectEvidence(kind=EvidenceKind.ADAPTER_ATTESTED, revision=EvidenceRevision("evi_3")),
    )
