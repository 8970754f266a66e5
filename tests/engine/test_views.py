"""Who finds what: private stays with its person, a room's memory stays in the room."""

from dataclasses import replace

import pytest

from privity.model.context import Visibility
from privity.model.decisions import Denied
from privity.model.passages import Forgotten, Remembered
from privity.model.reasons import Reason
from privity.model.resources import Section
from privity.model.subjects import AutonomousKind
from tests.engine.desk import AGENT, Desk, autonomous, belonging, dm, nobody, person, room, room_id


@pytest.mark.proves("case:READ-01")
def test_READ_01_each_person_finds_only_their_own_fact_under_the_same_noun(desk: Desk) -> None:
    """Two people store facts with one noun; neither finds the other's."""
    alice, bob = desk.begin(dm("alice")), desk.begin(dm("bob"))
    desk.kept(alice, "My launch date is 3 May, keep it quiet.")
    desk.kept(bob, "My launch date is 9 June, tell nobody.")

    assert desk.texts(alice, "launch date") == ["My launch date is 3 May, keep it quiet."]
    assert desk.texts(bob, "launch date") == ["My launch date is 9 June, tell nobody."]


@pytest.mark.proves("read:isolation:two-people")
def test_a_room_finds_the_rooms_fact_and_no_members_private_one(desk: Desk) -> None:
    """A group reads its own store and no member's."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch budget is 40,000, privately.")
    desk.kept(alice, "Alice is allergic to nuts.", section=Section.CARD)
    team = desk.begin(room("team", "alice"))
    desk.kept(team, "The launch meeting is on Monday.")

    assert desk.texts(team, "launch budget allergic") == ["The launch meeting is on Monday."]
    assert desk.card(team) == []
    assert desk.texts(alice, "launch") == ["The launch budget is 40,000, privately."]


@pytest.mark.proves("case:ID-20")
def test_ID_20_who_speaks_last_does_not_change_what_the_room_finds(desk: Desk) -> None:
    """The view is the channel's; an unattributed speaker reads and changes nothing."""
    desk.kept(desk.begin(room("team", "alice")), "Stand-up is at 9:30.")
    stranger = desk.begin(room("team", None))
    refused = desk.remember(stranger, "Stand-up is cancelled.")

    assert desk.texts(desk.begin(room("team", "bob")), "stand-up") == ["Stand-up is at 9:30."]
    assert desk.texts(stranger, "stand-up") == ["Stand-up is at 9:30."]
    assert isinstance(refused, Denied)
    assert refused.reason is Reason.DEFAULT_DENY


@pytest.mark.proves("session:membership:conversation-expires")
def test_somebody_who_left_the_room_gets_no_plan_at_all(desk: Desk) -> None:
    """A stale membership denies the room, and not even the shared rest is offered instead."""
    desk.kept(desk.begin(room("team", "alice")), "Stand-up is at 9:30.")
    gone = room("team", "bob", member=False)

    found = desk.search(replace(gone, run_id=desk.begin(room("team", "alice")).run_id), "stand-up")

    assert isinstance(found, Denied)
    assert found.reason is Reason.MEMBERSHIP_STALE


@pytest.mark.proves("case:DLG-02")
def test_DLG_02_a_service_finds_its_own_notes_and_cannot_delete_them(desk: Desk) -> None:
    """An autonomous run sees its own store only, and never deletes."""
    desk.kept(desk.begin(dm("alice")), "The nightly report goes to Alice.")
    cron = desk.begin(autonomous("cron"))
    handle = desk.kept(cron, "The nightly report ran.")
    forgotten = desk.forget(cron, handle)

    assert desk.texts(cron, "nightly report") == ["The nightly report ran."]
    assert isinstance(forgotten, Denied)
    assert forgotten.reason is Reason.DEFAULT_DENY


@pytest.mark.proves("case:ID-16")
def test_ID_16_an_ambiguous_session_finds_nothing_private_and_writes_nothing(desk: Desk) -> None:
    """Nobody in particular mounts nothing private and leaves no durable trace."""
    desk.kept(desk.begin(dm("alice")), "My launch date is 3 May.")
    anybody = desk.begin(nobody())
    refused = desk.remember(anybody, "Remember me.")

    assert desk.texts(anybody, "launch date") == []
    assert isinstance(refused, Denied)
    assert desk.backend.runs.list_events(AGENT, anybody.session_id) == ()


@pytest.mark.proves("session:incognito:narrows", "session:incognito:nothing-durable")
def test_incognito_reads_nothing_private_and_writes_nothing(desk: Desk) -> None:
    """Incognito narrows a person's own session to what the agent shares."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    hidden = desk.begin(replace(dm("alice"), visibility=Visibility.INCOGNITO))
    refused = desk.remember(hidden, "And mine is 4 May.")

    assert desk.texts(hidden, "launch date") == []
    assert isinstance(refused, Denied)


@pytest.mark.proves("read:read-your-writes")
def test_what_was_remembered_is_found_by_the_next_line_and_gone_after_forgetting(desk: Desk) -> None:
    """Read-your-writes, and a tombstone denies every lane at once."""
    alice = desk.begin(dm("alice"))
    kept = desk.remember(alice, "Stand-up moved to 9:30.")
    assert isinstance(kept, Remembered)
    before = desk.texts(alice, "stand-up")
    forgotten = desk.forget(alice, kept.handle)

    assert before == ["Stand-up moved to 9:30."]
    assert isinstance(forgotten, Forgotten)
    assert desk.texts(alice, "stand-up") == []
    again = desk.read(alice, kept.handle)
    assert isinstance(again, Denied)
    assert again.reason is Reason.REVISION_STALE


@pytest.mark.proves("case:API-04")
def test_API_04_a_handle_of_another_session_opens_nothing(desk: Desk) -> None:
    """A handle is a name within its session: foreign, garbage and raw names fail alike."""
    alice, bob = desk.begin(dm("alice")), desk.begin(dm("bob"))
    handle = desk.kept(alice, "My launch date is 3 May.")

    outcomes = [desk.read(bob, name) for name in (handle, "r1_garbage", "", "../../etc/passwd", handle + "=")]

    assert {(o.reason, o.step) for o in outcomes if isinstance(o, Denied)} == {(Reason.OUTSIDE_VIEW, 4)}
    assert len(outcomes) == 5


@pytest.mark.proves("store:kind:role")
def test_a_role_is_read_in_private_while_membership_lasts_and_never_in_a_room(desk: Desk) -> None:
    """A member of a role does not bring the role into a room."""
    seat = dm("alice", roles=["rol_finance"])
    alice = desk.begin(seat)
    team = room("team", "alice")
    team.memberships = (*team.memberships, belonging(person("alice"), "rol_finance"))

    assert desk.texts(alice, "anything") == []
    assert desk.texts(desk.begin(team), "anything") == []


@pytest.mark.proves("case:ID-04")
@pytest.mark.parametrize("other", ["alice2", "alic", "Alice", "alice%", "alice/", "alice "])
def test_ID_04_ids_that_resemble_each_other_share_nothing(desk: Desk, other: str) -> None:
    """Prefixes, case and encodings of an id are other ids."""
    desk.kept(desk.begin(dm("alice")), "The safe code is 4711.")

    assert desk.texts(desk.begin(dm(other)), "safe code") == []
    assert room_id("alice") != person("alice")


@pytest.mark.proves("policy:admin:no-ambient-read")
def test_the_system_reads_no_persons_store(desk: Desk) -> None:
    """An operator's own session holds nothing private."""
    desk.kept(desk.begin(dm("alice")), "The safe code is 4711.")

    assert desk.texts(desk.begin(autonomous("operator", AutonomousKind.SYSTEM)), "safe code") == []
