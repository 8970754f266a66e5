"""What an operator sees of a home at a glance: numbers and modes, no content and no names of people."""

from collections.abc import Mapping
from dataclasses import dataclass

from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.options import Mode
from privity.ops.isolation import SUPPORTED
from privity.sdk.plugin import CellHealth


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStatus:
    """One agent and the numbers of its cell."""

    agent: Agent
    health: CellHealth


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A home and its agents."""

    mode: Mode
    agents: tuple[AgentStatus, ...]


def status_of(host: Host) -> Status:
    """Return how a home is."""
    agents = tuple(AgentStatus(agent=agent, health=host.health(agent)) for agent in host.agents())
    return Status(mode=host.mode, agents=agents)


def status_fields(status: Status) -> Mapping[str, object]:
    """Return a status for a program."""
    return {
        "mode": status.mode,
        "isolation_level": SUPPORTED,
        "agents": [agent_fields(agent) for agent in status.agents],
    }


def agent_fields(status: AgentStatus) -> Mapping[str, object]:
    """Return one agent for a program."""
    health = status.health
    return {
        "agent": status.agent.name,
        "agent_id": status.agent.agent_id,
        "stores": dict(health.stores),
        "revisions": dict(health.revisions),
        "events": health.events,
        "outbox": health.outbox,
        "counters": dict(health.counters),
        "host_facts_revision": health.host_facts_revision,
    }


def status_lines(status: Status) -> tuple[str, ...]:
    """Return a status for a person."""
    warning = ("in an evaluation home the operator's word stands for proof",) if is_evaluation(status.mode) else ()
    return (
        f"mode        {status.mode}",
        f"isolation   {SUPPORTED}",
        *(f"            {line}" for line in warning),
        *(line for agent in status.agents for line in agent_lines(agent)),
        *(() if status.agents else ("agents      none; add one with `privity agent add NAME`",)),
    )


def agent_lines(status: AgentStatus) -> tuple[str, ...]:
    """Return one agent for a person."""
    health = status.health
    return (
        f"agent       {status.agent.name}  ({status.agent.agent_id})",
        f"  stores    {counted(health.stores)}",
        f"  revisions {counted(health.revisions)}",
        f"  events    {health.events}",
    )


def counted(counts: Mapping[str, int]) -> str:
    """Return counts by name on one line."""
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()) if number) or "none"


def is_evaluation(mode: Mode) -> bool:
    """An operator's attestation stands for verification in such a home."""
    return mode is Mode.EVALUATION
