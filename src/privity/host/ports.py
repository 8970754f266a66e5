"""What the host asks of storage. Every method is one durable transaction.

A failing disk raises `StorageFailedError`, having changed nothing. A method that withdraws
something also raises the host-facts epoch of every agent in the same transaction: the
withdrawal holds at once, and an epoch above `settled_epoch` is what is left to be told.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from privity.host.records import (
    AgentRecord,
    AuditEntry,
    BindingRecord,
    ConversationRecord,
    Freshness,
    Head,
    HostAuditRecord,
    MappedSession,
    Observation,
    PrincipalRecord,
    SessionRecord,
    Window,
)
from privity.model.audit import AuditRecord
from privity.model.ids import (
    AgentId,
    GroupId,
    HostFactsRevision,
    PrincipalId,
    SessionId,
    SessionKey,
)


class IdentityStore(Protocol):
    """Principals and the bindings of senders to them."""

    def add_principal(self, principal: PrincipalRecord) -> None:
        """Add a principal."""
        ...

    def find_head(self, principal_id: PrincipalId) -> Head | None:
        """Return who `principal_id` is now, or `None` if there never was such a principal."""
        ...

    def list_principals(self, after: PrincipalId | None, limit: int) -> tuple[PrincipalRecord, ...]:
        """Return up to `limit` principals in the order of their ids, after one of them."""
        ...

    def find_bindings(self, sender_key: str) -> tuple[BindingRecord, ...]:
        """Return every binding of one sender, revoked ones too, oldest first."""
        ...

    def find_binding(self, binding_id: str) -> BindingRecord | None:
        """Return one binding, a revoked one too."""
        ...

    def add_binding(self, binding: BindingRecord) -> None:
        """Add a binding beside whatever the sender has."""
        ...

    def bind_first(self, principal: PrincipalRecord, binding: BindingRecord) -> tuple[BindingRecord, ...]:
        """Add `binding` and its new principal, unless its sender ever had a binding.

        Returns every binding of the sender, so that of two first contacts one wins.
        """
        ...

    def list_bindings(self, principal_ids: Sequence[PrincipalId]) -> tuple[BindingRecord, ...]:
        """Return every binding of these principals, revoked ones too, oldest first."""
        ...


class Withdrawals(Protocol):
    """What takes authority away. Each raises every agent's epoch in its own transaction.

    Each returns whether anything changed; a second call changes nothing.
    """

    def revoke_principal(self, principal_id: PrincipalId) -> bool:
        """Revoke one principal, by its own id: whoever is merged into it falls with it."""
        ...

    def revoke_binding(self, binding_id: str, at: datetime) -> bool:
        """Revoke one binding."""
        ...

    def merge(self, source: PrincipalId, head: PrincipalId) -> bool:
        """Make `head` the merge head of `source` and of all that was merged into it.

        Both must be merge heads now, and two; otherwise nothing changes.
        """
        ...

    def depart(self, group_id: GroupId, principal_ids: Sequence[PrincipalId], at: datetime) -> bool:
        """Record that these principals left a group at `at`; an earlier time never replaces a later one."""
        ...

    def name_owner(self, conversation_id: PrincipalId, owner_id: PrincipalId | None) -> bool:
        """Name the owner of a conversation."""
        ...


class Roster(Protocol):
    """Conversations, and who belongs to what, as expiring evidence."""

    def add_conversation(self, conversation: ConversationRecord) -> ConversationRecord:
        """Add a conversation; return the one that was there first, if any."""
        ...

    def find_conversation(self, conversation_key: str) -> ConversationRecord | None:
        """Return the conversation of a key."""
        ...

    def load_conversation(self, conversation_id: PrincipalId) -> ConversationRecord | None:
        """Return one conversation."""
        ...

    def list_conversations(self, after: PrincipalId | None, limit: int) -> tuple[ConversationRecord, ...]:
        """Return up to `limit` conversations in the order of their ids, after one of them."""
        ...

    def observe(self, observation: Observation) -> None:
        """Record evidence; of one provider the latest observation stands. `left_at` is ignored."""
        ...

    def list_memberships(self, principal_ids: Sequence[PrincipalId]) -> tuple[Observation, ...]:
        """Return all evidence about these principals, who are one person, expired or left as it may be.

        `left_at` is when any of them last left the group.
        """
        ...

    def list_members(self, group_id: GroupId) -> tuple[Observation, ...]:
        """Return all evidence about one group, expired or left as it may be."""
        ...


class SessionLedger(Protocol):
    """Sessions, written once, and the window each session key maps to now."""

    def open_session(self, record: SessionRecord, window: Window) -> MappedSession:
        """Add a session with its first window; return what was there first, if anything."""
        ...

    def find_session(self, agent_id: AgentId, session_key: SessionKey) -> MappedSession | None:
        """Return a session and its current window."""
        ...

    def remap(self, agent_id: AgentId, session_key: SessionKey, expected: SessionId, window: Window) -> bool:
        """Map the key to `window` if it still maps to `expected`; say whether it did."""
        ...

    def settle_window(self, agent_id: AgentId, session_id: SessionId) -> None:
        """Record that the window has taken over what it inherits."""
        ...

    def list_sessions(self, agent_id: AgentId, after: SessionKey | None, limit: int) -> tuple[MappedSession, ...]:
        """Return up to `limit` sessions in the order of their keys, after one of them."""
        ...


class AgentRegistry(Protocol):
    """Agents, and the host-facts epoch of each."""

    def add_agent(self, agent: AgentRecord) -> AgentRecord:
        """Add an agent; return the one that has its name already, if any."""
        ...

    def find_agent(self, name: str) -> AgentRecord | None:
        """Return the agent of this name."""
        ...

    def load_agent(self, agent_id: AgentId) -> AgentRecord | None:
        """Return one agent."""
        ...

    def list_agents(self) -> tuple[AgentRecord, ...]:
        """Return all agents, oldest first."""
        ...

    def settle_epoch(self, agent_id: AgentId, epoch: HostFactsRevision) -> None:
        """Record that the plugin durably holds `epoch`; a lower one changes nothing."""
        ...

    def raise_epoch(self, agent_id: AgentId, epoch: HostFactsRevision) -> None:
        """Raise the host-facts epoch of one agent to `epoch`; a lower one changes nothing."""
        ...


class Admissions(Protocol):
    """Which events were let in lately."""

    def admit(self, admission_key: str, now: datetime, until: datetime) -> Freshness:
        """Remember `admission_key` until `until`, or say that it is remembered already."""
        ...


class AuditSink(Protocol):
    """The home's audit. Rows are added and never changed."""

    def append(self, record: HostAuditRecord) -> None:
        """Add one act of the host."""
        ...

    def append_drained(self, agent_id: AgentId, records: Sequence[AuditRecord]) -> int:
        """Add rows of an agent's outbox; those already here are skipped. Returns how many were new."""
        ...

    def drained(self, agent_id: AgentId) -> int:
        """Return the sequence up to which an agent's outbox was drained, 0 for none."""
        ...

    def list_entries(self, limit: int, after: int) -> tuple[AuditEntry, ...]:
        """Return up to `limit` rows after sequence `after`, oldest first."""
        ...


class HostStores(Protocol):
    """Everything the host keeps, opened on one home."""

    @property
    def identities(self) -> IdentityStore:
        """Principals and bindings."""
        ...

    @property
    def withdrawals(self) -> Withdrawals:
        """What takes authority away."""
        ...

    @property
    def roster(self) -> Roster:
        """Conversations and memberships."""
        ...

    @property
    def sessions(self) -> SessionLedger:
        """Sessions and windows."""
        ...

    @property
    def agents(self) -> AgentRegistry:
        """Agents and epochs."""
        ...

    @property
    def admissions(self) -> Admissions:
        """Events let in."""
        ...

    @property
    def audit(self) -> AuditSink:
        """The audit."""
        ...

    @property
    def changes(self) -> int:
        """A number that is another one once a write has returned, whatever it wrote.

        One process owns a home, so nothing changes behind it.
        """
        ...
