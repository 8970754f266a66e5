"""Conversations, memberships, sessions and windows, in a host's database."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from privity.backends.sqlite import host_queries as queries
from privity.backends.sqlite import host_rows as rows
from privity.backends.sqlite.database import Database
from privity.backends.sqlite.host_database import HostDatabase
from privity.backends.sqlite.host_facts import KnownFacts
from privity.host.records import ConversationRecord, MappedSession, Observation, SessionRecord, Window
from privity.model.ids import AgentId, GroupId, PrincipalId, SessionId, SessionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteRoster:
    """Implement `privity.host.ports.Roster`."""

    host: HostDatabase
    memberships: KnownFacts[tuple[PrincipalId, ...], tuple[Observation, ...]] = field(
        default_factory=KnownFacts[tuple[PrincipalId, ...], tuple[Observation, ...]]
    )

    def add_conversation(self, conversation: ConversationRecord) -> ConversationRecord:
        """Add a conversation; return the one that was there first, if any."""
        added = rows.conversation_bindings(conversation)
        found = self.find_conversation(conversation.conversation_key)
        if found is None:
            with self.host.writing() as database:
                database.run(queries.ADD_CONVERSATION, added)
            found = self.find_conversation(conversation.conversation_key)
        return found or conversation

    def find_conversation(self, conversation_key: str) -> ConversationRecord | None:
        """Return the conversation of a key."""
        with self.host.reading() as database:
            found = database.row(queries.FIND_CONVERSATION, {"conversation_key": conversation_key})
        return None if found is None else rows.conversation_of(found)

    def load_conversation(self, conversation_id: PrincipalId) -> ConversationRecord | None:
        """Return one conversation."""
        with self.host.reading() as database:
            found = database.row(queries.LOAD_CONVERSATION, {"conversation_id": conversation_id})
        return None if found is None else rows.conversation_of(found)

    def list_conversations(self, after: PrincipalId | None, limit: int) -> tuple[ConversationRecord, ...]:
        """Return up to `limit` conversations in the order of their ids."""
        with self.host.reading() as database:
            found = database.rows(queries.LIST_CONVERSATIONS, {"after": after or "", "limit": limit})
        return tuple(rows.conversation_of(row) for row in found)

    def observe(self, observation: Observation) -> None:
        """Record evidence; of one provider the latest observation stands."""
        added = rows.observation_bindings(observation)
        with self.host.writing() as database:
            database.run(queries.OBSERVE, added)

    def list_memberships(self, principal_ids: Sequence[PrincipalId]) -> tuple[Observation, ...]:
        """Return all evidence about these principals."""
        named = tuple(principal_ids)
        return self.memberships.load(self.host, named, lambda database: list_memberships(database, named))

    def list_members(self, group_id: GroupId) -> tuple[Observation, ...]:
        """Return all evidence about one group."""
        with self.host.reading() as database:
            found = database.rows(queries.LIST_MEMBERS, {"group_id": group_id})
        return tuple(rows.observation_of(row) for row in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteSessions:
    """Implement `privity.host.ports.SessionLedger`."""

    host: HostDatabase
    sessions: KnownFacts[tuple[AgentId, SessionKey], MappedSession | None] = field(
        default_factory=KnownFacts[tuple[AgentId, SessionKey], MappedSession | None]
    )

    def open_session(self, record: SessionRecord, window: Window) -> MappedSession:
        """Add a session with its first window; return what was there first, if anything."""
        added = rows.session_bindings(record, window)
        with self.host.writing() as database:
            found = find_session(database, record.agent_id, record.session_key)
            if found is not None:
                return found
            database.run(queries.ADD_WINDOW, added)
            database.run(queries.ADD_SESSION, added)
            return MappedSession(record=record, window=window)

    def find_session(self, agent_id: AgentId, session_key: SessionKey) -> MappedSession | None:
        """Return a session and its current window."""
        named = (agent_id, session_key)
        return self.sessions.load(self.host, named, lambda database: find_session(database, *named))

    def remap(self, agent_id: AgentId, session_key: SessionKey, expected: SessionId, window: Window) -> bool:
        """Map the key to `window` if it still maps to `expected`."""
        named = {"agent_id": agent_id, "session_key": session_key}
        added = {**named, **rows.window_bindings(window)}
        mapped = {**named, "expected": expected, "session_id": window.session_id}
        with self.host.writing() as database:
            if database.row(queries.REMAP, mapped) is None:
                return False
            database.run(queries.ADD_WINDOW, added)
            return True

    def settle_window(self, agent_id: AgentId, session_id: SessionId) -> None:
        """Record that the window has taken over what it inherits."""
        with self.host.writing() as database:
            database.run(queries.SETTLE_WINDOW, {"agent_id": agent_id, "session_id": session_id})

    def list_sessions(self, agent_id: AgentId, after: SessionKey | None, limit: int) -> tuple[MappedSession, ...]:
        """Return up to `limit` sessions in the order of their keys."""
        with self.host.reading() as database:
            found = database.rows(queries.LIST_SESSIONS, {"agent_id": agent_id, "after": after or "", "limit": limit})
        return tuple(rows.session_of(row) for row in found)


def list_memberships(database: Database, principal_ids: Sequence[PrincipalId]) -> tuple[Observation, ...]:
    """Return all evidence about these principals."""
    found = database.rows(queries.LIST_MEMBERSHIPS, {"principal_ids": json.dumps(list(principal_ids))})
    return tuple(rows.observation_of(row) for row in found)


def find_session(database: Database, agent_id: AgentId, session_key: SessionKey) -> MappedSession | None:
    """Return a session and its current window."""
    found = database.row(queries.FIND_SESSION, {"agent_id": agent_id, "session_key": session_key})
    return None if found is None else rows.session_of(found)
