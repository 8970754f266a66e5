"""Resources and their immutable revisions, in memory."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from privity.backends.inmemory.cell import Cell, Memory
from privity.engine.ports import MovedError
from privity.engine.records import (
    ActivateCommit,
    CatalogCounts,
    PolicyClass,
    RevisionRecord,
    TombstoneCommit,
)
from privity.model.ids import AgentId, RevisionId, StoreId
from privity.model.resources import Lineage, RevisionState, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryRevisions:
    """Implement `privity.engine.ports.Revisions`."""

    memory: Memory

    def load_revisions(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> Mapping[RevisionId, RevisionRecord]:
        """Return those of `ids` that exist."""
        with self.memory.lock:
            revisions = self.memory.cell(agent_id).revisions
            return MappingProxyType({key: revisions[key] for key in ids if key in revisions})

    def list_changes(self, agent_id: AgentId, store_id: StoreId, after: int) -> tuple[RevisionRecord, ...]:
        """Return the rows of a store whose change number is above `after`, in its order."""
        with self.memory.lock:
            rows = rows_of(self.memory.cell(agent_id), store_id)
            return tuple(sorted((row for row in rows if row.change > after), key=lambda row: row.change))

    def list_card(self, agent_id: AgentId, store_id: StoreId) -> tuple[RevisionRecord, ...]:
        """Return the active card entries of a store, oldest first."""
        with self.memory.lock:
            rows = rows_of(self.memory.cell(agent_id), store_id)
            entries = [row for row in rows if row.section is Section.CARD and row.state is RevisionState.ACTIVE]
            return tuple(sorted(entries, key=lambda row: row.lifetime.recorded_at))

    def load_classes(self, agent_id: AgentId, ids: Iterable[str]) -> Mapping[str, PolicyClass]:
        """Return those policy classes of `ids` that exist."""
        with self.memory.lock:
            classes = self.memory.cell(agent_id).classes
            return MappingProxyType({key: classes[key] for key in ids if key in classes})

    def activate(self, commit: ActivateCommit) -> RevisionRecord:
        """Insert the revision as active and return it with its change number."""
        with self.memory.lock:
            cell = self.memory.cell(commit.revision.agent_id)
            cell.expect(commit.expected)
            refuse_taken_place(cell, commit.revision)
            require_readable(cell, commit.revision.parents)
            cell.classes.setdefault(commit.policy_class.class_id, commit.policy_class)
            cell.log(commit.record)
            return cell.change(replace(commit.revision, state=RevisionState.ACTIVE, lineage=Lineage.INTACT))

    def tombstone(self, commit: TombstoneCommit) -> int:
        """Tombstone the revision; return how many descendants lost their lineage with it."""
        with self.memory.lock:
            cell = self.memory.cell(commit.agent_id)
            cell.expect(commit.expected)
            revision = cell.revisions.get(commit.revision_id)
            if revision is None or revision.store_id != commit.store_id:
                raise MovedError("the revision is not there")
            if revision.state is not RevisionState.ACTIVE:
                raise MovedError("the revision is not active any more")
            cell.change(replace(revision, state=RevisionState.TOMBSTONED))
            cell.log(commit.record)
            return break_descendants(cell, commit.revision_id)

    def counts(self, agent_id: AgentId) -> CatalogCounts:
        """Return counts for operators."""
        with self.memory.lock:
            cell = self.memory.cell(agent_id)
            return CatalogCounts(
                stores=MappingProxyType(dict(Counter(store.facts.kind.value for store in cell.stores.values()))),
                revisions=MappingProxyType(dict(Counter(revision.state.value for revision in cell.revisions.values()))),
                events=sum(len(events) for events in cell.events.values()),
                outbox=len(cell.outbox),
            )


def rows_of(cell: Cell, store_id: StoreId) -> list[RevisionRecord]:
    """Return the rows of a store in the order in which they were activated."""
    return [row for row in cell.revisions.values() if row.store_id == store_id]


def refuse_taken_place(cell: Cell, revision: RevisionRecord) -> None:
    """Raise `MovedError` unless the store is there, and the revision is new and the only active one."""
    if revision.store_id not in cell.stores:
        raise MovedError("the store is not there")
    if revision.revision_id in cell.revisions:
        raise MovedError("the revision is there")
    for row in cell.revisions.values():
        if row.resource_id == revision.resource_id and excludes(row, revision):
            raise MovedError("the resource has moved on")


def excludes(row: RevisionRecord, revision: RevisionRecord) -> bool:
    """The resource cannot have both revisions."""
    return row.number == revision.number or row.state is RevisionState.ACTIVE or row.store_id != revision.store_id


def require_readable(cell: Cell, ids: Iterable[RevisionId]) -> None:
    """Raise `MovedError` unless every one of `ids` is active with its lineage intact."""
    for revision_id in ids:
        row = cell.revisions.get(revision_id)
        if row is None or row.state is not RevisionState.ACTIVE or row.lineage is not Lineage.INTACT:
            raise MovedError("a revision relied on is not readable any more")


def break_descendants(cell: Cell, revision_id: RevisionId) -> int:
    """Break the lineage of everything derived from the revision; return how many had it intact."""
    descendants: set[RevisionId] = set()
    reached = {revision_id}
    while reached:
        reached = {row.revision_id for row in cell.revisions.values() if reached.intersection(row.parents)}
        reached -= descendants
        descendants |= reached
    intact = [row for key, row in cell.revisions.items() if key in descendants and row.lineage is Lineage.INTACT]
    for row in sorted(intact, key=lambda row: row.change):
        cell.change(replace(row, lineage=Lineage.BROKEN))
    return len(intact)
