"""Stores, policies and authority, in memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from privity.backends.inmemory.cell import Cell, Memory
from privity.engine.ports import MovedError
from privity.engine.records import AmendCommit, Authority, StoreRecord
from privity.model.audiences import Audience
from privity.model.ids import AgentId, AuthorityRevision, HostFactsRevision, PolicyId
from privity.model.policies import Policy
from privity.model.stores import StoreKind


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryStores:
    """Implement `privity.engine.ports.Stores`."""

    memory: Memory

    def open_cell(self, agent_id: AgentId) -> Authority:
        """Make the cell of `agent_id` if it is new; return its authority."""
        with self.memory.lock:
            return self.memory.cell(agent_id).authority

    def authority(self, agent_id: AgentId) -> Authority:
        """Return the cell's current authority."""
        with self.memory.lock:
            return self.memory.cell(agent_id).authority

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Raise the host-facts epoch, and return the one before; a lower one changes nothing."""
        with self.memory.lock:
            cell = self.memory.cell(agent_id)
            before = cell.authority.host_facts_revision
            cell.authority = replace(cell.authority, host_facts_revision=max(before, epoch))
            return before

    def find_stores(self, agent_id: AgentId, wanted: Sequence[tuple[StoreKind, Audience]]) -> tuple[StoreRecord, ...]:
        """Return the stores of exactly these kinds and audiences, in the order wanted."""
        with self.memory.lock:
            found = [find_store(self.memory.cell(agent_id), kind, audience) for kind, audience in wanted]
            return tuple(store for store in found if store is not None)

    def add_store(self, store: StoreRecord, policy: Policy) -> StoreRecord:
        """Add a store with its placement policy; return the one that was there first, if any."""
        with self.memory.lock:
            cell = self.memory.cell(store.facts.agent_id)
            present = find_store(cell, store.facts.kind, store.facts.audience)
            if present is not None:
                return present
            if store.facts.store_id in cell.stores or policy.policy_id in cell.policies:
                raise MovedError("the id is taken")
            cell.stores[store.facts.store_id] = store
            cell.changes[store.facts.store_id] = 0
            cell.policies[policy.policy_id] = policy
            return store

    def load_policies(self, agent_id: AgentId, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
        """Return those of `ids` that exist, at their current revision."""
        with self.memory.lock:
            policies = self.memory.cell(agent_id).policies
            return MappingProxyType({key: policies[key] for key in ids if key in policies})

    def amend(self, commit: AmendCommit) -> AuthorityRevision:
        """Put a policy's next revision in force; return the cell's new authority revision."""
        with self.memory.lock:
            cell = self.memory.cell(commit.agent_id)
            cell.expect(commit.expected)
            current = cell.policies.get(commit.policy.policy_id)
            if commit.policy.policy_revision != (1 if current is None else current.policy_revision + 1):
                raise MovedError("the policy has moved on")
            cell.policies[commit.policy.policy_id] = commit.policy
            change_dependents(cell, commit.policy.policy_id)
            cell.log(commit.record)
            return cell.advance_authority()


def find_store(cell: Cell, kind: StoreKind, audience: Audience) -> StoreRecord | None:
    """Return the store of this kind and audience."""
    for store in cell.stores.values():
        if (store.facts.kind, store.facts.audience) == (kind, audience):
            return store
    return None


def change_dependents(cell: Cell, policy_id: PolicyId) -> None:
    """Give every row that inherited the policy its store's next change number, in their order."""
    for revision in sorted(cell.revisions.values(), key=lambda row: row.change):
        if policy_id in {requirement.policy_id for requirement in revision.requirements}:
            cell.change(revision)
