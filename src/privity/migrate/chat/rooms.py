"""A rooms file: where each turn of an episode was said, who was there, and what was taken back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from privity.migrate.conversation import Conversation, Room, RoomKind, Stay, Turn
from privity.migrate.records import Record, file_records, malformed
from privity.sdk.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One rooms file, read as far as it can be without its episode."""

    record: Record
    rooms: tuple[Record, ...]
    turns: Record
    forgets: Mapping[str, tuple[str, ...]]

    def applied(self, conversation: Conversation) -> Conversation:
        """Return the conversation with its turns in these rooms."""
        numbers = {turn.turn_id: number for number, turn in enumerate(conversation.turns)}
        rooms = {room.room_id: room for room in (built(record, conversation, numbers) for record in self.rooms)}
        self.refuse_strangers(numbers)
        turns = tuple(self.placed(turn, rooms) for turn in conversation.turns)
        return replace(conversation, rooms=rooms, turns=turns)

    def refuse_strangers(self, numbers: Mapping[str, int]) -> None:
        """Refuse deletions that name turns the episode lacks, or turns not yet said."""
        for turn_id, targets in self.forgets.items():
            for named in (turn_id, *targets):
                if named not in numbers or numbers[named] > numbers[turn_id]:
                    malformed(f"`{named}` is no turn up to `{turn_id}`", self.record.where("deletes"))

    def placed(self, turn: Turn, rooms: Mapping[str, Room]) -> Turn:
        """Return the turn in its room, with what it takes back."""
        room_id = self.turns.text(turn.turn_id)
        if room_id not in rooms:
            malformed(f"`{room_id}` is none of the rooms", self.turns.where(turn.turn_id))
        return replace(turn, room_id=room_id, forgets=self.forgets.get(turn.turn_id, ()))


def layouts(path: Path) -> Mapping[str, Layout]:
    """Return the layouts of a file, or of every `.json` file in a folder and below it, by episode.

    Raises:
        InputError: a file is malformed, two speak of one episode, or there is none.
    """
    found: dict[str, Layout] = {}
    for record in room_records(path):
        episode_id = record.text("episode_id")
        if episode_id in found:
            malformed(f"a second file has the rooms of `{episode_id}`", record.where("episode_id"))
        found[episode_id] = layout(record)
    return found


def room_records(path: Path) -> Iterator[Record]:
    """Yield the records of one file, or of every `.json` file in a folder and below it."""
    files = sorted(path.rglob("*.json")) if is_folder(path) else [path]
    if not files:
        raise InputError(
            "the folder holds no `.json` file", where=f"`{path.name}`", remedy="name the folder of the rooms files"
        )
    for file in files:
        yield from file_records(file)


def is_folder(path: Path) -> bool:
    """The path is a folder. What cannot be looked at is none, and reading it says why."""
    try:
        return path.is_dir()
    except OSError:
        return False


def layout(record: Record) -> Layout:
    """Return one record as a layout."""
    forgets: dict[str, tuple[str, ...]] = {}
    for deletion in record.records("deletes"):
        turn_id = deletion.text("by")
        forgets[turn_id] = forgets.get(turn_id, ()) + deletion.texts("targets")
    return Layout(record=record, rooms=record.records("rooms"), turns=record.record("turns"), forgets=forgets)


def built(record: Record, conversation: Conversation, numbers: Mapping[str, int]) -> Room:
    """Return one room with the stays of its members."""
    room_id = record.text("id")
    kind = room_kind(record)
    stays = tuple(stay(member, conversation, numbers) for member in record.records("members"))
    if kind is RoomKind.DIRECT and len({one.sender_id for one in stays}) != 1:
        malformed("a direct message has one member", record.where("members"))
    return Room(room_id=room_id, kind=kind, display_name=room_id, stays=stays)


def room_kind(record: Record) -> RoomKind:
    """Return the kind of a room."""
    try:
        return RoomKind(record.text("kind"))
    except ValueError:
        malformed("the kind is neither `group` nor `dm`", record.where("kind"))


def stay(member: Record, conversation: Conversation, numbers: Mapping[str, int]) -> Stay:
    """Return from when and until when a member is there."""
    sender_id = member.text("principal")
    if sender_id not in conversation.people:
        malformed(f"`{sender_id}` is none of the episode's people", member.where("principal"))
    until = member.text_or("until", "")
    return Stay(
        sender_id=sender_id,
        first=turn_number(member, "from", numbers),
        until=turn_number(member, "until", numbers) if until else None,
    )


def turn_number(member: Record, name: str, numbers: Mapping[str, int]) -> int:
    """Return the number of the turn that field `name` names."""
    turn_id = member.text(name)
    if turn_id not in numbers:
        malformed(f"`{turn_id}` is no turn of the episode", member.where(name))
    return numbers[turn_id]
