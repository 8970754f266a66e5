"""The audit outbox, in the catalog of each agent."""

from dataclasses import dataclass, replace

from privity.backends.sqlite import codec, queries, rows
from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.database import Row
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, DecisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteOutbox:
    """Implement `privity.engine.ports.Outbox`."""

    cells: Cells

    def record(self, record: AuditRecord) -> None:
        """Commit a record that stands alone, such as a denial."""
        encoded = codec.dump(record, AuditRecord)
        with self.cells.writing(record.agent_id) as database, database.grouped_transaction():
            rows.log(database, record.agent_id, record, encoded)

    def pull(self, agent_id: AgentId, after: int, limit: int) -> tuple[AuditRecord, ...]:
        """Return records after sequence `after`, oldest first."""
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.PULL_RECORDS, {"after": after, "limit": max(limit, 0)})
        return tuple(map(record_of, found))

    def find_record(self, agent_id: AgentId, decision_id: DecisionId) -> AuditRecord | None:
        """Return the record of one decision, the first where it was recorded twice."""
        with self.cells.reading(agent_id) as database:
            row = database.row(queries.FIND_RECORD, {"decision_id": decision_id})
        return None if row is None else record_of(row)


def record_of(row: Row) -> AuditRecord:
    """Return a numbered record."""
    return replace(codec.load(row[1], AuditRecord), sequence=row[0])
