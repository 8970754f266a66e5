"""A conversation in one neutral form, whatever file it came from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RoomKind(StrEnum):
    """Where something was said."""

    GROUP = "group"
    DIRECT = "dm"


class SpeakerKind(StrEnum):
    """Who says something: a person, or the agent whose memory this becomes."""

    HUMAN = "human"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One speaker. `sender_id` is the file's own id; the name is a label and may collide."""

    sender_id: str
    display_name: str
    role: str | None
    kind: SpeakerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """That a person is in a room from the turn numbered `first` up to, not including, `until`."""

    sender_id: str
    first: int
    until: int | None

    def covers(self, number: int) -> bool:
        """The person is in the room at the turn numbered `number`."""
        return self.first <= number and (self.until is None or number < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A place of a conversation, with who is in it and when. A direct one has one person."""

    room_id: str
    kind: RoomKind
    display_name: str
    stays: tuple[Stay, ...]

    def members_at(self, number: int) -> frozenset[str]:
        """Return who is in the room at the turn numbered `number`."""
        return frozenset(stay.sender_id for stay in self.stays if stay.covers(number))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. `stamp` is the time as the file writes it, `at` what it means, if it says one.

    `forgets` names the turns whose notes this one takes back, itself perhaps among them.
    """

    turn_id: str
    room_id: str
    sender_id: str
    stamp: str
    at: datetime | None
    text: str
    forgets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """People, their rooms, and what was said in order: the turns are numbered from 0."""

    conversation_id: str
    people: Mapping[str, Person]
    rooms: Mapping[str, Room]
    turns: tuple[Turn, ...]


def note_text(person: Person, turn: Turn) -> str:
    """Return what a turn is remembered as: when, who in which role, and the words."""
    when = f"[{turn.stamp}] " if turn.stamp else ""
    role = f" ({person.role})" if person.role else ""
    return f"{when}{person.display_name}{role}: {turn.text}"
