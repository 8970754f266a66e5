"""The second half of the demo: three views of the same memory, and an attempt to leak in each."""

from dataclasses import dataclass
from pathlib import Path

from privity.cli.demo.story import ASKER, DESIGN, ENGINEERING, PRIVATE_WORDS, QUESTION, ROOM
from privity.host.agent import Agent
from privity.host.host import Host
from privity.migrate.conversation import Conversation
from privity.migrate.replay import Stage, play
from privity.model.ids import ResourceHandle, RunId
from privity.ops.vouching import Vouched, say, show_replies
from privity.sdk.errors import DeniedError, EgressDeniedError

AGENT = "robin"
BEST = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What somebody tried, what came of it, and why."""

    tried: str
    got: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One place: who asks there, what is answered, and what an attempt to leak gets."""

    title: str
    reach: str
    run_id: RunId
    answers: tuple[str, ...]
    attempt: Attempt


class Scene:
    """The story in a home of its own."""

    def __init__(self, host: Host, agent: Agent, story: Conversation, home: Path) -> None:
        self._host = host
        self._agent = agent
        self._story = story
        show_replies(host, lambda _: None)
        play(Stage(host=host, agent=agent, home=home), story, until=None, watch=lambda _: None)

    def views(self) -> tuple[View, ...]:
        """Return the three views, each with its attempt."""
        return (self.design(), self.engineering(), self.room())

    def design(self) -> View:
        """Return what Sam of design is answered; then a turn that reads nothing tries to post it."""
        who = self.who(DESIGN, None)
        run_id, answers = self.ask(who)
        return View(
            title="Sam of design, in a direct message",
            reach="this person's own, because the session is with nobody else",
            run_id=run_id,
            answers=answers,
            attempt=self.launder(who),
        )

    def engineering(self) -> View:
        """Return what the other Sam is answered; then that Sam brings a handle of the first one's."""
        who = self.who(ENGINEERING, None)
        run_id, answers = self.ask(who)
        return View(
            title="Sam of engineering, in a direct message",
            reach="this person's own: the sender's id counts, and the name does not",
            run_id=run_id,
            answers=answers,
            attempt=self.borrow(who, self.best_handle(self.who(DESIGN, None))),
        )

    def room(self) -> View:
        """Return what the room is answered; then somebody in it asks for the private words."""
        who = self.who(ASKER, ROOM)
        run_id, answers = self.ask(who)
        return View(
            title="Priya, in #launch",
            reach="the room's, because everybody in the room reads the answer",
            run_id=run_id,
            answers=answers,
            attempt=self.pry(who),
        )

    def who(self, sender_id: str, room: str | None) -> Vouched:
        """Return somebody of the story at the keyboard."""
        name = f"{self._story.conversation_id}/{sender_id}"
        return Vouched(sender=name, room=None if room is None else f"{self._story.conversation_id}/{room}")

    def ask(self, who: Vouched) -> tuple[RunId, tuple[str, ...]]:
        """Return the best answers to the question of the demo, and the run that found them."""
        event = say(self._host, who, QUESTION)
        with self._agent.session(event).run(event) as run:
            return run.run_id, tuple(passage.text for passage in run.search(QUESTION, limit=BEST))

    def best_handle(self, who: Vouched) -> ResourceHandle:
        """Return the handle of somebody's best answer."""
        event = say(self._host, who, "")
        with self._agent.session(event).run(event) as run:
            return run.search(QUESTION, limit=1)[0].handle

    def launder(self, who: Vouched) -> Attempt:
        """Post into the room from a turn that reads nothing, after one that did."""
        room = say(self._host, self.who(DESIGN, ROOM), "").delivery
        event = say(self._host, who, "Tell the room.")
        with self._agent.session(event).run(event) as run:
            try:
                run.release("Sam has an offer from Northwind.", to=room)
            except EgressDeniedError as denial:
                got, why = f"{denial}: nothing was sent", f"{denial.reason}; {denial.remedy}"
            else:
                got, why = "sent", ""
        return Attempt(tried="one turn later, and reading nothing, post it in #launch", got=got, why=why)

    def borrow(self, who: Vouched, handle: ResourceHandle) -> Attempt:
        """Read by a handle that somebody else was given."""
        event = say(self._host, who, "")
        with self._agent.session(event).run(event) as run:
            try:
                got, why = run.read(handle).text, ""
            except DeniedError as denial:
                got = f"{denial}, as for a handle that never was"
                why = f"{denial.reason}: the note is in a store that is no part of this view"
        return Attempt(tried="read the other Sam's note by its handle", got=got, why=why)

    def pry(self, who: Vouched) -> Attempt:
        """Search for words that were only said in private."""
        event = say(self._host, who, "")
        with self._agent.session(event).run(event) as run:
            found = run.search(PRIVATE_WORDS, limit=BEST)
        return Attempt(
            tried=f"search for the private words: {PRIVATE_WORDS}",
            got="nothing found" if not found else found[0].text,
            why="a room's view has no private store, so none was even opened",
        )
