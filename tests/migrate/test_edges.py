"""What a disk, a name or an earlier crash can do to an import."""

from dataclasses import replace
from pathlib import Path

import pytest

from privity.migrate import records
from privity.migrate.cast import LONGEST, cast_of, local_name
from privity.migrate.chat import ChatFormat
from privity.migrate.conversation import Conversation
from privity.migrate.journal import Counts, open_journal
from privity.model.ids import AgentId
from privity.sdk.errors import ConflictError, InputError, StorageFailedError
from tests.migrate.homes import episode, theatre
from tests.migrate.samples import GATEMEM, ROOMS, parsed, written, written_lines


@pytest.mark.proves("case:ID-04")
def test_long_and_odd_names_stay_apart(tmp_path: Path) -> None:
    """Names that are cut or cleaned for the adapter never meet."""
    chat = episode(tmp_path)
    names = ["a" * 300, "a" * 301, "a\nb", "a_b", "a\tb", " a", "a "]

    made = [local_name(chat, name) for name in names]

    assert len(set(made)) == len(names)
    assert all(len(name) <= LONGEST + 20 and name.isprintable() for name in made)


@pytest.mark.proves("identity:binding:revocation", "case:MIG-01")
def test_a_person_who_is_known_is_not_made_again(tmp_path: Path) -> None:
    """An import that goes on finds its people, and a revoked binding stays revoked."""
    with theatre(tmp_path / "home") as there:
        identities = there.host.operator().identities
        known = identities.add_local_person("e1/ada")
        identities.revoke_binding(identities.bindings(known)[0].binding_id)

        cast = cast_of(there.host, episode(tmp_path))

        assert cast.principals["ada"] == known
        assert [binding.revoked_at is None for binding in identities.bindings(known)] == [False]


@pytest.mark.proves("case:MIG-01")
def test_two_rooms_files_of_one_episode_are_refused(tmp_path: Path) -> None:
    """Nobody can say which of them is right."""
    episodes = written_lines(tmp_path, "episodes.jsonl", [GATEMEM])
    (tmp_path / "rooms").mkdir()
    for name in ("1.json", "2.json"):
        written(tmp_path / "rooms", name, ROOMS)

    with pytest.raises(InputError, match="a second file has the rooms of `e1`"):
        parsed(episodes, ChatFormat.GATEMEM, tmp_path / "rooms")


@pytest.mark.proves("case:MIG-01")
def test_a_file_that_is_far_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """Its size is looked at first."""
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(records.MAX_BYTES + 1)

    with pytest.raises(InputError, match="larger than 512 MiB"):
        records.file_text(huge)


@pytest.mark.proves("case:CRASH-02")
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """A path that the system refuses to open is no file that is missing."""
    with pytest.raises(StorageFailedError, match="cannot be read"):
        records.file_text(tmp_path / ("a" * 300))


@pytest.mark.proves("case:CRASH-02", "case:IDX-05")
def test_progress_that_cannot_be_kept_stops_the_import(tmp_path: Path) -> None:
    """Nothing is played of which nobody would know that it was."""
    chat = episode(tmp_path)
    with theatre(tmp_path / "home") as there:
        (tmp_path / "home" / "imports").write_text("in the way", encoding="utf-8")

        with pytest.raises(StorageFailedError, match="cannot be kept in"):
            there.play(chat)
        assert there.counts() == (0, 0)


@pytest.mark.proves("case:MIG-01")
def test_a_journal_knows_where_it_is(tmp_path: Path) -> None:
    """Each turn adds an event, then a revision; anything else is no progress of this import."""
    chat = replace(episode(tmp_path), conversation_id="journal")
    with open_journal(tmp_path / "imports", AgentId("agt_1"), chat) as journal:
        start = journal.position(Counts(events=7, revisions=9))
        journal.begin(start, Counts(events=7, revisions=9))

        assert (start.turns, start.event_is_in) == (0, False)
        assert journal.position(Counts(events=10, revisions=11)).turns == 2
        assert journal.position(Counts(events=10, revisions=11)).event_is_in
        for odd in (Counts(events=7, revisions=8), Counts(events=7, revisions=10), Counts(events=9, revisions=9)):
            with pytest.raises(ConflictError):
                journal.position(odd)


@pytest.mark.proves("case:MIG-02")
def test_each_agent_has_its_own_progress(tmp_path: Path) -> None:
    """The same conversation goes into two agents, whole into each."""
    chat: Conversation = episode(tmp_path)
    with theatre(tmp_path / "home") as there:
        there.play(chat)
        other = replace(there, agent=there.host.add_agent("other"))

        assert other.play(chat) == (0, 4)
        assert other.counts() == there.counts() == (4, 4)
