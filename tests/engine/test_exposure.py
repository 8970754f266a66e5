"""What was read decides where the answer may go, and what is written from it."""

from dataclasses import replace

import pytest

from privity.engine.records import EventLabel
from privity.model.audiences import Audience, AudienceKind
from privity.model.decisions import Denied
from privity.model.ids import RevisionId, RunExposureRevision
from privity.model.operations import Operation
from privity.model.passages import Forgotten, Remembered
from privity.model.reasons import Reason
from privity.model.resources import TrustClass
from privity.model.subjects import AutonomousKind
from tests.engine.desk import AGENT, Desk, Seat, autonomous, dm, person, room, room_id
from tests.engine.roles import fill_role

TEAM = Audience(kind=AudienceKind.CONVERSATION, id=room_id("team"))
ALICE = Audience(kind=AudienceKind.USER, id=person("alice"))
INTERNAL = Audience(kind=AudienceKind.INTERNAL, id=AGENT)


def allowed(desk: Desk, seat: Seat, *audiences: Audience) -> tuple[Audience, ...] | Denied:
    """Return which of `audiences` a release of the seat's run may reach."""
    run = desk.backend.runs.load_run(AGENT, seat.run_id)
    assert run is not None
    context = desk.context(seat, Operation.READ, audiences)
    receipt = desk.engine.authorize_egress(context, run.exposure_revision)
    return receipt if isinstance(receipt, Denied) else receipt.allowed_audiences


@pytest.mark.proves("egress:exposure-bounds-egress")
def test_a_private_run_may_answer_its_person_and_the_model_and_no_room(desk: Desk) -> None:
    """Every exposed audience covers every delivery audience, or nothing goes there."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch")

    assert allowed(desk, alice, ALICE, TEAM, INTERNAL) == (ALICE, INTERNAL)


@pytest.mark.proves("egress:exposure:window")
def test_nobody_launders_by_waiting_a_turn(desk: Desk) -> None:
    """The next turn reads nothing and still may not post what the last one read."""
    first = desk.begin(dm("alice"))
    desk.kept(first, "My launch date is 3 May.")
    desk.texts(first, "launch")
    second = desk.begin(dm("alice"), "post it to the team")

    assert allowed(desk, second, TEAM) == ()
    assert allowed(desk, second, ALICE) == (ALICE,)


@pytest.mark.proves("egress:exposure:begin-run")
def test_a_private_message_alone_binds_a_run_that_read_nothing(desk: Desk) -> None:
    """The incoming event itself is private."""
    assert allowed(desk, desk.begin(dm("alice"), "I am pregnant"), TEAM) == ()


@pytest.mark.proves("session:subject:successors-copy")
def test_a_new_window_inherits_exactly_what_the_old_one_was_shown(desk: Desk) -> None:
    """Reset, branch, fork and restore copy the policy set."""
    old = desk.begin(dm("alice"))
    desk.kept(old, "My launch date is 3 May.")
    desk.texts(old, "launch")
    fresh = replace(dm("alice"), session_id="ses_dm_alice_2")
    copied = desk.engine.inherit_window(desk.context(fresh, Operation.READ), old.session_id)

    before = desk.backend.runs.load_window(AGENT, old.session_id)
    after = desk.backend.runs.load_window(AGENT, fresh.session_id)
    assert copied is None
    assert before is not None
    assert after == replace(before, session_id=fresh.session_id)


@pytest.mark.proves("case:EGR-02")
def test_EGR_02_a_read_after_the_receipt_makes_it_stale(desk: Desk) -> None:
    """Leave to send is for what had been shown when it was given."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch")
    context = desk.context(alice, Operation.READ)
    stale = desk.engine.authorize_egress(context, RunExposureRevision(0))

    assert isinstance(stale, Denied)
    assert stale.reason is Reason.PLAN_EXPIRED


@pytest.mark.proves("derive:inherits-set", "derive:descendants:denied")
def test_a_copied_role_fact_dies_with_the_role(desk: Desk) -> None:
    """What is remembered after a role fact was shown needs the role as well."""
    seat = dm("alice", roles=["rol_finance"])
    fill_role(desk, "rol_finance", "The margin is 12 percent.")
    alice = desk.begin(seat)
    found = desk.texts(alice, "margin")
    copied = desk.remember(alice, "Note to self: margin twelve.")
    while_member = desk.texts(alice, "margin twelve")
    outside = replace(alice, memberships=())

    assert found == ["The margin is 12 percent."]
    assert isinstance(copied, Remembered)
    assert copied.derived
    assert sorted(while_member) == ["Note to self: margin twelve.", "The margin is 12 percent."]
    assert desk.texts(outside, "margin twelve") == []


@pytest.mark.proves("write:append-or-derive")
def test_what_is_remembered_before_anything_was_shown_is_no_derivation(desk: Desk) -> None:
    """A run that holds events of its own store only, appends."""
    alice = desk.begin(dm("alice"))
    first = desk.remember(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch")
    second = desk.remember(alice, "The launch moved.")

    assert isinstance(first, Remembered)
    assert isinstance(second, Remembered)
    assert (first.derived, second.derived) == (False, True)


@pytest.mark.proves("derive:descendants:denied")
def test_what_was_derived_from_a_forgotten_note_is_gone_with_it(desk: Desk) -> None:
    """A tombstone reaches descendants, and names them."""
    alice = desk.begin(dm("alice"))
    source = desk.kept(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch")
    derived = desk.kept(alice, "Remember the launch in early May.")
    forgotten = desk.forget(alice, source)

    assert forgotten == Forgotten(handle=source, descendants=(derived,))
    assert desk.texts(desk.begin(dm("alice")), "launch") == []


@pytest.mark.proves("derive:descendants:denied")
def test_a_person_who_had_something_forgotten_can_go_on(desk: Desk) -> None:
    """The forgotten revision is no source of what comes after it; its audience still binds."""
    alice = desk.begin(dm("alice"))
    source = desk.kept(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch")
    desk.forget(alice, source)
    desk.kept(alice, "Lunch is at noon.")

    assert desk.texts(alice, "lunch") == ["Lunch is at noon."]
    assert allowed(desk, alice, TEAM) == ()


@pytest.mark.proves("derive:trust:minimum")
def test_trust_of_a_derived_note_is_the_lowest_of_its_sources(desk: Desk) -> None:
    """A participant's words do not become the owner's by being copied."""
    alice = desk.begin(dm("alice", roles=["rol_finance"]))
    fill_role(desk, "rol_finance", "The margin is 12 percent.", trust=TrustClass.UNTRUSTED)
    desk.texts(alice, "margin")
    desk.kept(alice, "margin twelve")
    found = desk.search(alice, "twelve")

    assert not isinstance(found, Denied)
    assert [passage.trust for passage in found] == [TrustClass.UNTRUSTED]


def shown_by(desk: Desk, label: EventLabel) -> tuple[RevisionId, ...]:
    """Return what the run of an event had been shown by then."""
    return desk.backend.runs.list_shown(AGENT, label.run_id, label.exposure_revision)


@pytest.mark.proves("transcript:label:atomic", "transcript:label:minimum")
def test_every_event_carries_the_set_that_its_run_was_bound_by(desk: Desk) -> None:
    """The reply's label names what the run was shown, not only where it was said."""
    alice = desk.begin(dm("alice"), "hello")
    handle = desk.kept(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch")
    desk.engine.append_event(desk.context(alice, Operation.READ), desk.event(alice, "It is 3 May."))
    events = desk.backend.runs.list_events(AGENT, alice.session_id)
    named = desk.parts.handles.open_resource(desk.context(alice, Operation.READ), handle)

    assert [event.text for event in events] == ["hello", "It is 3 May."]
    assert named is not None
    assert [shown_by(desk, event.label) for event in events] == [(), (named.revision_id,)]
    assert [event.label.exposure_revision for event in events] == [0, 1]
    assert events[1].label.actor_id == person("alice")


@pytest.mark.proves("read:exposure:one-commit", "case:AUD-01")
def test_AUD_01_one_read_leaves_one_access_record_without_its_query(desk: Desk) -> None:
    """The audit says who, what and how many, and a keyed digest of the query."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    desk.texts(alice, "launch zanzibar")
    records = desk.engine.pull_outbox(AGENT, 0, 100)
    reads = [record for record in records if record.kind == "access"]

    assert len(reads) == 1
    assert reads[0].accessor_id == person("alice")
    assert reads[0].result_count == 1
    assert reads[0].query_digest is not None
    assert "zanzibar" not in repr(records)
    assert "launch date" not in repr(records)


@pytest.mark.proves("session:service:view")
def test_a_service_run_may_not_write_to_a_person(desk: Desk) -> None:
    """A service's own memory reaches the service alone."""
    cron = desk.begin(autonomous("cron", AutonomousKind.SERVICE))
    desk.kept(cron, "The nightly report ran.")
    desk.texts(cron, "report")

    assert allowed(desk, cron, ALICE) == ()


@pytest.mark.proves("case:READ-23")
def test_READ_23_a_read_is_denied_where_one_recipient_may_not_have_it(desk: Desk) -> None:
    """Recall is bounded by everyone who receives the reply."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    wider = replace(alice, audiences=(ALICE, TEAM))

    assert desk.texts(wider, "launch") == []
    assert desk.texts(desk.begin(room("team", "alice")), "launch") == []
