"""Resources and their immutable revisions, in the catalog of each agent."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from privity.backends.sqlite import codec, queries, rows
from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.database import Database, Row
from privity.engine.ports import MovedError
from privity.engine.records import (
    ActivateCommit,
    CatalogCounts,
    Leftover,
    PolicyClass,
    RevisionRecord,
    TombstoneCommit,
)
from privity.model.audiences import Audience, AudienceKind
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, RevisionId, StoreId
from privity.model.resources import Lineage, RevisionState, Section
from privity.model.stores import StoreKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteRevisions:
    """Implement `privity.engine.ports.Revisions`."""

    cells: Cells

    def load_revisions(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> Mapping[RevisionId, RevisionRecord]:
        """Return those of `ids` that exist."""
        wanted = dict.fromkeys(ids)
        with self.cells.reading(agent_id) as database:
            found = [
                database.row(queries.LOAD_REVISION, {"agent_id": agent_id, "revision_id": revision_id})
                for revision_id in wanted
            ]
        revisions = [rows.revision_of(row) for row in found if row is not None]
        return MappingProxyType({revision.revision_id: revision for revision in revisions})

    def list_changes(self, agent_id: AgentId, store_id: StoreId, after: int) -> tuple[RevisionRecord, ...]:
        """Return the rows of a store whose change number is above `after`, in its order."""
        wanted = {"agent_id": agent_id, "store_id": store_id, "after": after}
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.LIST_CHANGES, wanted)
        return tuple(map(rows.revision_of, found))

    def list_card(self, agent_id: AgentId, store_id: StoreId) -> tuple[RevisionRecord, ...]:
        """Return the active card entries of a store, oldest first."""
        wanted = {"agent_id": agent_id, "store_id": store_id, "state": RevisionState.ACTIVE}
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.LIST_CARD, dict(wanted))
        return tuple(map(rows.revision_of, found))

    def load_classes(self, agent_id: AgentId, ids: Iterable[str]) -> Mapping[str, PolicyClass]:
        """Return those policy classes of `ids` that exist."""
        with self.cells.reading(agent_id) as database:
            found = [database.row(queries.LOAD_CLASS, {"class_id": class_id}) for class_id in dict.fromkeys(ids)]
        classes = [rows.class_of(row) for row in found if row is not None]
        return MappingProxyType({policy_class.class_id: policy_class for policy_class in classes})

    def activate(self, commit: ActivateCommit) -> RevisionRecord:
        """Insert the revision as active and return it with its change number."""
        agent_id = commit.revision.agent_id
        revision = replace(commit.revision, state=RevisionState.ACTIVE, lineage=Lineage.INTACT)
        policy_class = rows.class_bindings(commit.policy_class)
        record = codec.dump(commit.record, AuditRecord)
        with self.cells.writing(agent_id) as database, database.transaction():
            rows.expect(database, agent_id, commit.expected)
            expect_place(database, revision)
            rows.expect_readable(database, agent_id, revision.parents)
            database.run(queries.ADD_CLASS, policy_class)
            activated = replace(revision, change=rows.next_change(database, agent_id, revision.store_id))
            add_revision(database, activated)
            rows.log(database, agent_id, commit.record, record)
        return activated

    def tombstone(self, commit: TombstoneCommit) -> int:
        """Tombstone the revision and what was derived from it; return how many lost their lineage with it."""
        agent_id, revision_id = commit.agent_id, commit.revision_id
        record = codec.dump(commit.record, AuditRecord)
        with self.cells.writing(agent_id) as database, database.transaction():
            rows.expect(database, agent_id, commit.expected)
            row = database.row(queries.FIND_STANDING, {"agent_id": agent_id, "revision_id": revision_id})
            if row is None or row[0] != commit.store_id or row[1] != RevisionState.ACTIVE:
                raise MovedError("the revision is not active any more")
            end_revision(database, agent_id, commit.store_id, revision_id)
            rows.log(database, agent_id, commit.record, record)
            return break_descendants(database, agent_id, revision_id)

    def list_derived(
        self, agent_id: AgentId, revision_id: RevisionId, store_ids: Iterable[StoreId]
    ) -> tuple[RevisionRecord, ...]:
        """Return the active revisions derived from one through `store_ids` alone, oldest first."""
        wanted = {
            "agent_id": agent_id,
            "revision_id": revision_id,
            "stores": json.dumps(list(store_ids)),
            "intact": Lineage.INTACT,
            "state": RevisionState.ACTIVE,
        }
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.LIST_DERIVED, dict(wanted))
        return tuple(map(rows.revision_of, found))

    def list_leftovers(self, agent_id: AgentId) -> tuple[Leftover, ...]:
        """Return every tombstoned revision whose text was not said to be cleared away, store by store."""
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.LIST_LEFTOVERS, {"agent_id": agent_id})
        return tuple(leftover_of(row, agent_id) for row in found)

    def clear_leftovers(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> None:
        """Note that the text of these is gone from index and disk."""
        with self.cells.writing(agent_id) as database, database.transaction():
            for revision_id in ids:
                database.run(queries.DROP_LEFTOVER, {"revision_id": revision_id})

    def counts(self, agent_id: AgentId) -> CatalogCounts:
        """Return counts for operators."""
        cell = {"agent_id": agent_id}
        with self.cells.reading(agent_id) as database:
            return CatalogCounts(
                stores=MappingProxyType(dict(database.rows(queries.COUNT_STORES, dict(cell)))),
                revisions=MappingProxyType(dict(database.rows(queries.COUNT_REVISIONS, dict(cell)))),
                events=rows.returned(database.row(queries.COUNT_EVENTS)),
                outbox=rows.returned(database.row(queries.COUNT_OUTBOX)),
            )


def expect_place(database: Database, revision: RevisionRecord) -> None:
    """Raise `MovedError` unless the store is there, and the revision is new and the only active one."""
    place = rows.revision_bindings(revision)
    if database.row(queries.STORE_EXISTS, place) is None:
        raise MovedError("the store is not there")
    taken = (queries.FIND_STANDING, queries.NUMBER_TAKEN, queries.RESOURCE_IN_FORCE, queries.RESOURCE_ELSEWHERE)
    if any(database.row(query, place) for query in taken):
        raise MovedError("the resource has moved on")


def add_revision(database: Database, revision: RevisionRecord) -> None:
    """Insert a revision with the edges by which others find it."""
    bindings = rows.revision_bindings(revision)
    database.run(queries.ADD_RESOURCE, bindings)
    database.run(queries.ADD_REVISION, bindings)
    for parent_id in revision.parents:
        database.run(queries.ADD_PARENTAGE, {**bindings, "parent_id": parent_id, "child_id": revision.revision_id})
    for requirement in revision.requirements:
        database.run(
            queries.ADD_DEPENDENCE,
            {"policy_id": requirement.policy_id, "revision_id": revision.revision_id},
        )


def end_revision(
    database: Database, agent_id: AgentId, store_id: StoreId, revision_id: RevisionId, lineage: Lineage | None = None
) -> None:
    """Tombstone one revision, whose text is left over from then on."""
    rows.change_revision(database, agent_id, store_id, revision_id, state=RevisionState.TOMBSTONED, lineage=lineage)
    database.run(queries.ADD_LEFTOVER, {"revision_id": revision_id})


def break_descendants(database: Database, agent_id: AgentId, revision_id: RevisionId) -> int:
    """End everything derived from the revision; return how many had their lineage intact."""
    intact = database.rows(
        queries.LIST_DESCENDANTS, {"agent_id": agent_id, "revision_id": revision_id, "intact": Lineage.INTACT}
    )
    for descendant_id, store_id in intact:
        end_revision(database, agent_id, store_id, descendant_id, Lineage.BROKEN)
    return len(intact)


def leftover_of(row: Row, agent_id: AgentId) -> Leftover:
    """Return the leftover in a row of `queries.LIST_LEFTOVERS`."""
    revision_id, section, kind, audience_kind, audience_id, *place = row
    audience = Audience(kind=AudienceKind(audience_kind), id=audience_id)
    return Leftover(
        store=rows.store_of(tuple(place), agent_id, StoreKind(kind), audience),
        section=Section(section),
        revision_id=RevisionId(revision_id),
    )
