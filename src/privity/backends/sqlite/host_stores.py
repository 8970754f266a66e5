"""Agents, admissions and the audit in a host's database, and the whole of a host's stores."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from privity.backends.sqlite import codec
from privity.backends.sqlite import host_queries as queries
from privity.backends.sqlite import host_rows as rows
from privity.backends.sqlite.codec import to_micros
from privity.backends.sqlite.database import Bindings, Database, Row
from privity.backends.sqlite.failures import storage_failures
from privity.backends.sqlite.files import make_directory
from privity.backends.sqlite.host_database import HostDatabase, open_host_database
from privity.backends.sqlite.host_facts import KnownFacts
from privity.backends.sqlite.host_identities import SqliteIdentities, SqliteWithdrawals
from privity.backends.sqlite.host_sessions import SqliteRoster, SqliteSessions
from privity.backends.sqlite.modes import require_private
from privity.host.records import AgentRecord, AuditEntry, Freshness, HostAuditRecord
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, HostFactsRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What a home was made for, and a digest by which its own key is known."""

    word: str
    key_check: str


class Writer(StrEnum):
    """Who wrote a row of the audit."""

    HOST = "host"
    OUTBOX = "outbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteAgents:
    """Implement `privity.host.ports.AgentRegistry`."""

    host: HostDatabase
    agents: KnownFacts[AgentId, AgentRecord | None] = field(default_factory=KnownFacts[AgentId, AgentRecord | None])

    def add_agent(self, agent: AgentRecord) -> AgentRecord:
        """Add an agent; return the one that has its name already, if any."""
        added = rows.agent_bindings(agent)
        with self.host.writing() as database:
            database.run(queries.ADD_AGENT, added)
            found = database.row(queries.FIND_AGENT, {"name": agent.name})
        return agent if found is None else rows.agent_of(found)

    def find_agent(self, name: str) -> AgentRecord | None:
        """Return the agent of this name."""
        with self.host.reading() as database:
            found = database.row(queries.FIND_AGENT, {"name": name})
        return None if found is None else rows.agent_of(found)

    def load_agent(self, agent_id: AgentId) -> AgentRecord | None:
        """Return one agent."""
        return self.agents.load(self.host, agent_id, lambda database: load_agent(database, agent_id))

    def list_agents(self) -> tuple[AgentRecord, ...]:
        """Return all agents, oldest first."""
        with self.host.reading() as database:
            return tuple(rows.agent_of(row) for row in database.rows(queries.LIST_AGENTS))

    def settle_epoch(self, agent_id: AgentId, epoch: HostFactsRevision) -> None:
        """Record that the plugin durably holds `epoch`; a lower one changes nothing."""
        with self.host.writing() as database:
            database.run(queries.SETTLE_EPOCH, {"agent_id": agent_id, "epoch": epoch})

    def raise_epoch(self, agent_id: AgentId, epoch: HostFactsRevision) -> None:
        """Raise the host-facts epoch of one agent to `epoch`; a lower one changes nothing."""
        with self.host.writing() as database:
            database.run(queries.RAISE_EPOCH, {"agent_id": agent_id, "epoch": epoch})


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteAdmissions:
    """Implement `privity.host.ports.Admissions`."""

    host: HostDatabase

    def admit(self, admission_key: str, now: datetime, until: datetime) -> Freshness:
        """Remember `admission_key` until `until`, or say that it is remembered already."""
        added: Bindings = {"admission_key": admission_key, "until": to_micros(until)}
        with self.host.writing() as database:
            database.run(queries.FORGET_ADMISSIONS, {"now": to_micros(now)})
            fresh = database.row(queries.ADMIT, added) is not None
        return Freshness.FRESH if fresh else Freshness.REPLAYED


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteAudit:
    """Implement `privity.host.ports.AuditSink`."""

    host: HostDatabase

    def append(self, record: HostAuditRecord) -> None:
        """Add one act of the host."""
        added: Bindings = {
            "source": Writer.HOST,
            "agent_id": record.agent_id,
            "outbox_sequence": None,
            "record": codec.dump(record, HostAuditRecord),
        }
        with self.host.writing() as database:
            database.row(queries.ADD_AUDIT, added)

    def append_drained(self, agent_id: AgentId, records: Sequence[AuditRecord]) -> int:
        """Add rows of an agent's outbox; those already here are skipped."""
        added: list[Bindings] = [
            {
                "source": Writer.OUTBOX,
                "agent_id": agent_id,
                "outbox_sequence": record.sequence,
                "record": codec.dump(record, AuditRecord),
            }
            for record in records
        ]
        with self.host.writing() as database:
            return sum(database.row(queries.ADD_AUDIT, row) is not None for row in added)

    def drained(self, agent_id: AgentId) -> int:
        """Return the sequence up to which an agent's outbox was drained."""
        with self.host.reading() as database:
            found = database.rows(queries.DRAINED, {"agent_id": agent_id})
        return int(found[0][0])

    def list_entries(self, limit: int, after: int) -> tuple[AuditEntry, ...]:
        """Return up to `limit` rows after sequence `after`, oldest first."""
        with self.host.reading() as database:
            found = database.rows(queries.LIST_AUDIT, {"after": after, "limit": limit})
        return tuple(entry_of(row) for row in found)


def load_agent(database: Database, agent_id: AgentId) -> AgentRecord | None:
    """Return one agent."""
    found = database.row(queries.LOAD_AGENT, {"agent_id": agent_id})
    return None if found is None else rows.agent_of(found)


def entry_of(row: Row) -> AuditEntry:
    """Return a row of the audit."""
    if row[1] == Writer.HOST:
        return AuditEntry(sequence=row[0], record=codec.load(row[2], HostAuditRecord))
    return AuditEntry(sequence=row[0], record=codec.load(row[2], AuditRecord))


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteHostStores:
    """Implement `privity.host.ports.HostStores`."""

    host: HostDatabase
    identities: SqliteIdentities
    withdrawals: SqliteWithdrawals
    roster: SqliteRoster
    sessions: SqliteSessions
    agents: SqliteAgents
    admissions: SqliteAdmissions
    audit: SqliteAudit

    @property
    def changes(self) -> int:
        """A number that is another one after every write."""
        return self.host.changes

    def stamp(self, stamp: Stamp) -> Stamp:
        """Stamp the home if it bears no stamp yet; return the stamp it bears."""
        with self.host.writing() as database:
            database.run(queries.STAMP, {"stamp": stamp.word, "key_check": stamp.key_check})
            word, key_check = database.rows(queries.FIND_STAMP)[0]
        return Stamp(word=word, key_check=key_check)

    def close(self) -> None:
        """Close the database."""
        self.host.close()


def open_host_stores(directory: Path, *, vfs: str | None = None) -> SqliteHostStores:
    """Open the host's stores in `directory`, made if it is new.

    Raises:
        HomeVersionError: a newer privity wrote it.
        StorageFailedError: the disk fails.
        UnavailableError: others may look into the directory.
    """
    with storage_failures(directory):
        make_directory(directory)
        require_private(directory)
    host = open_host_database(directory / "host.db", vfs=vfs)
    return SqliteHostStores(
        host=host,
        identities=SqliteIdentities(host=host),
        withdrawals=SqliteWithdrawals(host=host),
        roster=SqliteRoster(host=host),
        sessions=SqliteSessions(host=host),
        agents=SqliteAgents(host=host),
        admissions=SqliteAdmissions(host=host),
        audit=SqliteAudit(host=host),
    )
