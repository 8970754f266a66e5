"""From a conversation to what has to happen, turn by turn: who comes, who goes, who speaks where."""

from collections.abc import Iterator
from dataclasses import dataclass

from privity.migrate.conversation import Conversation, Person, Room, RoomKind, SpeakerKind, Turn
from privity.sdk.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """Somebody who comes into a group or leaves it."""

    room_id: str
    sender_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """A note to forget: the turn it is of, and on whose word, who is in its room by then."""

    turn_id: str
    room_id: str
    actor_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """One turn with what it needs.

    `actor_id` is on whose word it is played: the speaker's, or, where the agent speaks or
    somebody speaks in another one's direct message, that of a person who is there. A speaker
    who is no member of a group is let in for this turn alone.
    """

    number: int
    turn: Turn
    speaker: Person
    room: Room
    actor_id: str
    arrivals: tuple[Passing, ...]
    departures: tuple[Passing, ...]
    guest: Passing | None
    withdrawals: tuple[Withdrawal, ...]


def cues(conversation: Conversation) -> Iterator[Cue]:
    """Yield the cues of a conversation in order.

    Raises:
        InputError: the agent speaks, or something is to be forgotten, where nobody is.
    """
    last: dict[str, str] = {}
    gone: set[str] = set()
    for number, turn in enumerate(conversation.turns):
        speaker, room = conversation.people[turn.sender_id], conversation.rooms[turn.room_id]
        actor_id = acting(conversation, room, speaker, number, last.get(room.room_id))
        last[room.room_id] = actor_id
        yield Cue(
            number=number,
            turn=turn,
            speaker=speaker,
            room=room,
            actor_id=actor_id,
            arrivals=tuple(passings(conversation, number, number - 1)),
            departures=tuple(passings(conversation, number - 1, number)),
            guest=guest(room, speaker, number),
            withdrawals=tuple(withdrawals(conversation, number, actor_id, gone)),
        )
        gone |= set(turn.forgets)


def acting(conversation: Conversation, room: Room, speaker: Person, number: int, last: str | None) -> str:
    """Return on whose word a turn is played."""
    if room.kind is RoomKind.GROUP and speaker.kind is SpeakerKind.HUMAN:
        return speaker.sender_id
    return somebody(conversation, room, number, last)


def somebody(conversation: Conversation, room: Room, number: int, preferred: str | None) -> str:
    """Return somebody who is in a room at a turn."""
    if room.kind is RoomKind.DIRECT:
        return room.stays[0].sender_id
    present = room.members_at(number)
    if preferred is not None and preferred in present:
        return preferred
    if not present:
        raise InputError(
            f"nobody is in `{room.room_id}` at turn `{conversation.turns[number].turn_id}`, which needs somebody",
            where=f"conversation `{conversation.conversation_id}`",
            remedy="let somebody be a member of the room",
        )
    return min(present)


def withdrawals(conversation: Conversation, number: int, actor_id: str, gone: set[str]) -> Iterator[Withdrawal]:
    """Yield what a turn takes back and no turn before it did."""
    rooms = {turn.turn_id: conversation.rooms[turn.room_id] for turn in conversation.turns[: number + 1]}
    for turn_id in dict.fromkeys(conversation.turns[number].forgets):
        if turn_id not in gone:
            room = rooms[turn_id]
            who = somebody(conversation, room, number, actor_id)
            yield Withdrawal(turn_id=turn_id, room_id=room.room_id, actor_id=who)


def passings(conversation: Conversation, there: int, not_there: int) -> Iterator[Passing]:
    """Yield who is in a group at one turn and not at another; before the first nobody is anywhere."""
    for room in conversation.rooms.values():
        if room.kind is RoomKind.GROUP:
            present = room.members_at(there) if there >= 0 else frozenset[str]()
            absent = room.members_at(not_there) if not_there >= 0 else frozenset[str]()
            yield from (Passing(room_id=room.room_id, sender_id=one) for one in sorted(present - absent))


def guest(room: Room, speaker: Person, number: int) -> Passing | None:
    """Return a speaker who is no member of the group it speaks in."""
    if room.kind is RoomKind.DIRECT or speaker.kind is SpeakerKind.AGENT:
        return None
    if speaker.sender_id in room.members_at(number):
        return None
    return Passing(room_id=room.room_id, sender_id=speaker.sender_id)
