"""Agents, admissions and the audit in memory, and the whole of a host's stores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from privity.backends.inmemory.host_identities import MemoryIdentities, MemoryWithdrawals
from privity.backends.inmemory.host_memory import HostMemory
from privity.backends.inmemory.host_sessions import MemoryRoster, MemorySessions
from privity.host.records import AgentRecord, AuditEntry, Freshness, HostAuditRecord
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, HostFactsRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAgents:
    """Implement `privity.host.ports.AgentRegistry`."""

    memory: HostMemory

    def add_agent(self, agent: AgentRecord) -> AgentRecord:
        """Add an agent; return the one that has its name already, if any."""
        with self.memory.writing():
            found = self.find_agent(agent.name)
            if found is not None:
                return found
            self.memory.agents[agent.agent_id] = agent
            return agent

    def find_agent(self, name: str) -> AgentRecord | None:
        """Return the agent of this name."""
        with self.memory.lock:
            return next((agent for agent in self.memory.agents.values() if agent.name == name), None)

    def load_agent(self, agent_id: AgentId) -> AgentRecord | None:
        """Return one agent."""
        with self.memory.lock:
            return self.memory.agents.get(agent_id)

    def list_agents(self) -> tuple[AgentRecord, ...]:
        """Return all agents, oldest first."""
        with self.memory.lock:
            return tuple(self.memory.agents.values())

    def settle_epoch(self, agent_id: AgentId, epoch: HostFactsRevision) -> None:
        """Record that the plugin durably holds `epoch`; a lower one changes nothing."""
        with self.memory.writing():
            agent = self.memory.agents[agent_id]
            self.memory.agents[agent_id] = replace(agent, settled_epoch=max(agent.settled_epoch, epoch))

    def raise_epoch(self, agent_id: AgentId, epoch: HostFactsRevision) -> None:
        """Raise the host-facts epoch of one agent to `epoch`; a lower one changes nothing."""
        with self.memory.writing():
            agent = self.memory.agents[agent_id]
            self.memory.agents[agent_id] = replace(agent, host_facts_epoch=max(agent.host_facts_epoch, epoch))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAdmissions:
    """Implement `privity.host.ports.Admissions`."""

    memory: HostMemory

    def admit(self, admission_key: str, now: datetime, until: datetime) -> Freshness:
        """Remember `admission_key` until `until`, or say that it is remembered already."""
        with self.memory.writing():
            kept = {key: end for key, end in self.memory.admissions.items() if end > now}
            self.memory.admissions = kept
            if admission_key in kept:
                return Freshness.REPLAYED
            kept[admission_key] = until
            return Freshness.FRESH


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAudit:
    """Implement `privity.host.ports.AuditSink`."""

    memory: HostMemory

    def append(self, record: HostAuditRecord) -> None:
        """Add one act of the host."""
        self._add(record)

    def append_drained(self, agent_id: AgentId, records: Sequence[AuditRecord]) -> int:
        """Add rows of an agent's outbox; those already here are skipped."""
        with self.memory.writing():
            new = [record for record in records if record.sequence > self.drained(agent_id)]
            for record in new:
                self._add(record)
                self.memory.drained[agent_id] = record.sequence
            return len(new)

    def drained(self, agent_id: AgentId) -> int:
        """Return the sequence up to which an agent's outbox was drained."""
        with self.memory.lock:
            return self.memory.drained.get(agent_id, 0)

    def list_entries(self, limit: int, after: int) -> tuple[AuditEntry, ...]:
        """Return up to `limit` rows after sequence `after`, oldest first."""
        with self.memory.lock:
            return tuple(self.memory.audit[after : after + limit])

    def _add(self, record: AuditRecord | HostAuditRecord) -> None:
        """Number a row and keep it."""
        with self.memory.writing():
            self.memory.audit.append(AuditEntry(sequence=len(self.memory.audit) + 1, record=record))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHostStores:
    """Implement `privity.host.ports.HostStores`."""

    memory: HostMemory
    identities: MemoryIdentities
    withdrawals: MemoryWithdrawals
    roster: MemoryRoster
    sessions: MemorySessions
    agents: MemoryAgents
    admissions: MemoryAdmissions
    audit: MemoryAudit

    @property
    def changes(self) -> int:
        """A number that is another one after every write."""
        return self.memory.changes


def open_host_memory() -> MemoryHostStores:
    """Return empty stores of a host."""
    memory = HostMemory()
    return MemoryHostStores(
        memory=memory,
        identities=MemoryIdentities(memory=memory),
        withdrawals=MemoryWithdrawals(memory=memory),
        roster=MemoryRoster(memory=memory),
        sessions=MemorySessions(memory=memory),
        agents=MemoryAgents(memory=memory),
        admissions=MemoryAdmissions(memory=memory),
        audit=MemoryAudit(memory=memory),
    )
