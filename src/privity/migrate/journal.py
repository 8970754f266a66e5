"""How far an import got: one line a turn, so that one that was killed goes on where it was."""

import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final, Self, cast

from privity.migrate.conversation import Conversation
from privity.model.canonical import fingerprint
from privity.model.ids import AgentId, ResourceHandle
from privity.sdk.errors import ConflictError, StorageFailedError

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
REMEDY: Final = "import into a fresh evaluation home"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many events and revisions an agent's cell holds. Each turn adds one of each, the event first."""

    events: int
    revisions: int

    def after_turn(self) -> "Counts":
        """Return the counts once one more turn is in."""
        return Counts(events=self.events + 1, revisions=self.revisions + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where to go on: how many turns are in, and whether the next one's event is in already."""

    turns: int
    event_is_in: bool


class Journal:
    """The progress of one conversation into one agent, as a file that only grows."""

    def __init__(self, path: Path, mark: str) -> None:
        self._path = path
        lines = read_lines(path)
        if lines and lines[0].get("conversation") != mark:
            raise ConflictError(f"a conversation of this name was imported with other content; {REMEDY}")
        self._handles = handles_of(lines)
        self._forgotten = {str(line["forgot"]) for line in lines if "forgot" in line}
        self._counts, self._turns = progress_of(lines)
        self._file = open_file(path)
        if not lines:
            self._write({"conversation": mark})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def position(self, found: Counts) -> Position:
        """Return where to go on in a cell that holds `found`.

        Raises:
            ConflictError: something else wrote into the cell since the import was killed.
        """
        if self._counts is None:
            return Position(turns=self._turns, event_is_in=False)
        turns = found.revisions - self._counts.revisions
        ahead = found.events - self._counts.events - turns
        if turns < 0 or ahead not in {0, 1}:
            raise ConflictError(f"the agent's memory changed since the import was interrupted; {REMEDY}")
        return Position(turns=self._turns + turns, event_is_in=ahead == 1)

    def begin(self, position: Position, found: Counts) -> None:
        """Note where the import goes on, and what the cell holds by then."""
        self._turns = position.turns
        self._counts = replace(found, events=found.events - int(position.event_is_in))
        self._write({"turns": self._turns, "events": self._counts.events, "revisions": self._counts.revisions})

    def note(self, turn_id: str, handle: ResourceHandle) -> None:
        """Note that a turn is in, and the handle of its note."""
        self._handles[turn_id] = handle
        self._counts = None if self._counts is None else self._counts.after_turn()
        self._write({"turn": turn_id, "handle": handle})

    def is_forgotten(self, turn_id: str) -> bool:
        """The note of the turn was forgotten already."""
        return turn_id in self._forgotten

    def note_forgotten(self, turn_id: str) -> None:
        """Note that the note of a turn was forgotten."""
        self._forgotten.add(turn_id)
        self._write({"forgot": turn_id})

    def end(self, found: Counts) -> None:
        """Note that the import stopped, if it did so between two turns; others may write into the cell then."""
        if found != self._counts:
            return
        self._write({"stopped": True})
        with storage(self._path):
            os.fsync(self._file.fileno())

    def load_handle(self, turn_id: str) -> ResourceHandle:
        """Return the handle of a turn's note.

        Raises:
            ConflictError: the import was killed right between the note and its line here.
        """
        if turn_id not in self._handles:
            raise ConflictError(f"the note to forget was written as the import was killed; {REMEDY}")
        return self._handles[turn_id]

    def _write(self, line: Mapping[str, object]) -> None:
        with storage(self._path):
            self._file.write(json.dumps(line).encode() + b"\n")


def open_journal(folder: Path, agent_id: AgentId, conversation: Conversation) -> Journal:
    """Return the journal of a conversation into an agent.

    Raises:
        ConflictError: another conversation of this name was imported before.
    """
    with storage(folder):
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    name = fingerprint((agent_id, conversation.conversation_id))[:32]
    return Journal(folder / f"{name}.jsonl", fingerprint(conversation))


def read_lines(path: Path) -> list[Mapping[str, object]]:
    """Return the lines of a journal; one that was cut short as the process was killed is dropped."""
    with storage(path):
        written = path.read_bytes() if path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]
        if whole != written:
            os.truncate(path, len(whole))
    return [cast("Mapping[str, object]", json.loads(line)) for line in whole.splitlines()]


def handles_of(lines: list[Mapping[str, object]]) -> dict[str, ResourceHandle]:
    """Return the handle of each turn that has one."""
    return {str(line["turn"]): ResourceHandle(str(line["handle"])) for line in lines if "turn" in line}


def progress_of(lines: list[Mapping[str, object]]) -> tuple[Counts | None, int]:
    """Return what the cell held after the last line, unless the import stopped there, and how many turns were in."""
    counts: Counts | None = None
    turns = 0
    for line in lines:
        match line:
            case {"turns": int(turns), "events": int(events), "revisions": int(revisions)}:
                counts = Counts(events=events, revisions=revisions)
            case {"stopped": True}:
                counts = None
            case {"turn": _}:
                turns += 1
                counts = None if counts is None else counts.after_turn()
            case _:
                pass
    return counts, turns


def open_file(path: Path) -> BinaryIO:
    """Open a journal to write at its end, every line at once."""
    with storage(path):
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        return os.fdopen(descriptor, "ab", buffering=0)


@contextmanager
def storage(path: Path) -> Generator[None]:
    """Report a failing disk as one.

    Raises:
        StorageFailedError: the disk is full, read-only or failing.
    """
    try:
        yield
    except OSError as error:
        problem = f"the progress of the import cannot be kept in `{path.parent}`: {error.strerror}"
        raise StorageFailedError(problem, remedy="look at the disk and import again") from error
