"""What a program holds of a home leads to no storage and to no engine, by any public name."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from privity.host.options import Mode
from privity.wiring import init_home
from privity.wiring import open as open_home

BEHIND: Final = ("privity.backends", "privity.engine", "apsw", "sqlite3")


def reachable(start: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield every object that public attributes lead to, with the way there."""
    seen: set[int] = set()
    waiting = list(start.items())
    while waiting:
        way, found = waiting.pop()
        if id(found) in seen or not type(found).__module__.startswith(("privity", "apsw", "sqlite3")):
            continue
        seen.add(id(found))
        yield way, found
        names = [name for name in dir(found) if not name.startswith("_")]
        waiting += [(f"{way}.{name}", getattr(found, name)) for name in names if not callable(getattr(found, name))]


@pytest.mark.proves("case:READ-22", "plugin:contract:no-context-free-call")
def test_READ_22_no_public_name_leads_to_the_raw_engine(tmp_path: Path) -> None:
    """From host, agent, session, run and operator on, there are views and no stores."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    with open_home(tmp_path / "home") as host:
        agent, event = host.add_agent("robin"), host.vouch("alice", "hello")
        session = agent.session(event)
        with session.run(event) as run:
            held = {"host": host, "agent": agent, "session": session, "run": run, "operator": host.operator()}
            found = dict(reachable(held))

    assert {way for way, one in found.items() if type(one).__module__.startswith(BEHIND)} == set()
    assert {"host", "agent", "session", "run", "operator", "operator.identities"} <= set(found)
