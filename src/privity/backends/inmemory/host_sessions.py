"""Conversations, memberships, sessions and windows, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from privity.backends.inmemory.host_memory import HostMemory
from privity.host.records import ConversationRecord, MappedSession, Observation, SessionRecord, Window
from privity.model.ids import AgentId, GroupId, PrincipalId, SessionId, SessionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRoster:
    """Implement `privity.host.ports.Roster`."""

    memory: HostMemory

    def add_conversation(self, conversation: ConversationRecord) -> ConversationRecord:
        """Add a conversation; return the one that was there first, if any."""
        with self.memory.writing():
            found = self.find_conversation(conversation.conversation_key)
            if found is not None:
                return found
            self.memory.conversations[conversation.conversation_id] = conversation
            return conversation

    def find_conversation(self, conversation_key: str) -> ConversationRecord | None:
        """Return the conversation of a key."""
        with self.memory.lock:
            known = self.memory.conversations.values()
            return next((one for one in known if one.conversation_key == conversation_key), None)

    def load_conversation(self, conversation_id: PrincipalId) -> ConversationRecord | None:
        """Return one conversation."""
        with self.memory.lock:
            return self.memory.conversations.get(conversation_id)

    def list_conversations(self, after: PrincipalId | None, limit: int) -> tuple[ConversationRecord, ...]:
        """Return up to `limit` conversations in the order of their ids."""
        with self.memory.lock:
            ids = sorted(one for one in self.memory.conversations if after is None or one > after)
            return tuple(self.memory.conversations[one] for one in ids[:limit])

    def observe(self, observation: Observation) -> None:
        """Record evidence; of one provider the latest observation stands."""
        name = (observation.group_id, observation.principal_id, observation.provider)
        with self.memory.writing():
            found = self.memory.observations.get(name)
            if found is None or found.observed_at <= observation.observed_at:
                self.memory.observations[name] = replace(observation, left_at=None)

    def list_memberships(self, principal_ids: Sequence[PrincipalId]) -> tuple[Observation, ...]:
        """Return all evidence about these principals, who are one person."""
        with self.memory.lock:
            return tuple(
                replace(one, left_at=self._left(one.group_id, principal_ids))
                for _, one in sorted(self.memory.observations.items())
                if one.principal_id in principal_ids
            )

    def list_members(self, group_id: GroupId) -> tuple[Observation, ...]:
        """Return all evidence about one group."""
        with self.memory.lock:
            return tuple(
                replace(one, left_at=self._left(group_id, (one.principal_id,)))
                for _, one in sorted(self.memory.observations.items())
                if one.group_id == group_id
            )

    def _left(self, group_id: GroupId, principal_ids: Sequence[PrincipalId]) -> datetime | None:
        """Return when any of these principals last left a group."""
        found = (self.memory.departures.get((group_id, one)) for one in principal_ids)
        return max((at for at in found if at is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySessions:
    """Implement `privity.host.ports.SessionLedger`."""

    memory: HostMemory

    def open_session(self, record: SessionRecord, window: Window) -> MappedSession:
        """Add a session with its first window; return what was there first, if anything."""
        name = (record.agent_id, record.session_key)
        with self.memory.writing():
            if name not in self.memory.sessions:
                self.memory.sessions[name] = record
                self.memory.windows[name] = window
            return MappedSession(record=self.memory.sessions[name], window=self.memory.windows[name])

    def find_session(self, agent_id: AgentId, session_key: SessionKey) -> MappedSession | None:
        """Return a session and its current window."""
        name = (agent_id, session_key)
        with self.memory.lock:
            if name not in self.memory.sessions:
                return None
            return MappedSession(record=self.memory.sessions[name], window=self.memory.windows[name])

    def remap(self, agent_id: AgentId, session_key: SessionKey, expected: SessionId, window: Window) -> bool:
        """Map the key to `window` if it still maps to `expected`."""
        name = (agent_id, session_key)
        with self.memory.writing():
            current = self.memory.windows.get(name)
            if current is None or current.session_id != expected:
                return False
            self.memory.windows[name] = window
            return True

    def settle_window(self, agent_id: AgentId, session_id: SessionId) -> None:
        """Record that the window has taken over what it inherits."""
        with self.memory.writing():
            for name, window in self.memory.windows.items():
                if name[0] == agent_id and window.session_id == session_id:
                    self.memory.windows[name] = replace(window, inherits_from=None)

    def list_sessions(self, agent_id: AgentId, after: SessionKey | None, limit: int) -> tuple[MappedSession, ...]:
        """Return up to `limit` sessions in the order of their keys."""
        with self.memory.lock:
            names = sorted(n for n in self.memory.sessions if n[0] == agent_id and (after is None or n[1] > after))
            return tuple(
                MappedSession(record=self.memory.sessions[name], window=self.memory.windows[name])
                for name in names[:limit]
            )
