"""Each published format becomes the one neutral form."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from privity.migrate.chat import ChatFormat
from privity.migrate.conversation import RoomKind, SpeakerKind, note_text
from tests.migrate.samples import EVEROS, GATEMEM, LOCOMO, ROOMS, bent, parsed, written, written_lines


@pytest.mark.proves("case:MIG-01")
def test_locomo_becomes_one_room_of_both_with_its_sessions_in_order(tmp_path: Path) -> None:
    """Session 2 comes before session 10, and both people stay in the room throughout."""
    (chat,) = parsed(written(tmp_path, "chats.json", [LOCOMO]), ChatFormat.LOCOMO)

    assert [turn.turn_id for turn in chat.turns] == ["D2:1", "D2:2", "D10:1"]
    assert chat.turns[0].at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    (room,) = chat.rooms.values()
    assert room.kind is RoomKind.GROUP
    assert room.members_at(0) == room.members_at(2) == {"Ada", "Bo"}


@pytest.mark.proves("case:MIG-01")
def test_a_picture_is_remembered_by_its_caption(tmp_path: Path) -> None:
    """What was shown is part of what was said."""
    (chat,) = parsed(written(tmp_path, "chats.json", [LOCOMO]), ChatFormat.LOCOMO)

    text = note_text(chat.people["Bo"], chat.turns[1])

    assert text == "[1:56 pm on 8 May, 2023] Bo: Look! [picture: a red kite]"


@pytest.mark.proves("case:MIG-01")
def test_one_person_with_an_assistant_is_a_direct_message(tmp_path: Path) -> None:
    """Messages follow each other in time, a repeated id is told apart, and the assistant is the agent."""
    (chat,) = parsed(written(tmp_path, "solo.json", EVEROS), ChatFormat.EVEROS)

    assert [turn.turn_id for turn in chat.turns] == ["m1", "m2", "m2#2"]
    assert chat.people["a1"].kind is SpeakerKind.AGENT
    (room,) = chat.rooms.values()
    assert room.kind is RoomKind.DIRECT
    assert room.members_at(0) == {"u1"}


@pytest.mark.proves("case:MIG-01")
def test_several_people_are_one_group(tmp_path: Path) -> None:
    """A team chat has one room, and what a person does stands beside the name."""
    bo = {"full_name": "Bo", "role": "user", "custom_role": "Baker"}
    team = bent(EVEROS, ("session_meta", "user_details", "u2"), bo)

    (chat,) = parsed(written(tmp_path, "team.json", team), ChatFormat.EVEROS)

    (room,) = chat.rooms.values()
    assert room.kind is RoomKind.GROUP
    assert room.members_at(0) == {"u1", "u2"}
    assert chat.people["u2"].role == "Baker"


@pytest.mark.proves("case:MIG-01")
def test_without_rooms_everybody_talks_to_the_agent_alone(tmp_path: Path) -> None:
    """The agent's turn stands in the direct message of the person before it."""
    (chat,) = parsed(written_lines(tmp_path, "episodes.jsonl", [GATEMEM]), ChatFormat.GATEMEM)

    assert [turn.room_id for turn in chat.turns] == ["ada", "ada", "bo", "ada"]
    assert all(room.kind is RoomKind.DIRECT for room in chat.rooms.values())
    assert note_text(chat.people["ada"], chat.turns[0]) == "[2026-03-03T08:00] Ada (resident): The code is 1."
    assert note_text(chat.people["bo"], chat.turns[2]) == "Bo (guest): Hello."


@pytest.mark.proves("case:MIG-01")
def test_rooms_say_where_each_turn_was_said_and_who_was_there(tmp_path: Path) -> None:
    """Members come and go at turns, and a deletion names the turns it takes back."""
    episodes = written_lines(tmp_path, "episodes.jsonl", [GATEMEM, bent(GATEMEM, ("episode_id",), "e2")])
    (tmp_path / "rooms").mkdir()
    written(tmp_path / "rooms", "01.json", ROOMS)

    (chat,) = parsed(episodes, ChatFormat.GATEMEM, tmp_path / "rooms")

    assert [turn.room_id for turn in chat.turns] == ["own", "own", "all", "all"]
    assert chat.rooms["all"].members_at(0) == {"ada"}
    assert chat.rooms["all"].members_at(2) == {"ada", "bo"}
    assert chat.rooms["all"].members_at(3) == {"ada"}
    assert chat.turns[3].forgets == ("t001", "t004")
