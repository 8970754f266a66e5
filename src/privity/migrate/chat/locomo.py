"""LoCoMo: two people who talk over months. Each conversation becomes one room of both."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from privity.migrate.chat.turns import distinct
from privity.migrate.conversation import Conversation, Person, Room, RoomKind, SpeakerKind, Stay, Turn
from privity.migrate.records import Record, file_records, malformed

SESSION: Final = re.compile(r"session_(\d{1,9})")
TIME: Final = "%I:%M %p on %d %B, %Y"
ROOM: Final = "chat"


def locomo_conversations(path: Path) -> Iterator[Conversation]:
    """Yield the conversations of a LoCoMo file, in its order."""
    for record in file_records(path):
        yield locomo_conversation(record)


def locomo_conversation(record: Record) -> Conversation:
    """Return one record as a conversation of its two speakers."""
    body = record.record("conversation")
    people = locomo_people(body)
    stays = tuple(Stay(sender_id=name, first=0, until=None) for name in people)
    room = Room(room_id=ROOM, kind=RoomKind.GROUP, display_name=" and ".join(people), stays=stays)
    return Conversation(
        conversation_id=record.text("sample_id"),
        people=people,
        rooms={ROOM: room},
        turns=distinct(locomo_turns(body, people)),
    )


def locomo_people(body: Record) -> Mapping[str, Person]:
    """Return the two speakers by name; LoCoMo has no other id for them."""
    names = (body.text("speaker_a"), body.text("speaker_b"))
    if names[0] == names[1]:
        malformed("both speakers have the same name", body.where("speaker_b"))
    return {name: Person(sender_id=name, display_name=name, role=None, kind=SpeakerKind.HUMAN) for name in names}


def locomo_turns(body: Record, people: Mapping[str, Person]) -> Iterator[tuple[Turn, Record]]:
    """Yield the turns of all sessions in the order of the sessions' numbers."""
    for name in sorted(filter(SESSION.fullmatch, body.fields), key=session_number):
        stamp = body.text(f"{name}_date_time")
        at = session_time(stamp, body.where(f"{name}_date_time"))
        for record in body.records(name):
            yield locomo_turn(record, people, stamp, at), record


def session_number(name: str) -> int:
    """Return the number of the session that field `name` holds."""
    return int(name.removeprefix("session_"))


def session_time(stamp: str, where: str) -> datetime:
    """Return when a session took place; LoCoMo writes `1:56 pm on 8 May, 2023`."""
    try:
        return datetime.strptime(stamp, TIME).replace(tzinfo=UTC)
    except ValueError:
        malformed(f"`{stamp}` is no time like `1:56 pm on 8 May, 2023`", where)


def locomo_turn(record: Record, people: Mapping[str, Person], stamp: str, at: datetime) -> Turn:
    """Return one turn, with the caption of the picture it shows, if any."""
    sender_id = record.text("speaker")
    if sender_id not in people:
        malformed(f"`{sender_id}` is none of the two speakers", record.where("speaker"))
    caption = record.text_or("blip_caption", "")
    text = record.text("text")
    return Turn(
        turn_id=record.text("dia_id"),
        room_id=ROOM,
        sender_id=sender_id,
        stamp=stamp,
        at=at,
        text=f"{text} [picture: {caption}]" if caption else text,
        forgets=(),
    )
