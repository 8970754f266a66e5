"""The trail: what the host itself did or refused, beside what each agent's outbox says."""

from typing import Final

from privity.host import gate
from privity.host.inputs import parse_page, parse_position
from privity.host.ports import AgentRegistry, AuditSink
from privity.host.records import AuditEntry, HostAct, HostAuditRecord
from privity.model.audit import Explanation
from privity.model.ids import AgentId, DecisionId, PrincipalId
from privity.model.reasons import Reason
from privity.sdk.ambient import Clock
from privity.sdk.plugin import Upkeep

DRAIN_ROWS: Final = 500


class Trail:
    """Writes the host's acts, drains the plugin's outboxes and reads both back."""

    def __init__(self, sink: AuditSink, agents: AgentRegistry, upkeep: Upkeep, clock: Clock) -> None:
        self._sink = sink
        self._agents = agents
        self._upkeep = upkeep
        self._clock = clock

    def note(
        self,
        act: HostAct,
        *,
        agent_id: AgentId | None = None,
        actor_id: PrincipalId | None = None,
        target_ids: tuple[str, ...] = (),
        reason: Reason | None = None,
        justification: str = "",
    ) -> None:
        """Write one act of the host."""
        record = HostAuditRecord(
            act=act,
            agent_id=agent_id,
            actor_id=actor_id,
            target_ids=target_ids,
            reason=reason,
            justification=justification,
            at=self._clock.now(),
        )
        self._sink.append(record)

    def drain(self) -> int:
        """Copy what is new in every outbox into the audit; return how many rows that was."""
        return sum(self.drain_agent(agent.agent_id) for agent in self._agents.list_agents())

    def drain_agent(self, agent_id: AgentId) -> int:
        """Copy what is new in one outbox. A row that arrives twice is written once."""
        drained = 0
        while True:
            after = self._sink.drained(agent_id)
            records = gate.listen(lambda mark=after: self._upkeep.pull_outbox(agent_id, mark, DRAIN_ROWS))
            drained += self._sink.append_drained(agent_id, records)
            if len(records) < DRAIN_ROWS:
                return drained

    def entries(self, limit: int, after: int, reader: PrincipalId) -> tuple[AuditEntry, ...]:
        """Return up to `limit` rows after one of them, oldest first. Looking is itself recorded.

        Raises:
            InputError: `limit` or `after` is out of range.
        """
        entries = self._sink.list_entries(parse_page(limit), parse_position(after))
        self.note(HostAct.AUDIT_SEEN, actor_id=reader)
        return entries

    def explain(self, decision_id: DecisionId) -> Explanation | None:
        """Return why one decision of any agent came out as it did."""
        for agent in self._agents.list_agents():
            agent_id = agent.agent_id
            found = gate.listen(lambda cell=agent_id: self._upkeep.explain(cell, decision_id))
            if found is not None:
                return found
        return None
