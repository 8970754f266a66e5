"""Host-facts epochs: nothing that was withdrawn is acknowledged before every cell knows."""

from privity.host import gate
from privity.host.ports import AgentRegistry
from privity.host.records import AgentRecord
from privity.sdk.plugin import Upkeep


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
                self.tell(agent)

    def tell(self, agent: AgentRecord) -> None:
        """Raise the epoch of one cell, then note that it was."""
        epoch = agent.host_facts_epoch
        gate.listen(lambda: self._upkeep.advance_host_facts(agent.agent_id, epoch))
        self._agents.settle_epoch(agent.agent_id, epoch)
