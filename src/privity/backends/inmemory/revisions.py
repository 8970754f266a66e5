"""Resources and their immutable revisions, in memory."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from privity.backends.inmemory.cell import Cell, Memory
from privity.engine.ports import MovedError
from privity.engine.records import (
    ActivateCommit,
    CatalogCounts,
    Leftover,
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
        """Tombstone the revision and what was derived from it; return how many lost their lineage with it."""
        with self.memory.lock:
            cell = self.memory.cell(commit.agent_id)
            cell.expect(commit.expected)
            revision = cell.revisions.get(commit.revision_id)
            if revision is None or revision.store_id != commit.store_id:
                raise MovedError("the revision is not there")
            if revision.state is not RevisionState.ACTIVE:
                raise MovedError("the revision is not active any more")
            end_revision(cell, revision, revision.lineage)
            cell.log(commit.record)
            return break_descendants(cell, commit.revision_id)

    def list_derived(
        self, agent_id: AgentId, revision_id: RevisionId, store_ids: Iterable[StoreId]
    ) -> tuple[RevisionRecord, ...]:
        """Return the active revisions derived from one through `store_ids` alone, oldest first."""
        stores = frozenset(store_ids)
        with self.memory.lock:
            cell = self.memory.cell(agent_id)
            inside = [row for row in cell.revisions.values() if row.store_id in stores]
            derived = descendants_in(inside, revision_id)
            found = [row for row in inside if row.revision_id in derived and is_standing(row)]
            return tuple(sorted(found, key=lambda row: row.lifetime.recorded_at))

    def list_leftovers(self, agent_id: AgentId) -> tuple[Leftover, ...]:
        """Return every tombstoned revision whose text was not said to be cleared away, store by store."""
        with self.memory.lock:
            cell = self.memory.cell(agent_id)
            left = [row for row in cell.revisions.values() if row.revision_id in cell.leftovers]
            return tuple(
                Leftover(store=cell.stores[row.store_id], section=row.section, revision_id=row.revision_id)
                for row in sorted(left, key=lambda row: row.store_id)
            )

    def clear_leftovers(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> None:
        """Note that the text of these is gone from index and disk."""
        with self.memory.lock:
            self.memory.cell(agent_id).leftovers.difference_update(ids)

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
        if row is None or not is_standing(row):
            raise MovedError("a revision relied on is not readable any more")


def is_standing(row: RevisionRecord) -> bool:
    """The row is active with its lineage intact."""
    return row.state is RevisionState.ACTIVE and row.lineage is Lineage.INTACT


def end_revision(cell: Cell, revision: RevisionRecord, lineage: Lineage) -> None:
    """Tombstone one revision, whose text is left over from then on."""
    cell.change(replace(revision, state=RevisionState.TOMBSTONED, lineage=lineage))
    cell.leftovers.add(revision.revision_id)


def break_descendants(cell: Cell, revision_id: RevisionId) -> int:
    """End everything derived from the revision; return how many had their lineage intact."""
    descendants = descendants_in(tuple(cell.revisions.values()), revision_id)
    intact = [row for key, row in cell.revisions.items() if key in descendants and row.lineage is Lineage.INTACT]
    for row in sorted(intact, key=lambda row: row.change):
        end_revision(cell, row, Lineage.BROKEN)
    return len(intact)


def descendants_in(rows: Sequence[RevisionRecord], revision_id: RevisionId) -> set[RevisionId]:
    """Return the ids of everything among `rows` that was derived from a revision through them."""
    descendants: set[RevisionId] = set()
    reached = {revision_id}
    while reached:
        reached = {row.revision_id for row in rows if reached.intersection(row.parents)} - descendants
        descendants |= reached
    return descendants
