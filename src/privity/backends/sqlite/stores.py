"""Stores, policies and authority, in the catalog of each agent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from privity.backends.sqlite import codec, queries, rows
from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.database import Database
from privity.engine.ports import MovedError
from privity.engine.records import AmendCommit, Authority, StoreRecord
from privity.model.audiences import Audience
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, AuthorityRevision, HostFactsRevision, PolicyId
from privity.model.policies import Policy
from privity.model.stores import StoreKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteStores:
    """Implement `privity.engine.ports.Stores`."""

    cells: Cells

    def open_cell(self, agent_id: AgentId) -> Authority:
        """Make the cell of `agent_id` if it is new; return its authority."""
        with self.cells.writing(agent_id) as database:
            return rows.load_authority(database, agent_id)

    def authority(self, agent_id: AgentId) -> Authority:
        """Return the cell's current authority."""
        with self.cells.reading(agent_id) as database:
            return rows.load_authority(database, agent_id)

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Durably raise the host-facts epoch, and return the one before; a lower one changes nothing."""
        with self.cells.writing(agent_id) as database, database.transaction():
            before = rows.load_authority(database, agent_id).host_facts_revision
            database.run(queries.ADVANCE_HOST_FACTS, {"agent_id": agent_id, "epoch": epoch})
            return before

    def find_stores(self, agent_id: AgentId, wanted: Sequence[tuple[StoreKind, Audience]]) -> tuple[StoreRecord, ...]:
        """Return the stores of exactly these kinds and audiences, in the order wanted."""
        with self.cells.reading(agent_id) as database:
            found = [find_store(database, agent_id, kind, audience) for kind, audience in wanted]
        return tuple(store for store in found if store is not None)

    def add_store(self, store: StoreRecord, policy: Policy) -> StoreRecord:
        """Add a store with its placement policy; return the one that was there first, if any."""
        facts = store.facts
        added = rows.store_bindings(store)
        with self.cells.writing(facts.agent_id) as database, database.transaction():
            present = find_store(database, facts.agent_id, facts.kind, facts.audience)
            if present is not None:
                return present
            if database.row(queries.STORE_EXISTS, added) or database.row(queries.LOAD_POLICY, added):
                raise MovedError("the id is taken")
            database.run(queries.ADD_POLICY, rows.policy_bindings(policy))
            database.run(queries.ADD_STORE, added)
            return store

    def load_policies(self, agent_id: AgentId, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
        """Return those of `ids` that exist, at their current revision."""
        with self.cells.reading(agent_id) as database:
            found = [database.row(queries.LOAD_POLICY, {"policy_id": policy_id}) for policy_id in dict.fromkeys(ids)]
        policies = [rows.policy_of(row) for row in found if row is not None]
        return MappingProxyType({policy.policy_id: policy for policy in policies})

    def amend(self, commit: AmendCommit) -> AuthorityRevision:
        """Put a policy's next revision in force; return the cell's new authority revision."""
        policy = rows.policy_bindings(commit.policy)
        record = codec.dump(commit.record, AuditRecord)
        with self.cells.writing(commit.agent_id) as database, database.transaction():
            rows.expect(database, commit.agent_id, commit.expected)
            current = database.row(queries.LOAD_POLICY, policy)
            if commit.policy.policy_revision != (1 if current is None else current[1] + 1):
                raise MovedError("the policy has moved on")
            database.run(queries.ADD_POLICY if current is None else queries.AMEND_POLICY, policy)
            change_dependents(database, commit.agent_id, commit.policy.policy_id)
            rows.log(database, commit.agent_id, commit.record, record)
            return advance_authority(database, commit.agent_id)


def find_store(database: Database, agent_id: AgentId, kind: StoreKind, audience: Audience) -> StoreRecord | None:
    """Return the store of this kind and audience."""
    key = {"agent_id": agent_id, "kind": kind, "audience_kind": audience.kind, "audience_id": audience.id}
    row = database.row(queries.FIND_STORE, dict(key))
    return None if row is None else rows.store_of(row, agent_id, kind, audience)


def advance_authority(database: Database, agent_id: AgentId) -> AuthorityRevision:
    """Move to the next authority revision and return it."""
    return AuthorityRevision(rows.returned(database.row(queries.ADVANCE_AUTHORITY, {"agent_id": agent_id})))


def change_dependents(database: Database, agent_id: AgentId, policy_id: PolicyId) -> None:
    """Give every row that inherited the policy its store's next change number, in their order."""
    for revision_id, store_id in database.rows(queries.LIST_DEPENDENTS, {"agent_id": agent_id, "policy_id": policy_id}):
        rows.change_revision(database, agent_id, store_id, revision_id)
