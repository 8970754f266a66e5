"""Which home, which agent and which session a command is about."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Final

from platformdirs import user_data_path

from privity import wiring
from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.run import Run
from privity.ops.credentials import Opened, load_credentials
from privity.ops.people import load_bearer
from privity.ops.vouching import turn_of
from privity.sdk.errors import HomeInUseError, InputError
from privity.wiring.places import is_home, parse_home

ATTEMPTS: Final = 50
BETWEEN_SECONDS: Final = 0.1
SAY_SO: Final = 10
"""Whoever waits for more than a second is told what for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What the options of a command name; `None` leaves it to the defaults."""

    home: Path | None
    agent: str | None
    session: str | None


def home_path(place: Place) -> Path:
    """Return the home that a command is about, whether or not it is there.

    Raises:
        InputError: this machine has no such path.
    """
    return user_data_path("privity") if place.home is None else parse_home(place.home)


def existing_home(place: Place) -> Path:
    """Return the home that a command is about.

    Raises:
        InputError: there is none. Nothing is looked at or mended in any other folder.
    """
    home = home_path(place)
    if not is_home(home):
        raise InputError("is no home", where="home", remedy="make one with `privity init`")
    return home


def open_host(place: Place) -> Host:
    """Open the home of a command and own it until the host is closed.

    Another command that has it is waited for, a few seconds; then it is the owner's error.
    """
    home = home_path(place)
    for attempt in range(ATTEMPTS):
        try:
            return wiring.open(home)
        except HomeInUseError:
            if attempt == SAY_SO:
                sys.stderr.write("waiting for the process that has the home\n")
            sleep(BETWEEN_SECONDS)
    return wiring.open(home)


def agent_of(host: Host, name: str | None) -> Agent:
    """Return the agent of this name, or the only one where none is named.

    Raises:
        InputError: there is none, or there are several.
    """
    if name is not None:
        return host.agent(name)
    match host.agents():
        case (agent,):
            return agent
        case ():
            raise InputError("there is none", where="agent", remedy="add one with `privity agent add NAME`")
        case _:
            raise InputError("there are several", where="agent", remedy="name one with --agent")


def session_of(place: Place) -> Opened | None:
    """Return the session that a command is in; without one the caller is administrative."""
    return load_credentials(existing_home(place)).find(place.session)


def required_session(place: Place) -> Opened:
    """Return the session that a command is in.

    Raises:
        InputError: there is none, and an administrator has no memory of their own.
    """
    session = session_of(place)
    if session is None:
        raise InputError(
            "is administrative, and an administrator sees nobody's memory",
            where="caller",
            remedy="open a session with `privity session open --local NAME`",
        )
    return session


@contextmanager
def turn(place: Place) -> Generator[Run]:
    """Begin one turn of the session that a command is in."""
    session = required_session(place)
    with open_host(place) as host:
        load_bearer(host.operator().identities, session)
        with turn_of(host, host.agent(session.agent), session.who) as run:
            yield run
