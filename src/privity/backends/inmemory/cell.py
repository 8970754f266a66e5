"""The state of one agent's cell, and of a whole vault, as plain containers."""

from dataclasses import dataclass, field, replace
from threading import RLock

from privity.engine.ports import MovedError
from privity.engine.records import (
    Authority,
    EventLabel,
    ExposureCommit,
    LabelledEvent,
    PolicyClass,
    RevisionRecord,
    RunRecord,
    StoreRecord,
    WindowRecord,
)
from privity.model.audit import AuditRecord
from privity.model.events import TranscriptEvent
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    HostFactsRevision,
    PolicyId,
    RevisionId,
    RunId,
    SessionId,
    StoreId,
)
from privity.model.policies import Policy

NEW_AUTHORITY = Authority(authority_revision=AuthorityRevision(0), host_facts_revision=HostFactsRevision(0))


@dataclass(slots=True, kw_only=True)
class Cell:
    """Everything of one agent. A cell nobody wrote to reads as a new one."""

    authority: Authority = NEW_AUTHORITY
    stores: dict[StoreId, StoreRecord] = field(default_factory=dict[StoreId, StoreRecord])
    changes: dict[StoreId, int] = field(default_factory=dict[StoreId, int])
    policies: dict[PolicyId, Policy] = field(default_factory=dict[PolicyId, Policy])
    revisions: dict[RevisionId, RevisionRecord] = field(default_factory=dict[RevisionId, RevisionRecord])
    leftovers: set[RevisionId] = field(default_factory=set[RevisionId])
    classes: dict[str, PolicyClass] = field(default_factory=dict[str, PolicyClass])
    runs: dict[RunId, RunRecord] = field(default_factory=dict[RunId, RunRecord])
    windows: dict[SessionId, WindowRecord] = field(default_factory=dict[SessionId, WindowRecord])
    shown: dict[SessionId, list[RevisionId]] = field(default_factory=dict[SessionId, list[RevisionId]])
    copied: dict[SessionId, SessionId] = field(default_factory=dict[SessionId, SessionId])
    exposures: list[ExposureCommit] = field(default_factory=list[ExposureCommit])
    events: dict[SessionId, list[LabelledEvent]] = field(default_factory=dict[SessionId, list[LabelledEvent]])
    outbox: list[AuditRecord] = field(default_factory=list[AuditRecord])

    def expect(self, expected: Authority) -> None:
        """Raise `MovedError` unless the authority is still the one expected."""
        if self.authority != expected:
            raise MovedError("the authority of the cell has moved on")

    def advance_authority(self) -> AuthorityRevision:
        """Move to the next authority revision and return it."""
        revision = AuthorityRevision(self.authority.authority_revision + 1)
        self.authority = replace(self.authority, authority_revision=revision)
        return revision

    def change(self, revision: RevisionRecord) -> RevisionRecord:
        """Keep `revision` under its store's next change number."""
        number = self.changes[revision.store_id] + 1
        self.changes[revision.store_id] = number
        changed = replace(revision, change=number)
        self.revisions[revision.revision_id] = changed
        return changed

    def log(self, record: AuditRecord) -> None:
        """Number `record` and keep it."""
        self.outbox.append(replace(record, sequence=len(self.outbox) + 1))

    def refuse_known_event(self, event: TranscriptEvent, label: EventLabel) -> None:
        """Raise `MovedError` when the session has an event of this id."""
        if event.event_id in {kept.event_id for kept in self.events.get(label.session_id, ())}:
            raise MovedError("the session has this event")

    def append(self, event: TranscriptEvent, label: EventLabel) -> int:
        """Keep an event with its label; return its sequence within the session."""
        events = self.events.setdefault(label.session_id, [])
        sequence = len(events) + 1
        events.append(
            LabelledEvent(
                event_id=event.event_id,
                sequence=sequence,
                kind=event.kind,
                text=event.text,
                occurred_at=event.occurred_at,
                label=label,
            )
        )
        return sequence


@dataclass(slots=True, kw_only=True)
class Memory:
    """All cells of one vault, and the lock under which every call runs whole."""

    lock: RLock = field(default_factory=RLock)
    cells: dict[AgentId, Cell] = field(default_factory=dict[AgentId, Cell])

    def cell(self, agent_id: AgentId) -> Cell:
        """Return the cell of `agent_id`, made if it is new."""
        return self.cells.setdefault(agent_id, Cell())
