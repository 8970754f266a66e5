"""The pipeline's own promises: plans, integrity, lagging indexes, limits, cards, subjects, input."""

import pickle  # noqa: TID251 - what unpickling makes is what is refused
from copy import copy
from dataclasses import replace
from datetime import timedelta

import pytest

from privity.engine.records import StoreRecord
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import HostFactsRevision, ResourceHandle, RunExposureRevision, SubjectHandle
from privity.model.mutations import Forget, Remember
from privity.model.operations import Operation
from privity.model.passages import Remembered
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.model.resources import Section
from privity.model.stores import StoreKind
from privity.sdk.errors import InputError
from privity.sdk.plugin import LineRange
from tests.engine.desk import AGENT, Desk, Seat, dm, person, room


def planned(desk: Desk, seat: Seat, operation: Operation = Operation.READ) -> tuple[AccessContext, Plan]:
    """Return a context with its plan."""
    context = desk.context(seat, operation)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    return context, plan


@pytest.mark.proves("context:brand", "case:ID-02")
def test_ID_02_a_context_that_the_host_does_not_hold_opens_nothing(desk: Desk) -> None:
    """A copy, an altered one and an unpickled one are refused before anything is looked up."""
    alice = desk.begin(dm("alice"))
    context = desk.context(alice, Operation.READ)
    forged = [copy(context), replace(context, operation=Operation.DELETE), pickle.loads(pickle.dumps(context))]  # noqa: S301
    outcomes = [desk.engine.authorize(made) for made in forged]

    assert [o.reason for o in outcomes if isinstance(o, Denied)] == [Reason.INVALID_CONTEXT] * 3


@pytest.mark.proves("policy:order:plan-bound")
def test_a_plan_serves_its_own_context_alone(desk: Desk) -> None:
    """Another context, an altered plan and a made-up one are refused at step 2."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    _, plan = planned(desk, alice)
    other = desk.context(alice, Operation.READ)
    own, mine = planned(desk, alice)
    altered = replace(mine, expires_at=mine.expires_at + timedelta(hours=1))
    outcomes = [
        desk.engine.search(other, plan, "launch", about=None, limit=6),
        desk.engine.search(own, altered, "launch", about=None, limit=6),
    ]

    assert {(o.reason, o.step) for o in outcomes if isinstance(o, Denied)} == {(Reason.INVALID_CONTEXT, 2)}
    assert len([o for o in outcomes if isinstance(o, Denied)]) == 2


@pytest.mark.proves("policy:order:plan-bound")
def test_a_plan_ends(desk: Desk) -> None:
    """A minute later the plan is over, and the context still good for another."""
    alice = desk.begin(dm("alice"))
    context, plan = planned(desk, alice)
    desk.clock.pass_by(timedelta(seconds=60))
    late = desk.engine.search(context, plan, "launch", about=None, limit=6)

    assert isinstance(late, Denied)
    assert (late.reason, late.step) == (Reason.PLAN_EXPIRED, 2)


@pytest.mark.proves("case:REV-04")
def test_REV_04_a_revocation_between_plan_and_commit_stops_the_write(desk: Desk) -> None:
    """The epoch is compared inside the transaction that would activate."""
    alice = desk.begin(dm("alice"))
    context, plan = planned(desk, alice, Operation.APPEND)
    desk.engine.advance_host_facts(AGENT, HostFactsRevision(1))
    desk.epoch = HostFactsRevision(1)
    refused = desk.engine.write(
        context, plan, Remember(text="Too late.", section=Section.NOTE, about=(), lifetime=None)
    )

    assert isinstance(refused, Denied)
    assert refused.reason is Reason.IDENTITY_REVOKED


@pytest.mark.proves("case:ID-19")
def test_ID_19_an_old_context_never_follows_a_rebound_session(desk: Desk) -> None:
    """A session key that maps elsewhere by now denies what was issued before."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May.")
    context, plan = planned(desk, alice)
    desk.rebound.add(alice.session_id)
    found = desk.engine.search(context, plan, "launch", about=None, limit=6)

    assert isinstance(found, Denied)
    assert found.reason is Reason.SESSION_REBOUND


@pytest.mark.proves("read:lane:exact-read")
def test_an_operation_is_not_another_one(desk: Desk) -> None:
    """A context issued for reading forgets nothing."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "My launch date is 3 May.")
    context, plan = planned(desk, alice)
    refused = desk.engine.write(context, plan, Forget(handle=handle))

    assert isinstance(refused, Denied)
    assert desk.texts(alice, "launch") == ["My launch date is 3 May."]


@pytest.mark.proves("case:POL-02", "case:DEL-07")
def test_DEL_07_what_expired_is_gone_at_the_tick(desk: Desk) -> None:
    """Expiry counts at its very instant, swept or not, and moves no statistic."""
    alice = desk.begin(dm("alice"))
    desk.remember(alice, "Parking code 1234.", lifetime=timedelta(seconds=60))
    desk.clock.pass_by(timedelta(seconds=59))
    before = desk.texts(alice, "parking")
    desk.clock.pass_by(timedelta(seconds=1))

    assert before == ["Parking code 1234."]
    assert desk.texts(desk.begin(dm("alice")), "parking") == []


@pytest.mark.proves("store:index:derived", "read:read-your-writes")
def test_a_lost_index_loses_nothing_and_changes_no_score(desk: Desk) -> None:
    """Rows above the watermark come from the catalog, with the very same scores."""
    alice = desk.begin(dm("alice"))
    for text in ("The launch is in May.", "The launch party needs a cake.", "Lunch at noon.", "北京旅游 launch 计划"):
        desk.kept(alice, text)
    indexed = desk.search(alice, "launch cake 旅游")
    store = own_store(desk)
    desk.backend.index.reset(AGENT, store)
    scanned = desk.search(alice, "launch cake 旅游")

    assert not isinstance(indexed, Denied)
    assert not isinstance(scanned, Denied)
    assert len(indexed) == 3
    assert [(p.handle, p.text, p.score) for p in scanned] == [(p.handle, p.text, p.score) for p in indexed]


def own_store(desk: Desk) -> StoreRecord:
    """Return Alice's own store."""
    return desk.backend.stores.find_stores(AGENT, [(StoreKind.USER, dm("alice").audiences[0])])[0]


@pytest.mark.proves("read:postfilter:before-limit")
def test_a_denied_neighbour_does_not_shorten_the_page(desk: Desk) -> None:
    """The limit counts permitted rows."""
    alice = desk.begin(dm("alice"))
    handles = [desk.kept(alice, f"launch launch launch {n}") for n in range(20)]
    for number in range(5):
        desk.kept(alice, f"the launch of something rather longer, number {number}")
    for handle in handles:
        desk.forget(alice, handle)
    found = desk.texts(desk.begin(dm("alice")), "launch", limit=5)

    assert len(found) == 5
    assert all("rather longer" in text for text in found)


@pytest.mark.proves("store:card:bounded", "case:DER-14")
def test_DER_14_the_card_has_an_end_and_is_its_owners(desk: Desk) -> None:
    """At most 40 entries and 4,000 characters, through bootstrap only."""
    alice = desk.begin(dm("alice"))
    for number in range(40):
        desk.kept(alice, f"entry {number}", section=Section.CARD)
    with pytest.raises(InputError, match="40 of 40 entries"):
        desk.remember(alice, "one more", section=Section.CARD)
    bob = desk.begin(dm("bob"))
    desk.kept(bob, "x" * 3_999, section=Section.CARD)
    with pytest.raises(InputError, match="3999 of 4000 characters"):
        desk.remember(bob, "yz", section=Section.CARD)

    assert desk.card(alice) == [f"entry {number}" for number in range(40)]
    assert desk.texts(alice, "entry") == []


@pytest.mark.proves("store:card:never-concatenated")
def test_a_rooms_card_is_written_by_its_owner_only(desk: Desk) -> None:
    """A member writes notes; the card is the named owner's."""
    member = desk.begin(room("team", "bob"))
    owned = room("team", "alice")
    assert owned.conversation is not None
    owned.conversation = replace(owned.conversation, owner_id=person("alice"))
    owner = desk.begin(owned)
    refused = desk.remember(member, "Team card", section=Section.CARD)
    kept = desk.remember(owner, "Team card", section=Section.CARD)

    assert isinstance(refused, Denied)
    assert isinstance(kept, Remembered)
    assert desk.card(member) == ["Team card"]


@pytest.mark.proves("case:ID-22", "store:about:exact-lookup", "store:about:same-name-two-ids")
def test_ID_22_two_people_of_one_name_stay_two(desk: Desk) -> None:
    """Lookup goes by issued handle; a name in the text resolves nobody."""
    team = desk.begin(replace(room("team", "mike1"), mentioned=(person("mike2"),)))
    first, second = desk.engine.subject_handles(desk.context(team, Operation.READ))
    desk.remember(team, "Mike likes tea.", about=[first])
    desk.remember(team, "Mike likes coffee.", about=[second])
    found = desk.search(team, "Mike likes", about=[second])
    with pytest.raises(InputError, match="subject handle"):
        desk.search(team, "Mike likes", about=[SubjectHandle("Mike")])

    assert not isinstance(found, Denied)
    assert [passage.text for passage in found] == ["Mike likes coffee."]
    assert found[0].about == (second,)


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize("text", ["", "  \n", "a\x00b", "lone \ud800 surrogate", "x" * (10 * 1024 * 1024)])
def test_WRITE_14_text_that_cannot_be_kept_exactly_is_refused(desk: Desk, text: str) -> None:
    """A clear error, and nothing changed."""
    alice = desk.begin(dm("alice"))
    with pytest.raises(InputError):
        desk.remember(alice, text)
    with pytest.raises(InputError):
        desk.search(alice, text)

    assert desk.backend.revisions.counts(AGENT).revisions == {}


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize(
    "text",
    [
        "👩🏽‍💻 ships",
        "قهوة",
        "दूध",
        "e\u0301 and é",
        "\u202eright-to-left",
        "\ufeffbom",
        "\U0001f468\u200d\U0001f469",
        "a\r\nb\tc",
    ],
)
def test_WRITE_14_any_other_text_comes_back_exactly(desk: Desk, text: str) -> None:
    """What was stored is what is read, to the code point."""
    alice = desk.begin(dm("alice"))
    kept = desk.kept(alice, text)
    read = desk.read(alice, kept)

    assert not isinstance(read, Denied)
    assert read.text == text


@pytest.mark.proves("case:SRCH-05")
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我下周去北京旅游", "北京"),
        ("明日の会議は十時です", "会議"),
        ("회의는 내일입니다", "내일"),
        ("iPhone手机坏了", "iphone"),
        ("iPhone手机坏了", "手机"),
        ("party 🎉 tonight", "🎉"),
        ("running late", "run"),
        ("Köln trip", "koln"),
        ("the file is /etc/hosts.conf", "hosts.conf"),
        ("100% sure", "100%"),
    ],
)
def test_SRCH_05_what_was_written_is_found(desk: Desk, text: str, query: str) -> None:
    """Words, parts of words in scripts without spaces, and signs."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, text)
    desk.kept(alice, "something else entirely")

    assert desk.texts(alice, query) == [text]


@pytest.mark.proves("case:READ-16")
@pytest.mark.parametrize(
    "query", ['"launch" OR x*', "NEAR(launch, 2)", "text:launch", "launch -party", "'; DROP TABLE x", "%", "_", "\\"]
)
def test_READ_16_query_syntax_is_only_words(desk: Desk, query: str) -> None:
    """No character of a query is an operator."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")
    found = desk.texts(alice, query)

    assert found == (["The launch party."] if "launch" in query else [])


@pytest.mark.proves("read:content:no-fallback", "read:content:hash-verified", "case:WRITE-08")
def test_WRITE_08_a_changed_artifact_is_never_served(desk: Desk) -> None:
    """A missing file denies, and the index's text does not stand in for it."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    desk.kept(alice, "The launch itself.")
    named = desk.parts.handles.open_resource(desk.context(alice, Operation.READ), handle)
    store = own_store(desk)
    assert named is not None
    desk.backend.artifacts.remove(AGENT, store.path_key, Section.NOTE, named.revision_id)
    again = desk.read(alice, handle)

    assert desk.texts(alice, "launch") == ["The launch itself."]
    assert isinstance(again, Denied)
    assert again.reason is Reason.REVISION_STALE


@pytest.mark.proves("read:lane:exact-read")
def test_lines_are_counted_from_one_and_end_where_the_text_does(desk: Desk) -> None:
    """A range shows what it says."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "one\ntwo\nthree")
    context, plan = planned(desk, alice)
    envelope = desk.engine.read(context, plan, handle, lines=LineRange(first=2, last=9))

    assert not isinstance(envelope, Denied)
    assert (envelope.value.text, envelope.value.lines, envelope.value.total_lines) == ("two\nthree", (2, 3), 3)


@pytest.mark.proves("read:lane:exact-read")
def test_lines_behind_the_end_are_an_error_and_show_nothing(desk: Desk) -> None:
    """Nothing is recorded as shown, and whoever may not read the note is not told how long it is."""
    alice, bob = desk.begin(dm("alice")), desk.begin(dm("bob"))
    handle = desk.kept(alice, "one\ntwo\nthree")
    context, plan = planned(desk, alice)
    with pytest.raises(InputError, match="begins at line 4, and there are 3") as refused:
        desk.engine.read(context, plan, handle, lines=LineRange(first=4, last=None))
    foreign, foreign_plan = planned(desk, bob)
    denied = desk.engine.read(foreign, foreign_plan, handle, lines=LineRange(first=4, last=None))

    assert refused.value.remedy == "ask for lines from 1 to 3"
    assert desk.backend.runs.list_shown(AGENT, alice.run_id, RunExposureRevision(9)) == ()
    assert isinstance(denied, Denied)


@pytest.mark.proves("policy:deny:empty-means-nothing")
@pytest.mark.parametrize("limit", [0, -1, 51, 10**12])
def test_a_limit_out_of_bounds_is_an_error_and_never_everything(desk: Desk, limit: int) -> None:
    """Negative and huge limits change nothing."""
    with pytest.raises(InputError):
        desk.search(desk.begin(dm("alice")), "launch", limit=limit)


@pytest.mark.proves("audit:no-content")
def test_a_denial_is_recorded_with_its_trace_and_no_text(desk: Desk) -> None:
    """The reason stands in the audit; the caller sees the same everywhere."""
    bob = desk.begin(dm("bob"))
    refused = desk.read(bob, ResourceHandle("r1_zanzibar"))
    records = desk.engine.pull_outbox(AGENT, 0, 100)
    denials = [record for record in records if record.kind == "denial"]

    assert isinstance(refused, Denied)
    assert [(d.reason, d.step, d.decision_id) for d in denials] == [(Reason.OUTSIDE_VIEW, 4, refused.decision_id)]
    assert refused.decision_id is not None
    explained = desk.engine.explain(AGENT, refused.decision_id)
    assert explained is not None
    assert explained.record == denials[0]
    assert "zanzibar" not in repr(records)


@pytest.mark.proves("read:prefilter:drift-counted", "case:READ-25")
def test_READ_25_what_only_the_postfilter_denied_is_counted_as_drift(desk: Desk) -> None:
    """A row whose file is gone is a candidate and nothing more, and an operator sees that it was."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    named = desk.parts.handles.open_resource(desk.context(alice, Operation.READ), handle)
    assert named is not None
    desk.backend.artifacts.remove(AGENT, own_store(desk).path_key, Section.NOTE, named.revision_id)
    found = desk.texts(alice, "launch")
    desk.engine.authorize(copy(desk.context(alice, Operation.READ)))
    counters = desk.engine.health(AGENT).counters

    assert found == []
    assert (counters["prefilter-drift"], counters["context-refused"], counters["index-lagging"]) == (1, 1, 0)
