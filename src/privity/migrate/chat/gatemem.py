"""GateMem: many people around one agent. Its turns carry no room; a rooms file may add them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from privity.migrate.chat.rooms import Layout, layouts
from privity.migrate.chat.turns import distinct, iso_time
from privity.migrate.conversation import Conversation, Person, Room, RoomKind, SpeakerKind, Stay, Turn
from privity.migrate.records import Record, file_records, line_records, malformed

AGENT_ROLE: Final = "agent"
UNPLACED: Final = ""
LINES: Final = ".jsonl"


def gatemem_conversations(path: Path, rooms: Path | None) -> Iterator[Conversation]:
    """Yield the episodes of a GateMem file.

    With `rooms`, a file or a folder of them, only the episodes that it speaks of are yielded.
    Without it every person talks in a direct message of their own, and the agent's turns
    stand where the person before it spoke: what was said before others is then known to the
    speaker alone.
    """
    for record, layout in placed(path, rooms):
        plain = gatemem_episode(record)
        yield apart(plain) if layout is None else layout.applied(plain)


def placed(path: Path, rooms: Path | None) -> Iterator[tuple[Record, Layout | None]]:
    """Yield the episodes with their layouts, where there are layouts only those that have one."""
    known = None if rooms is None else layouts(rooms)
    unused = set(known or ())
    for record in line_records(path) if path.suffix == LINES else file_records(path):
        episode_id = record.text("episode_id")
        if known is None:
            yield record, None
        elif episode_id in known:
            unused.discard(episode_id)
            yield record, known[episode_id]
    if known and len(unused) == len(known):
        malformed("no episode of the file has a layout among the rooms", f"`{path.name}`")


def gatemem_episode(record: Record) -> Conversation:
    """Return one episode with its people and turns, the turns not placed in any room."""
    people = gatemem_people(record.record("entities"))
    turns = ((gatemem_turn(turn, people), turn) for turn in record.records("turns"))
    return Conversation(conversation_id=record.text("episode_id"), people=people, rooms={}, turns=distinct(turns))


def gatemem_people(entities: Record) -> Mapping[str, Person]:
    """Return the people of an episode, and its agent, by the file's ids."""
    people = (gatemem_person(record) for record in entities.records("principals"))
    return {person.sender_id: person for person in people}


def gatemem_person(record: Record) -> Person:
    """Return one person, or the agent."""
    role = record.text("role")
    return Person(
        sender_id=record.text("principal_id"),
        display_name=record.text("display_name"),
        role=role,
        kind=SpeakerKind.AGENT if role == AGENT_ROLE else SpeakerKind.HUMAN,
    )


def gatemem_turn(record: Record, people: Mapping[str, Person]) -> Turn:
    """Return one turn."""
    speaker = record.record("speaker")
    sender_id, stamp = speaker.text("principal_id"), record.text_or("timestamp", "")
    if sender_id not in people:
        malformed(f"`{sender_id}` is not among the principals", speaker.where("principal_id"))
    return Turn(
        turn_id=record.text("turn_id"),
        room_id=UNPLACED,
        sender_id=sender_id,
        stamp=stamp,
        at=iso_time(stamp, record.where("timestamp")) if stamp else None,
        text=record.text("text"),
        forgets=(),
    )


def apart(conversation: Conversation) -> Conversation:
    """Return the conversation with each person's turns in a direct message of their own."""
    humans = [person for person in conversation.people.values() if person.kind is SpeakerKind.HUMAN]
    spoken = [turn.sender_id for turn in conversation.turns if conversation.people[turn.sender_id] in humans]
    last = next(iter(spoken), UNPLACED)
    turns: list[Turn] = []
    for turn in conversation.turns:
        if conversation.people[turn.sender_id].kind is SpeakerKind.HUMAN:
            last = turn.sender_id
        turns.append(replace(turn, room_id=last))
    rooms = {person.sender_id: own_room(person) for person in humans}
    return replace(conversation, rooms=rooms, turns=tuple(turns))


def own_room(person: Person) -> Room:
    """Return the direct message of one person."""
    stay = Stay(sender_id=person.sender_id, first=0, until=None)
    return Room(room_id=person.sender_id, kind=RoomKind.DIRECT, display_name=person.display_name, stays=(stay,))
