"""Seam B: what the engine asks of storage.

Every method is one transaction or one file step. A commit compares `expected` with the
cell's current authority inside its transaction and raises `MovedError` when it differs,
having changed nothing. Everything is scoped to one agent: an id of another cell is absent.
Failing disks raise `StorageFailedError`; nothing is changed then either.
Conformance: `privity.conformance.storage`.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from privity.engine.records import (
    ActivateCommit,
    AmendCommit,
    Artifact,
    Authority,
    CatalogCounts,
    EventCommit,
    ExposureCommit,
    Finalized,
    IndexMatches,
    IndexQuery,
    IndexRow,
    IndexState,
    LabelledEvent,
    Leftover,
    PolicyClass,
    RevisionRecord,
    RunCommit,
    RunRecord,
    Staged,
    StoreRecord,
    TombstoneCommit,
    WindowRecord,
)
from privity.model.audiences import Audience
from privity.model.audit import AuditRecord
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    ContentHash,
    DecisionId,
    HostFactsRevision,
    PolicyId,
    RevisionId,
    RunExposureRevision,
    RunId,
    SessionId,
    StoreId,
)
from privity.model.policies import Policy
from privity.model.resources import Section
from privity.model.stores import StoreKind


class MovedError(Exception):
    """What a commit relied on has changed; read again and decide again."""


class Stores(Protocol):
    """Stores, policies and the authority of each cell."""

    def open_cell(self, agent_id: AgentId) -> Authority:
        """Make the cell of `agent_id` if it is new; return its authority."""
        ...

    def authority(self, agent_id: AgentId) -> Authority:
        """Return the cell's current authority."""
        ...

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Durably raise the host-facts epoch, and return the one before; a lower one changes nothing."""
        ...

    def find_stores(self, agent_id: AgentId, wanted: Sequence[tuple[StoreKind, Audience]]) -> tuple[StoreRecord, ...]:
        """Return the stores of exactly these kinds and audiences, in the order wanted.

        Work is proportional to `wanted`, never to the number of stores.
        """
        ...

    def add_store(self, store: StoreRecord, policy: Policy) -> StoreRecord:
        """Add a store with its placement policy; return the one that was there first, if any.

        The cell's authority stays as it is: a new store disturbs nobody's plan.
        """
        ...

    def load_policies(self, agent_id: AgentId, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
        """Return those of `ids` that exist, at their current revision."""
        ...

    def amend(self, commit: AmendCommit) -> AuthorityRevision:
        """Put a policy's next revision in force, a new policy's first; return the new authority revision.

        `MovedError` when another revision is in force than the one before it.
        """
        ...


class Endings(Protocol):
    """What a tombstone takes with it, and what is left of that on disk."""

    def list_derived(
        self, agent_id: AgentId, revision_id: RevisionId, store_ids: Iterable[StoreId]
    ) -> tuple[RevisionRecord, ...]:
        """Return the active revisions derived from one through `store_ids` alone, oldest first.

        Work is proportional to what is derived inside those stores, whatever others hold.
        """
        ...

    def list_leftovers(self, agent_id: AgentId) -> tuple[Leftover, ...]:
        """Return every tombstoned revision whose text was not said to be cleared away, store by store."""
        ...

    def clear_leftovers(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> None:
        """Note that the text of these is gone from index and disk."""
        ...


class Revisions(Endings, Protocol):
    """Resources and their immutable revisions."""

    def load_revisions(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> Mapping[RevisionId, RevisionRecord]:
        """Return those of `ids` that exist."""
        ...

    def list_changes(self, agent_id: AgentId, store_id: StoreId, after: int) -> tuple[RevisionRecord, ...]:
        """Return the rows of a store whose change number is above `after`, in its order."""
        ...

    def list_card(self, agent_id: AgentId, store_id: StoreId) -> tuple[RevisionRecord, ...]:
        """Return the active card entries of a store, oldest first."""
        ...

    def load_classes(self, agent_id: AgentId, ids: Iterable[str]) -> Mapping[str, PolicyClass]:
        """Return those policy classes of `ids` that exist."""
        ...

    def activate(self, commit: ActivateCommit) -> RevisionRecord:
        """Insert the revision as active and return it with its change number."""
        ...

    def tombstone(self, commit: TombstoneCommit) -> int:
        """Tombstone the revision and what was derived from it; return how many lost their lineage with it.

        Raises `MovedError` when it is not active any more.
        """
        ...

    def counts(self, agent_id: AgentId) -> CatalogCounts:
        """Return counts for operators."""
        ...


class Runs(Protocol):
    """Runs, windows, exposures and labelled transcript events."""

    def load_window(self, agent_id: AgentId, session_id: SessionId) -> WindowRecord | None:
        """Return what a window was shown, or `None` for a window that was shown nothing."""
        ...

    def copy_window(self, agent_id: AgentId, source: SessionId, session_id: SessionId) -> WindowRecord | None:
        """Give a new window what `source` was shown, or nothing where that is nothing.

        A window that was copied from `source` before is left as it is; one that began
        otherwise too (`MovedError`).
        """
        ...

    def begin_run(self, commit: RunCommit) -> RunRecord:
        """Begin a run on top of its window.

        `MovedError` when the window was shown something since, or would be bound by less.
        """
        ...

    def load_run(self, agent_id: AgentId, run_id: RunId) -> RunRecord | None:
        """Return a run."""
        ...

    def expose(self, commit: ExposureCommit) -> None:
        """Record an exposure; `MovedError` when the run's revision is not `before` any more."""
        ...

    def list_shown(self, agent_id: AgentId, run_id: RunId, until: RunExposureRevision) -> tuple[RevisionId, ...]:
        """Return what a run was shown up to an exposure revision, its window before it included, oldest first."""
        ...

    def append_event(self, commit: EventCommit) -> int:
        """Append an event and its label together; return its sequence within the session.

        `MovedError` when the label's run was shown something since the label was made.
        """
        ...

    def list_events(self, agent_id: AgentId, session_id: SessionId) -> tuple[LabelledEvent, ...]:
        """Return the events of a session that have a label, in order."""
        ...


class Outbox(Protocol):
    """Audit records, committed with what they record and numbered by the cell."""

    def record(self, record: AuditRecord) -> None:
        """Commit a record that stands alone, such as a denial."""
        ...

    def pull(self, agent_id: AgentId, after: int, limit: int) -> tuple[AuditRecord, ...]:
        """Return records after sequence `after`, oldest first."""
        ...

    def find_record(self, agent_id: AgentId, decision_id: DecisionId) -> AuditRecord | None:
        """Return the record of one decision."""
        ...


class Artifacts(Protocol):
    """The bytes of revisions, one directory a store, named by opaque keys."""

    def make_root(self, agent_id: AgentId) -> str:
        """Make the directory of a new store under a fresh opaque key and return the key."""
        ...

    def stage(
        self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId, content: bytes
    ) -> Staged:
        """Write and sync `content` under a temporary name, mode 0600."""
        ...

    def finalize(self, staged: Staged) -> Finalized:
        """Rename to the final name and sync the directory."""
        ...

    def load(
        self,
        agent_id: AgentId,
        path_key: str,
        section: Section,
        revision_id: RevisionId,
        content_hash: ContentHash,
    ) -> Artifact:
        """Return the bytes if they are a plain file inside the root with exactly this hash."""
        ...

    def remove(self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId) -> None:
        """Remove a file that no active revision names; absent is fine."""
        ...


class Index(Protocol):
    """One index per store, derived from the catalog and the artifacts."""

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the tokens of `text` exactly as the index makes them, repeats included."""
        ...

    def state(self, agent_id: AgentId, store: StoreRecord, at: datetime) -> IndexState:
        """Return the watermark, and the totals of each class over rows unexpired at `at`."""
        ...

    def match(self, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
        """Return postings and totals over unexpired rows of `query.classes` outside `query.skip`.

        Exhaustive and exact: every such row that holds a term or needle is in its postings,
        and no other row moves any number (conformance: exact).
        """
        ...

    def apply(
        self,
        agent_id: AgentId,
        store: StoreRecord,
        puts: Sequence[IndexRow],
        drops: Sequence[RevisionId],
        watermark: int,
    ) -> None:
        """Add and drop rows and raise the watermark, all or nothing; a row put again is replaced."""
        ...

    def reset(self, agent_id: AgentId, store: StoreRecord) -> None:
        """Throw the index of one store away; its watermark is 0 again."""
        ...


class Keys(Protocol):
    """Key material of the vault, made from the system's CSPRNG when first asked for."""

    def home_key(self) -> bytes:
        """Return the 32-byte key of this home's vault."""
        ...


class Backend(Protocol):
    """One storage family, opened on one vault and owned by this process until closed."""

    @property
    def stores(self) -> Stores:
        """Stores and policies."""
        ...

    @property
    def revisions(self) -> Revisions:
        """Revisions."""
        ...

    @property
    def runs(self) -> Runs:
        """Runs and transcripts."""
        ...

    @property
    def outbox(self) -> Outbox:
        """The audit outbox."""
        ...

    @property
    def artifacts(self) -> Artifacts:
        """Content."""
        ...

    @property
    def index(self) -> Index:
        """Derived indexes."""
        ...

    @property
    def keys(self) -> Keys:
        """Keys."""
        ...
