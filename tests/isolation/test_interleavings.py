"""A thousand interleaved calls of two people with two agents, on disk: each answer is from one's own store."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random  # noqa: TID251 - a fixed order that differs at every step
from typing import Final

import pytest

from privity.host.host import Host
from privity.host.options import Mode
from privity.host.run import Run
from privity.wiring import init_home
from privity.wiring import open as open_home

CALLS: Final = 1_000
WRITES: Final = 40
WORKERS: Final = 4
AGENTS: Final = ("robin", "wren")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One person with one agent."""

    person: str
    agent: str

    def code(self, number: int) -> str:
        """Return one of the texts that only this seat keeps."""
        return f"code {number}{self.ending}"

    @property
    def ending(self) -> str:
        """What every text of this seat ends with."""
        return f" of {self.person} with {self.agent}"


SEATS: Final = tuple(Seat(person=person, agent=agent) for person in ("ada", "bo") for agent in AGENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of one seat: what it remembers, or a search where that is nothing."""

    seat: Seat
    said: str | None


def calls() -> list[Call]:
    """Return the calls of all seats in a mixed order, the same each time."""
    order = Random(19)  # noqa: S311 - no secret
    mixed = [
        Call(seat=seat, said=seat.code(number) if number < WRITES else None)
        for seat in SEATS
        for number in range(CALLS // len(SEATS))
    ]
    order.shuffle(mixed)
    return mixed


def begun(host: Host, seat: Seat) -> Run:
    """Begin the turn of one person with one agent."""
    request = host.local.event(sender=seat.person, conversation=None, text="hello")
    event = host.ingress("local").verify(request.headers, request.body)
    return host.agent(seat.agent).session(event).run(event)


def answered(runs: Mapping[Seat, Run], call: Call) -> tuple[Seat, frozenset[str]]:
    """Make one call and return the seat with the texts that it was shown."""
    run = runs[call.seat]
    if call.said is not None:
        run.remember(call.said)
        return call.seat, frozenset()
    return call.seat, frozenset(passage.text for passage in run.search("code", limit=50))


@pytest.mark.timeout(180)
@pytest.mark.proves("case:READ-19", "case:ID-05")
def test_READ_19_a_thousand_interleaved_calls_never_cross_stores(tmp_path: Path) -> None:
    """Two people, each with two agents, from several threads at once: four stores, and no text in another's answer."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    with open_home(tmp_path / "home", environ={}) as host, ThreadPoolExecutor(max_workers=WORKERS) as pool:
        for agent in AGENTS:
            host.add_agent(agent)
        runs = {seat: begun(host, seat) for seat in SEATS}
        shown = list(pool.map(partial(answered, runs), calls()))
        last = {seat: answered(runs, Call(seat=seat, said=None))[1] for seat in SEATS}

    foreign = [(seat, text) for seat, texts in shown for text in texts if not text.endswith(seat.ending)]
    assert (len(shown), foreign) == (CALLS, [])
    assert sum(len(texts) for _, texts in shown) > CALLS
    assert last == {seat: {seat.code(number) for number in range(WRITES)} for seat in SEATS}
