"""A run: one turn of a conversation, on top of what its window was already shown."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Self

from privity.host import gate
from privity.host.delegation import Handover, delegated
from privity.host.egress import Released, release
from privity.host.inputs import MAX_ABOUT, parse_lifetime, parse_limit, parse_query, parse_text
from privity.host.receipts import accept_people
from privity.host.turns import Turn
from privity.model.context import AccessContext
from privity.model.events import EventKind
from privity.model.ids import DeliveryHandle, EventId, ResourceHandle, RunId, SessionId, SubjectHandle
from privity.model.mutations import Forget, Remember
from privity.model.operations import Operation
from privity.model.passages import Card, ForgetPreview, Forgotten, Passage, Remembered
from privity.model.resources import Section
from privity.sdk.errors import InputError
from privity.sdk.plugin import LineRange
from privity.sdk.strict import strict


@strict
class Run:
    """What an agent may do with memory in one turn. It takes no identity, no store and no audience."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn

    @property
    def run_id(self) -> RunId:
        """The run's name in the audit."""
        return self._turn.run_id

    @property
    def session_id(self) -> SessionId:
        """The window that the run belongs to."""
        return self._turn.session.window.session_id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the run, and every run delegated from it."""
        self._turn.close()

    def bootstrap(self) -> Card:
        """Return the small front card of this session, empty where it has none."""
        plugin = self._turn.workings.plugin
        return self._turn.shown(Operation.READ, plugin.bootstrap)

    def search(self, query: str, limit: int = 6, about: Sequence[SubjectHandle] | None = None) -> tuple[Passage, ...]:
        """Return the best `limit` passages that may be shown here, best first.

        `about` narrows to what is about certain people, by handles that `people` returns. Without
        it the passages may be about anything; about an empty list of people there are none.

        Raises:
            InputError: the query or the limit is out of bounds.
            DeniedError: nothing may be searched here.
        """
        asked, most, people = parse_query(query), parse_limit(limit), None if about is None else parse_about(about)
        plugin = self._turn.workings.plugin
        return self._turn.shown(
            Operation.READ,
            lambda context, plan: plugin.search(context, plan, asked, about=people, limit=most),
        )

    def read(self, handle: ResourceHandle, lines: LineRange | None = None) -> Passage:
        """Return one passage by its handle. A foreign, stale or made-up handle is a denial like any other."""
        name, part = ResourceHandle(parse_text(handle, where="handle")), parse_lines(lines)
        plugin = self._turn.workings.plugin
        return self._turn.shown(Operation.READ, lambda context, plan: plugin.read(context, plan, name, lines=part))

    def remember(self, text: str, about: Sequence[SubjectHandle] = (), lifetime: timedelta | None = None) -> Remembered:
        """Add a note to this session's own store. The next search finds it."""
        return self._remember(text, Section.NOTE, about, lifetime)

    def remember_card(self, text: str) -> Remembered:
        """Add an entry to this session's front card."""
        return self._remember(text, Section.CARD, (), None)

    def _remember(
        self, text: str, section: Section, about: Sequence[SubjectHandle], lifetime: timedelta | None
    ) -> Remembered:
        """Add text to one section of the session's own store."""
        mutation = Remember(
            text=parse_text(text, where="text"),
            section=section,
            about=parse_about(about),
            lifetime=parse_lifetime(lifetime),
        )
        return self._turn.written(Operation.APPEND, mutation, Remembered)

    def preview_forget(self, handle: ResourceHandle) -> ForgetPreview:
        """Say what `forget` would take with it, and change nothing.

        What was derived from the revision goes with it. Named is what this session may read.
        """
        name = ResourceHandle(parse_text(handle, where="handle"))
        return self._turn.previewed(name)

    def forget(self, handle: ResourceHandle) -> Forgotten:
        """Tombstone one revision and whatever was derived from it; their text is removed."""
        mutation = Forget(handle=ResourceHandle(parse_text(handle, where="handle")))
        return self._turn.written(Operation.DELETE, mutation, Forgotten)

    def people(self) -> tuple[SubjectHandle, ...]:
        """Return handles for whoever speaks and whoever is mentioned, in this order."""
        turn = self._turn
        plugin = turn.workings.plugin

        def act(context: AccessContext) -> tuple[SubjectHandle, ...]:
            return accept_people(gate.listen(lambda: plugin.subject_handles(context)))

        with turn.exclusive():
            return turn.steadily(Operation.READ, turn.destination, act)

    def record(self, kind: EventKind, text: str) -> EventId:
        """Append an event of this run to the transcript, with its label.

        Raises:
            InputError: it is a message or a reply: those come in by an event and go out by `release`.
        """
        if kind in {EventKind.MESSAGE, EventKind.REPLY}:
            raise InputError("is not recorded by hand", where="kind", remedy="verify an event, or release a reply")
        said = parse_text(text, where="text")
        turn = self._turn
        event_id = EventId(turn.workings.entropy.token("evt"))

        def act(context: AccessContext) -> EventId:
            return turn.append(context, turn.event(event_id, kind, said, context)).event_id

        with turn.exclusive():
            return turn.steadily(Operation.APPEND, turn.destination, act)

    def release(self, reply: str, to: DeliveryHandle) -> Released:
        """Hand `reply` to the sink behind `to`, if everything this run was shown may go there.

        Raises:
            EgressDeniedError: nothing was sent; its `remedy` says what would make it right.
        """
        return release(self._turn, parse_text(reply, where="reply"), to)

    def delegate(self, handover: Handover) -> "Run":
        """Begin the run of a child: the intersection with this one, ending with it."""
        return Run(delegated(self._turn, handover))


def parse_about(about: Sequence[SubjectHandle]) -> tuple[SubjectHandle, ...]:
    """Return subject handles as handed out by the run."""
    if isinstance(about, str) or len(about) > MAX_ABOUT:
        raise InputError("is no list of handles", where="about", remedy=f"pass up to {MAX_ABOUT} of `run.people()`")
    return tuple(SubjectHandle(parse_text(handle, where="about")) for handle in about)


def parse_lines(lines: LineRange | None) -> LineRange | None:
    """Return a range of lines that starts at 1 or later and does not end before it starts."""
    if lines is None:
        return None
    if lines.first < 1 or (lines.last is not None and lines.last < lines.first):
        raise InputError("is no range", where="lines", remedy="count from 1, the first line not after the last")
    return lines
