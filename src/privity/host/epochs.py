"""Host-facts epochs: nothing that was withdrawn is acknowledged before every cell knows."""

from typing import Final

from privity.host import gate
from privity.host.ports import AgentRegistry
from privity.host.records import AgentRecord
from privity.model.ids import HostFactsRevision
from privity.sdk.errors import HomePartedError
from privity.sdk.plugin import Upkeep

NOTHING: Final = HostFactsRevision(0)
"""An epoch that every cell has reached: telling it changes nothing, and the cell says which it has."""

REMEDY: Final = (
    "restore both from one backup; where there is none, run `privity doctor --rejoin` and withdraw again "
    "what was withdrawn or denied since the older of them was copied"
)


class Epochs:
    """Tells the plugin of epochs that were raised.

    A withdrawal raises the epochs in its own transaction, so that one interrupted before
    this is found again by `settle`, which the host also runs when it starts.
    """

    def __init__(self, agents: AgentRegistry, upkeep: Upkeep) -> None:
        self._agents = agents
        self._upkeep = upkeep

    def settle(self) -> None:
        """Raise the epoch of every cell that lags behind, durably.

        Raises:
            UnavailableError: a cell could not be told. The withdrawal holds; it is not acknowledged.
        """
        for agent in self._agents.list_agents():
            if agent.host_facts_epoch > agent.settled_epoch:
                self.tell(agent, agent.host_facts_epoch)

    def require_matching(self) -> None:
        """Refuse a host that is older than what one of its cells has seen, and a cell older than what it was told.

        An older host has lost withdrawals, and an older cell has lost what was forgotten or
        denied in it. Neither may serve anybody as if nothing had happened.

        Raises:
            HomePartedError: the host and a cell are not of one moment.
        """
        if any(not matches(agent, self.held(agent)) for agent in self._agents.list_agents()):
            raise HomePartedError("the host and the vault of this home are from different moments", remedy=REMEDY)

    def rejoin(self) -> tuple[AgentRecord, ...]:
        """Let the host and its cells start anew from one epoch that neither had, and return the agents parted."""
        parted = [(agent, self.held(agent)) for agent in self._agents.list_agents()]
        parted = [(agent, held) for agent, held in parted if not matches(agent, held)]
        for agent, held in parted:
            epoch = HostFactsRevision(max(held, agent.host_facts_epoch) + 1)
            self._agents.raise_epoch(agent.agent_id, epoch)
            self.tell(agent, epoch)
        return tuple(agent for agent, _ in parted)

    def held(self, agent: AgentRecord) -> HostFactsRevision:
        """Return the epoch that a cell has durably seen."""
        return gate.listen(lambda: self._upkeep.advance_host_facts(agent.agent_id, NOTHING))

    def tell(self, agent: AgentRecord, epoch: HostFactsRevision) -> None:
        """Raise the epoch of one cell, then note that it was."""
        gate.listen(lambda: self._upkeep.advance_host_facts(agent.agent_id, epoch))
        self._agents.settle_epoch(agent.agent_id, epoch)


def matches(agent: AgentRecord, held: HostFactsRevision) -> bool:
    """A cell has seen what it was told, and at most what the host is about to tell."""
    return agent.settled_epoch <= held <= agent.host_facts_epoch
