"""A conversation becomes people, rooms, events and notes, through the host's own doors."""

from dataclasses import replace
from pathlib import Path

import pytest

from privity.host.options import Mode
from privity.migrate.chat import ChatFormat
from privity.migrate.conversation import Conversation
from privity.migrate.cues import Cue
from privity.migrate.replay import play
from privity.sdk.errors import ConflictError, DeniedError, InputError
from tests.migrate.homes import episode, theatre
from tests.migrate.samples import EVEROS, GATEMEM, LOCOMO, bent, parsed, written, written_lines


@pytest.mark.proves("transcript:label:actor-is-not-audience", "case:DER-11")
def test_each_turn_is_an_event_and_a_note(tmp_path: Path) -> None:
    """As many events and revisions as turns, replies of the assistant among them."""
    (chat,) = parsed(written(tmp_path, "solo.json", EVEROS), ChatFormat.EVEROS)

    with theatre(tmp_path / "home") as there:
        assert there.play(chat) == (0, 3)
        assert there.counts() == (3, 3)


@pytest.mark.proves("session:user:view", "session:conversation:no-private")
def test_a_direct_message_stays_out_of_the_room(tmp_path: Path) -> None:
    """What was said in private is found in private, and nowhere in the group."""
    with theatre(tmp_path / "home") as there:
        there.play(episode(tmp_path), until="t003")

        assert there.texts("ada", "code") == ["[2026-03-03T08:00] Ada (resident): The code is 1."]
        assert there.texts("ada", "code", "all") == []
        assert there.texts("bo", "hello", "all") == ["Bo (guest): Hello."]
        assert there.texts("bo", "code") == []


@pytest.mark.proves("session:membership:conversation-expires", "case:REV-02")
def test_who_leaves_a_room_is_refused_from_that_turn_on(tmp_path: Path) -> None:
    """Bo is in the room up to the turn before t004, and out of it from there."""
    with theatre(tmp_path / "home") as there:
        there.play(episode(tmp_path), until="t003")
        assert there.texts("bo", "hello", "all") != []

        there.play(episode(tmp_path))

        with pytest.raises(DeniedError) as refused:
            there.turn("bo", "all")
        assert refused.value.reason == "membership-stale"


@pytest.mark.proves("case:DEL-02")
def test_what_a_turn_takes_back_is_forgotten(tmp_path: Path) -> None:
    """The note of another room is forgotten, and so is the note of the deletion itself."""
    with theatre(tmp_path / "home") as there:
        there.play(episode(tmp_path))

        assert there.texts("ada", "code") == []
        assert there.texts("ada", "forget", "all") == []
        assert there.texts("ada", "noted") == ["[2026-03-03T08:01] Hub (agent): Noted."]


@pytest.mark.proves("case:MIG-02", "case:ID-22")
def test_equal_names_in_two_conversations_are_two_people(tmp_path: Path) -> None:
    """Ada of one conversation finds nothing of what Ada of the other one said."""
    first = bent(GATEMEM, ("episode_id",), "e1")
    second = bent(bent(GATEMEM, ("episode_id",), "e2"), ("turns", 0, "text"), "The code is 2.")

    with theatre(tmp_path / "home") as there:
        for chat in parsed(written_lines(tmp_path, "episodes.jsonl", [first, second]), ChatFormat.GATEMEM):
            there.play(chat)

        found = there.texts("ada", "code is")
        assert sorted(found) == [
            "Ada (resident): Forget the code.",
            "[2026-03-03T08:00] Ada (resident): The code is 1.",
        ]


@pytest.mark.proves("case:ID-20")
def test_a_guest_speaks_once_and_reads_nothing_after(tmp_path: Path) -> None:
    """A speaker who is no member of the group is let in for that turn alone."""
    chat = episode(tmp_path)
    stranger = replace(chat.turns[3], sender_id="bo")

    with theatre(tmp_path / "home") as there:
        there.play(replace(chat, turns=(*chat.turns[:3], stranger)))

        with pytest.raises(DeniedError):
            there.turn("bo", "all")


@pytest.mark.proves("case:MIG-01")
def test_an_import_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Turn by turn, over restarts, nothing is in twice; a finished import changes nothing."""
    (chat,) = parsed(written(tmp_path, "chats.json", [LOCOMO]), ChatFormat.LOCOMO)

    with theatre(tmp_path / "home") as there:
        assert there.play(chat, until="D2:1") == (0, 1)
        assert there.play(chat, until="D2:2") == (1, 2)
    with theatre(tmp_path / "home") as there:
        assert there.play(chat) == (2, 3)
        assert there.play(chat) == (3, 3)
        assert there.counts() == (3, 3)


@pytest.mark.proves("case:MIG-01")
def test_an_interrupt_between_two_turns_leaves_whole_turns(tmp_path: Path) -> None:
    """Ctrl-C stops the import, and others may write before it goes on."""

    def interrupt(cue: Cue) -> None:
        if cue.number == 1:
            raise KeyboardInterrupt

    chat = episode(tmp_path)
    with theatre(tmp_path / "home") as there:
        with pytest.raises(KeyboardInterrupt):
            play(there.stage, chat, until=None, watch=interrupt)
        with there.turn("ada") as run:
            run.remember("Meanwhile.")

        assert there.play(chat) == (2, 4)
        assert there.counts() == (4, 5)


@pytest.mark.proves("migrate:classify:ambiguous")
@pytest.mark.parametrize("mode", [Mode.DEVELOPMENT, Mode.PRODUCTION])
def test_only_an_evaluation_home_takes_what_nobody_can_prove(tmp_path: Path, mode: Mode) -> None:
    """Any other home refuses the import, and nothing is in it then."""
    with theatre(tmp_path / "home", mode) as there:
        with pytest.raises(InputError, match="no provable subject"):
            there.play(episode(tmp_path))

        assert there.counts() == (0, 0)


@pytest.mark.proves("case:MIG-01")
def test_other_content_under_a_known_name_is_a_conflict(tmp_path: Path) -> None:
    """A conversation that was imported does not change under its name."""
    chat = episode(tmp_path)
    changed = replace(chat, turns=chat.turns[:2])

    with theatre(tmp_path / "home") as there:
        there.play(chat)
        with pytest.raises(ConflictError, match="other content"):
            there.play(changed)


@pytest.mark.proves("case:MIG-01")
def test_a_turn_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A checkpoint names one of the turns."""
    with theatre(tmp_path / "home") as there:
        with pytest.raises(InputError, match="has no turn `t9`"):
            there.play(episode(tmp_path), until="t9")

        assert there.counts() == (0, 0)


@pytest.mark.proves("case:MIG-01")
def test_the_agent_speaking_where_nobody_is_is_refused(tmp_path: Path) -> None:
    """Somebody must be there on whose word the turn is played."""
    chat = episode(tmp_path)
    empty = {**chat.rooms, "own": replace(chat.rooms["all"], room_id="own", stays=())}

    with theatre(tmp_path / "home") as there:
        with pytest.raises(InputError, match="nobody is in `own` at turn `t002`"):
            there.play(Conversation(conversation_id="e1", people=chat.people, rooms=empty, turns=chat.turns[1:2]))

        assert there.counts() == (0, 0)
