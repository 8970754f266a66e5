"""The host's rows in memory: the oracle's tables, under one lock."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import RLock

from privity.host.records import (
    AgentRecord,
    AuditEntry,
    BindingRecord,
    ConversationRecord,
    Head,
    Observation,
    PrincipalRecord,
    SessionRecord,
    Window,
)
from privity.model.ids import AgentId, GroupId, HostFactsRevision, PrincipalId, SessionKey

SessionName = tuple[AgentId, SessionKey]


@dataclass(kw_only=True)
class HostMemory:
    """Every table of a host. Whoever touches one holds `lock`."""

    lock: RLock = field(default_factory=RLock)
    changes: int = 0
    principals: dict[PrincipalId, PrincipalRecord] = field(default_factory=dict[PrincipalId, PrincipalRecord])
    bindings: list[BindingRecord] = field(default_factory=list[BindingRecord])
    conversations: dict[PrincipalId, ConversationRecord] = field(default_factory=dict[PrincipalId, ConversationRecord])
    observations: dict[tuple[GroupId, PrincipalId, str], Observation] = field(
        default_factory=dict[tuple[GroupId, PrincipalId, str], Observation]
    )
    departures: dict[tuple[GroupId, PrincipalId], datetime] = field(
        default_factory=dict[tuple[GroupId, PrincipalId], datetime]
    )
    sessions: dict[SessionName, SessionRecord] = field(default_factory=dict[SessionName, SessionRecord])
    windows: dict[SessionName, Window] = field(default_factory=dict[SessionName, Window])
    agents: dict[AgentId, AgentRecord] = field(default_factory=dict[AgentId, AgentRecord])
    admissions: dict[str, datetime] = field(default_factory=dict[str, datetime])
    audit: list[AuditEntry] = field(default_factory=list[AuditEntry])
    drained: dict[AgentId, int] = field(default_factory=dict[AgentId, int])

    @contextmanager
    def writing(self) -> Generator[None]:
        """Change something, one thread at a time."""
        with self.lock:
            yield
            self.changes += 1

    def head(self, principal_id: PrincipalId) -> Head | None:
        """Return who a principal is now."""
        found = self.principals.get(principal_id)
        if found is None:
            return None
        head = found if found.merged_into is None else self.principals[found.merged_into]
        merged = (one.principal_id for one in self.principals.values() if one.merged_into == head.principal_id)
        return Head(principal=head, merged_ids=tuple(sorted(merged)))

    def raise_epochs(self) -> None:
        """Raise the host-facts epoch of every agent."""
        for agent_id, agent in self.agents.items():
            raised = HostFactsRevision(agent.host_facts_epoch + 1)
            self.agents[agent_id] = replace(agent, host_facts_epoch=raised)
