"""What the engine keeps, as values: the shapes that cross seam B."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from privity.model.audiences import Audience
from privity.model.audit import AuditRecord
from privity.model.context import SinkKind, Visibility
from privity.model.events import EventKind, TranscriptEvent
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    ContentHash,
    EgressRegistryRevision,
    EventId,
    EvidenceRevision,
    HostFactsRevision,
    PolicyId,
    PolicyRevision,
    PrincipalId,
    ResourceId,
    RevisionId,
    RunExposureRevision,
    RunId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    StoreId,
    SubjectRevision,
)
from privity.model.policies import Policy, PolicySet, Requirement
from privity.model.resources import (
    Anonymity,
    Integrity,
    Lifetime,
    Lineage,
    Origin,
    ResourceSubject,
    RevisionState,
    Section,
)
from privity.model.stores import StoreFacts
from privity.model.subjects import SessionSubject


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """The revisions that every commit compares: what the engine last read must still hold."""

    authority_revision: AuthorityRevision
    host_facts_revision: HostFactsRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRecord:
    """A store: its facts, its placement policy, and the opaque key of its directory."""

    facts: StoreFacts
    policy_id: PolicyId
    path_key: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyClass:
    """An interned set of stable policy ids, with the anonymity of the rows in it.

    No captured revision is part of it. `class_id` is derived from the other fields.
    """

    class_id: str
    own_policy_ids: tuple[PolicyId, ...]
    inherited_policy_ids: tuple[PolicyId, ...]
    anonymity: Anonymity


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRecord:
    """One immutable revision and its current state.

    `change` is the store's change number at which this row last changed; it counts within
    the store. `parents` are the revisions it was derived from.
    """

    agent_id: AgentId
    store_id: StoreId
    resource_id: ResourceId
    revision_id: RevisionId
    number: int
    state: RevisionState
    lineage: Lineage
    content_hash: ContentHash
    size: int
    section: Section
    anonymity: Anonymity
    class_id: str
    origin: Origin
    about: tuple[ResourceSubject, ...]
    lifetime: Lifetime
    own_policy_ids: tuple[PolicyId, ...]
    requirements: tuple[Requirement, ...]
    parents: tuple[RevisionId, ...]
    change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run and what binds it so far, what its window was shown before included.

    `shown_before` counts the revisions that its window had been shown when it began. Which
    they are, and which followed, `Runs.list_shown` says.
    """

    agent_id: AgentId
    run_id: RunId
    session_id: SessionId
    exposure_revision: RunExposureRevision
    policy_set: PolicySet
    shown_before: int

    @property
    def was_shown(self) -> bool:
        """Whether any memory was shown in it, or in its window before."""
        return self.shown_before > 0 or self.exposure_revision > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRecord:
    """What binds a session window over all its runs, and how many revisions it was shown. Both only grow."""

    agent_id: AgentId
    session_id: SessionId
    policy_set: PolicySet
    shown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLabel:
    """The authorization companion of a transcript event.

    The revisions shown by then are those of its run up to its exposure revision.
    """

    session_key: SessionKey
    session_id: SessionId
    session_subject: SessionSubject
    store_id: StoreId
    actor_id: PrincipalId | None
    transport_audit_ref: str | None
    actor_evidence_revision: EvidenceRevision
    policy_set: PolicySet
    exposure_revision: RunExposureRevision
    delivery_audiences: tuple[Audience, ...]
    sink_kind: SinkKind
    egress_registry_revision: EgressRegistryRevision
    session_identity_revision: SessionIdentityRevision
    subject_revision: SubjectRevision
    visibility: Visibility
    run_id: RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledEvent:
    """An event as stored: nothing without its label is ever returned."""

    event_id: EventId
    sequence: int
    kind: EventKind
    text: str
    occurred_at: datetime
    label: EventLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommit:
    """Begin a run, with the incoming event if it leaves a durable trace. One transaction.

    Its window takes over the run's policy set, and must have been shown as much as the run says.
    """

    expected: Authority
    run: RunRecord
    event: TranscriptEvent | None
    label: EventLabel | None
    record: AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCommit:
    """Append one event with its label and its audit record. One transaction."""

    expected: Authority
    agent_id: AgentId
    event: TranscriptEvent
    label: EventLabel
    record: AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureCommit:
    """Record that revisions are about to be shown. One transaction, before they are.

    `run` is the run after the exposure; `before` the exposure revision it replaces. Each of
    `captured` names the policy revision that a revision was shown under. The run's window
    takes over `window_policies`, and what was shown, in the same transaction.
    """

    expected: Authority
    before: RunExposureRevision
    run: RunRecord
    window_policies: PolicySet
    shown: tuple[RevisionId, ...]
    captured: Mapping[PolicyId, PolicyRevision]
    record: AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivateCommit:
    """Make a finalized revision active. `revision.change` is set by the catalog.

    The transaction also compares every parent: one that is no longer active with its
    lineage intact refuses the commit.
    """

    expected: Authority
    revision: RevisionRecord
    policy_class: PolicyClass
    record: AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneCommit:
    """Tombstone one active revision, and everything derived from it with its lineage broken.

    Each of them is left over until its text is cleared away.
    """

    expected: Authority
    agent_id: AgentId
    store_id: StoreId
    revision_id: RevisionId
    record: AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A tombstoned revision whose text may still be in the index or the directory of its store."""

    store: StoreRecord
    section: Section
    revision_id: RevisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendCommit:
    """Replace a policy by its next revision.

    Rows that inherited an older revision of it change with it, so that no index counts them.
    """

    expected: Authority
    agent_id: AgentId
    policy: Policy
    record: AuditRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """Bytes on disk under a temporary name, synced, referenced by nothing."""

    agent_id: AgentId
    path_key: str
    section: Section
    revision_id: RevisionId
    content_hash: ContentHash
    size: int
    staged_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A staged revision that the catalog knows of and nobody can read."""

    staged: Staged
    intent_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finalized:
    """Bytes under their final, immutable name; the directory is synced too."""

    agent_id: AgentId
    path_key: str
    section: Section
    revision_id: RevisionId
    content_hash: ContentHash
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Active:
    """A revision the catalog made readable."""

    revision: RevisionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """An active revision the index knows of."""

    revision: RevisionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """What is on disk for a revision. `content` is present only when `integrity` is verified."""

    integrity: Integrity
    content: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """One row for the index of one store. `text` is what is searchable; it is derived state."""

    revision_id: RevisionId
    class_id: str
    text: str
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassTotals:
    """How many rows, and how many tokens in them."""

    rows: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """What an index knows: up to which change, and the totals of each policy class.

    Totals count rows that are unexpired at the time asked for.
    """

    watermark: int
    classes: Mapping[str, ClassTotals]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """What to look up in one store: tokens, literal needles, and the classes permitted.

    `terms` are tokens as the index makes them. `needles` are case-folded literals, matched
    anywhere in the case-folded text. Rows of `skip` count as absent.
    """

    terms: tuple[str, ...]
    needles: tuple[str, ...]
    classes: frozenset[str]
    skip: frozenset[RevisionId]
    at: datetime


Posting = tuple[RevisionId, int, int]
"""Revision, its length in tokens, and how often the term or needle occurs in it (at least 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexMatches:
    """Postings of each term, then of each needle, over the permitted rows only, with totals."""

    totals: ClassTotals
    postings: tuple[tuple[Posting, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogCounts:
    """Counts of one cell for operators."""

    stores: Mapping[str, int]
    revisions: Mapping[str, int]
    events: int
    outbox: int
