"""The audit outbox, in memory."""

from dataclasses import dataclass

from privity.backends.inmemory.cell import Memory
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, DecisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryOutbox:
    """Implement `privity.engine.ports.Outbox`."""

    memory: Memory

    def record(self, record: AuditRecord) -> None:
        """Commit a record that stands alone, such as a denial."""
        with self.memory.lock:
            self.memory.cell(record.agent_id).log(record)

    def pull(self, agent_id: AgentId, after: int, limit: int) -> tuple[AuditRecord, ...]:
        """Return records after sequence `after`, oldest first."""
        with self.memory.lock:
            records = [record for record in self.memory.cell(agent_id).outbox if record.sequence > after]
            return tuple(records[: max(limit, 0)])

    def find_record(self, agent_id: AgentId, decision_id: DecisionId) -> AuditRecord | None:
        """Return the record of one decision, the first where it was recorded twice."""
        with self.memory.lock:
            for record in self.memory.cell(agent_id).outbox:
                if record.decision_id == decision_id:
                    return record
            return None
