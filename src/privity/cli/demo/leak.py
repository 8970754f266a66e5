"""The first half of the demo: the same messages in one shared notebook, and what a room is told."""

from dataclasses import dataclass

from privity.cli.demo.layout import hanging
from privity.cli.demo.notebook import SharedNotebook
from privity.cli.demo.story import ASKER, QUESTION, ROOM, called, is_private, place
from privity.migrate.conversation import Conversation, Turn

BEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One line that the room is told, where it was said, and whether the room may have it."""

    text: str
    place: str
    leaked: bool


def leak(story: Conversation) -> tuple[Told, ...]:
    """Return what a shared notebook tells the room."""
    notebook = SharedNotebook()
    turns: dict[str, Turn] = {}
    for turn in story.turns:
        note = f"{story.people[turn.sender_id].display_name}: {turn.text}"
        notebook.remember(note)
        turns[note] = turn
    found = [turns[note] for note in notebook.search(QUESTION, limit=BEST)]
    return tuple(Told(text=turn.text, place=place(story, turn), leaked=is_private(story, turn)) for turn in found)


def leak_lines(story: Conversation, told: tuple[Told, ...]) -> tuple[str, ...]:
    """Return the first half for a person."""
    leaked = sum(1 for line in told if line.leaked)
    return (
        "1  ONE NOTEBOOK FOR EVERYBODY, as most agents have it",
        "",
        f"   {called(story.people[ASKER])} asks in #{ROOM}: {QUESTION}",
        f"   The notebook answers, to everybody in #{ROOM}:",
        *(line for one in told for line in told_lines(one)),
        "",
        f"   {leaked} of {len(told)} answers were told to Robin in private, by two people of one name.",
    )


def told_lines(told: Told) -> list[str]:
    """Return one line that the room is told for a person."""
    return hanging(f"     {'✗ leak' if told.leaked else '✓     '} {told.place:<28}", told.text)


def leak_fields(told: tuple[Told, ...]) -> list[dict[str, object]]:
    """Return the first half for a program."""
    return [{"text": line.text, "place": line.place, "leaked": line.leaked} for line in told]
