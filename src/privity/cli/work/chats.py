"""Importing published chats into an evaluation home."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from privity.cli.output import Answer, Style, note, visible
from privity.cli.progress import shown_progress
from privity.cli.work.homes import Place, agent_of, home_path, open_host
from privity.migrate.chat import ChatFormat, conversations
from privity.migrate.conversation import Conversation
from privity.migrate.cues import cues
from privity.migrate.replay import Played, Stage, play, refuse_other_homes
from privity.sdk.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to import: a file in its format, where its rooms are, and how much of it."""

    file: Path
    chat_format: ChatFormat
    rooms: Path | None
    only: str | None
    until: str | None


def import_chat(place: Place, wanted: Wanted, style: Style) -> Answer:
    """Import a file: read whole first, then played from where it was left."""
    with open_host(place) as host:
        refuse_other_homes(host)
        stage = Stage(host=host, agent=agent_of(host, place.agent), home=home_path(place))
        chosen = tuple(read_whole(wanted))
        total = sum(len(conversation.turns) for conversation in chosen)
        with shown_progress(style, "importing", total) as advance, told_of_interrupts(style):
            played = [play(stage, one, until=wanted.until, watch=advance) for one in chosen]
    return imported(played)


@contextmanager
def told_of_interrupts(style: Style) -> Generator[None]:
    """Say what an interrupt leaves: every turn is in whole, and the next import goes on."""
    try:
        yield
    except KeyboardInterrupt:
        note(style, "interrupted; import it again, and it goes on where it stopped")
        raise


def read_whole(wanted: Wanted) -> Generator[Conversation]:
    """Yield what is wanted of a file; whatever is malformed in it is found before anything is played."""
    found = False
    for conversation in conversations(wanted.file, wanted.chat_format, rooms=wanted.rooms):
        if wanted.only in {None, conversation.conversation_id}:
            found = True
            _ = tuple(cues(conversation))
            yield conversation
    if not found:
        raise InputError(
            "names no conversation of the file" if wanted.only else "holds no conversation",
            where="--only" if wanted.only else f"`{wanted.file.name}`",
            remedy="look at the file",
        )


def imported(played: list[Played]) -> Answer:
    """Return the answer of an import."""
    new = sum(one.now - one.before for one in played)
    return Answer(
        fields={
            "conversations": [
                {"conversation": one.conversation_id, "turns": one.turns, "before": one.before, "now": one.now}
                for one in played
            ],
            "turns": new,
        },
        lines=(
            *(f"{visible(one.conversation_id)}: {one.now} of {one.turns} turns, {one.before} before" for one in played),
            f"imported {new} turns of {len(played)} conversations",
        ),
    )
