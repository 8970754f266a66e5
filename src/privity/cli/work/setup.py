"""Commands about the home itself: making it, its agents, its settings and its health."""

import os
from collections.abc import Mapping
from typing import Final

from privity import wiring
from privity.cli.exits import ExitCode
from privity.cli.output import Answer, visible
from privity.cli.work.homes import Place, existing_home, home_path, open_host
from privity.host.options import Mode
from privity.ops.doctor import examine, needs_attention
from privity.ops.findings import Finding, Severity
from privity.ops.modes import narrow_modes
from privity.ops.status import status_fields, status_lines, status_of
from privity.wiring.checkup import inspect_storage
from privity.wiring.settings import load_settings

MARKS: Final[Mapping[Severity, str]] = {Severity.OK: "ok     ", Severity.NOTICE: "notice ", Severity.PROBLEM: "PROBLEM"}


def init(place: Place, mode: Mode) -> Answer:
    """Make a home."""
    home = home_path(place).absolute()
    wiring.init_home(home, mode)
    forever = ("It stays one: in it the operator's word stands for proof.",) if mode is Mode.EVALUATION else ()
    return Answer(
        fields={"home": str(home), "mode": mode},
        lines=(f"made {home}, a home for {mode}", *forever, "next: privity agent add NAME"),
    )


def add_agent(place: Place, name: str) -> Answer:
    """Make an agent."""
    with open_host(place) as host:
        agent = host.add_agent(name)
    return Answer(
        fields={"agent": agent.name, "agent_id": agent.agent_id},
        lines=(f"added {visible(agent.name)} ({agent.agent_id})",),
    )


def list_agents(place: Place) -> Answer:
    """Return all agents."""
    with open_host(place) as host:
        agents = host.agents()
    return Answer(
        fields={"agents": [{"agent": agent.name, "agent_id": agent.agent_id} for agent in agents]},
        lines=tuple(f"{agent.agent_id}  {visible(agent.name)}" for agent in agents),
    )


def status(place: Place) -> Answer:
    """Return how a home is."""
    with open_host(place) as host:
        found = status_of(host)
    home = home_path(place)
    return Answer(
        fields={"home": str(home), **status_fields(found)}, lines=(f"home        {home}", *status_lines(found))
    )


def config(place: Place) -> Answer:
    """Return each setting with its origin."""
    home = existing_home(place)
    lines = load_settings(home, flags={}, environ=os.environ).lines
    return Answer(
        fields={"settings": [{"name": one.name, "value": one.value, "origin": one.origin} for one in lines]},
        lines=tuple(f"{one.name:<32} {visible(one.value):<24} {one.origin}" for one in lines),
    )


def doctor(place: Place, *, fix: bool, rejoin: bool = False) -> Answer:
    """Return everything looked at in a home, what can be mended mended first where that is wanted."""
    home = existing_home(place)
    fixed = narrow_modes(home) if fix else 0
    if rejoin:
        wiring.rejoin_home(home)
    findings = examine(home, lambda: open_host(place), inspect_storage)
    mended = (f"fixed   modes        {fixed} files and folders have their mode again",) if fixed else ()
    return Answer(
        fields={"fixed": fixed, "findings": [finding_fields(finding) for finding in findings]},
        lines=(*mended, *(line for finding in findings for line in finding_lines(finding))),
        code=ExitCode.DEGRADED if needs_attention(findings) else ExitCode.OK,
    )


def finding_fields(finding: Finding) -> dict[str, str]:
    """Return a finding for a program."""
    return {
        "topic": finding.topic,
        "severity": finding.severity,
        "text": finding.text,
        "remedy": finding.remedy,
    }


def finding_lines(finding: Finding) -> tuple[str, ...]:
    """Return a finding for a person."""
    remedy = (f"{'':<21}→ {visible(finding.remedy)}",) if finding.remedy else ()
    return (f"{MARKS[finding.severity]} {finding.topic:<12} {visible(finding.text)}", *remedy)
