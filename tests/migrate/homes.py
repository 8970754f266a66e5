"""Homes for playing conversations into, on disk and with the real engine."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.run import Run
from privity.migrate.chat import ChatFormat
from privity.migrate.conversation import Conversation
from privity.migrate.replay import Stage, counts, play
from privity.sdk.identity import ChangeKind, MembershipChange
from privity.wiring import init_home
from privity.wiring import open as open_home
from tests.migrate.samples import GATEMEM, ROOMS, parsed, written, written_lines

NOWHERE: Final = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Theatre:
    """An opened home with one agent."""

    host: Host
    agent: Agent
    home: Path

    @property
    def stage(self) -> Stage:
        """Where conversations are played."""
        return Stage(host=self.host, agent=self.agent, home=self.home)

    def play(self, conversation: Conversation, until: str | None = None) -> tuple[int, int]:
        """Play a conversation; return how many turns were in before, and are in now."""
        played = play(self.stage, conversation, until=until, watch=lambda _: None)
        return played.before, played.now

    def counts(self) -> tuple[int, int]:
        """Return how many events and revisions the cell holds."""
        found = counts(self.stage)
        return found.events, found.revisions

    def turn(self, sender: str, room: str | None = None) -> Run:
        """Begin a turn of somebody of the episode e1."""
        name = f"e1/{sender}"
        request = self.host.local.event(
            sender=name,
            conversation=None if room is None else f"e1/{room}",
            text="",
            changes=(MembershipChange(kind=ChangeKind.JOINED, sender_id=name),),
        )
        event = self.host.ingress("local").verify(request.headers, request.body)
        return self.agent.session(event).run(event)

    def texts(self, sender: str, query: str, room: str | None = None) -> list[str]:
        """Return what a search finds for somebody."""
        with self.turn(sender, room) as run:
            return [passage.text for passage in run.search(query, limit=50)]


@contextmanager
def theatre(home: Path, mode: Mode = Mode.EVALUATION) -> Generator[Theatre]:
    """Open a home, made with an agent if it is new."""
    if not home.exists():
        init_home(home, mode)
    with open_home(home, environ={}) as host:
        agent = host.agents()[0] if host.agents() else host.add_agent("main")
        yield Theatre(host=host, agent=agent, home=home)


def episode(folder: Path) -> Conversation:
    """Return the sample episode in its rooms."""
    episodes = written_lines(folder, "episodes.jsonl", [GATEMEM])
    (conversation,) = parsed(episodes, ChatFormat.GATEMEM, written(folder, "rooms.json", ROOMS))
    return conversation
