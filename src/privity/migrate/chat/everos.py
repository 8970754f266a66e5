"""EverOS: a team chat becomes one room, a chat of one person with an assistant a direct message."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from privity.migrate.chat.turns import iso_time
from privity.migrate.conversation import Conversation, Person, Room, RoomKind, SpeakerKind, Stay, Turn
from privity.migrate.records import Record, file_records, malformed

ROOM: Final = "chat"
AGENT_ROLE: Final = "assistant"


def everos_conversations(path: Path) -> Iterator[Conversation]:
    """Yield the conversations of an EverOS file."""
    for record in file_records(path):
        yield everos_conversation(record)


def everos_conversation(record: Record) -> Conversation:
    """Return one chat, its messages in the order of their times."""
    meta = record.record("session_meta")
    people = everos_people(meta)
    turns = sorted(everos_turns(record, people), key=moment)
    return Conversation(
        conversation_id=meta.text_or("group_id", meta.text("name")),
        people=people,
        rooms={ROOM: everos_room(meta, people)},
        turns=tuple(turns),
    )


def moment(turn: Turn) -> datetime:
    """Return when a turn was said."""
    return turn.at or datetime.min.replace(tzinfo=UTC)


def everos_people(meta: Record) -> Mapping[str, Person]:
    """Return the speakers by the file's ids."""
    details = meta.record("user_details")
    return {sender_id: everos_person(sender_id, details.record(sender_id)) for sender_id in details.fields}


def everos_person(sender_id: str, details: Record) -> Person:
    """Return one speaker; `custom_role` is what the person does, `role` whether it is one."""
    agent = details.text_or("role", "") == AGENT_ROLE
    return Person(
        sender_id=sender_id,
        display_name=details.text("full_name"),
        role=details.text_or("custom_role", "") or None,
        kind=SpeakerKind.AGENT if agent else SpeakerKind.HUMAN,
    )


def everos_room(meta: Record, people: Mapping[str, Person]) -> Room:
    """Return the chat's one room: direct when one person talks with the assistant alone."""
    humans = [person for person in people.values() if person.kind is SpeakerKind.HUMAN]
    if not humans:
        malformed("no person takes part", meta.where("user_details"))
    alone = len(humans) == 1 and len(people) > 1
    return Room(
        room_id=ROOM,
        kind=RoomKind.DIRECT if alone else RoomKind.GROUP,
        display_name=meta.text("name"),
        stays=tuple(Stay(sender_id=person.sender_id, first=0, until=None) for person in humans),
    )


def everos_turns(record: Record, people: Mapping[str, Person]) -> Iterator[Turn]:
    """Yield the messages. The published files repeat an id: the second is told apart by a number."""
    seen: Counter[str] = Counter()
    for message in record.records("conversation_list"):
        message_id = message.text("message_id")
        seen[message_id] += 1
        number = f"#{seen[message_id]}" if seen[message_id] > 1 else ""
        yield everos_turn(message, people, f"{message_id}{number}")


def everos_turn(message: Record, people: Mapping[str, Person], turn_id: str) -> Turn:
    """Return one message."""
    sender_id, stamp = message.text("sender"), message.text("create_time")
    if sender_id not in people:
        malformed(f"`{sender_id}` is not among the `user_details`", message.where("sender"))
    return Turn(
        turn_id=turn_id,
        room_id=ROOM,
        sender_id=sender_id,
        stamp=stamp,
        at=iso_time(stamp, message.where("create_time")),
        text=message.text("content"),
        forgets=(),
    )
