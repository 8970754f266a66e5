"""Authority that moves, disks that fail, runs that are not one's own: denied or repaired, never wider."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from privity.backends.inmemory.backend import open_memory
from privity.engine.bound import as_it_is
from privity.engine.intent import trust_of
from privity.engine.ports import MovedError
from privity.engine.records import Artifact, IndexRow
from privity.model.context import AccessContext, CollaborationMode, CollaborationRole, SharedSession, Visibility
from privity.model.decisions import Denied
from privity.model.ids import (
    CollaborationRevision,
    HostFactsRevision,
    PolicyId,
    ResourceHandle,
    RunExposureRevision,
    RunId,
    SessionId,
)
from privity.model.mutations import Amendment, AmendmentKind, Remember
from privity.model.operations import Operation
from privity.model.passages import Forgotten, Remembered
from privity.model.plans import Plan
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.resources import Integrity, Section, TrustClass
from privity.model.stores import StoreKind
from privity.model.subjects import AutonomousKind
from privity.sdk.errors import StorageFailedError
from tests.engine.desk import AGENT, CountingEntropy, Desk, Seat, StoppedClock, autonomous, dm, nobody, person, room
from tests.engine.roles import fill_role, place_card
from tests.engine.trouble import Trouble, TroubledBackend

MOVED = MovedError("test")
BROKEN = StorageFailedError("the disk is full", remedy="free some")


@pytest.fixture
def troubled() -> tuple[Desk, Trouble]:
    """Return a desk over a backend that fails when told."""
    clock, entropy = StoppedClock(), CountingEntropy()
    backend = TroubledBackend(open_memory(entropy=entropy))
    return Desk(backend, clock=clock, entropy=entropy), backend.trouble


def plan_for(desk: Desk, seat: Seat, operation: Operation) -> tuple[AccessContext, Plan]:
    """Return a context and its plan."""
    context = desk.context(seat, operation)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    return context, plan


@pytest.mark.proves("context:host-facts-revalidated")
def test_a_read_whose_authority_moved_is_decided_again(troubled: tuple[Desk, Trouble]) -> None:
    """Twice it is done again; a third time it is over."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")
    trouble.fail("expose", MOVED, times=2)
    again = desk.search(alice, "launch")
    trouble.fail("expose", MOVED, times=3)
    over = desk.search(alice, "launch")

    assert not isinstance(again, Denied)
    assert [passage.text for passage in again] == ["The launch party."]
    assert isinstance(over, Denied)
    assert over.reason is Reason.PLAN_EXPIRED
    assert desk.engine.health(AGENT).counters["authority-moved"] == 5


@pytest.mark.proves("write:rechecked-before-mutation")
@pytest.mark.parametrize("call", ["activate", "tombstone", "amend", "append_event", "begin_run"])
def test_a_commit_whose_authority_keeps_moving_changes_nothing(troubled: tuple[Desk, Trouble], call: str) -> None:
    """Every commit compares, and gives up after a few times."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    operator = desk.begin(autonomous("operator", AutonomousKind.SYSTEM))
    desk.publish(operator, "Office hours are 9 to 5.")
    before = len(desk.backend.runs.list_events(AGENT, alice.session_id))
    trouble.fail(call, MOVED, times=3)
    outcome = {
        "activate": lambda: desk.remember(alice, "Another."),
        "tombstone": lambda: desk.forget(alice, handle),
        "amend": lambda: grant(desk, operator),
        "append_event": lambda: desk.engine.append_event(desk.context(alice, Operation.READ), desk.event(alice, "x")),
        "begin_run": lambda: desk.engine.begin_run(
            desk.context(replace(alice, run_id=RunId("run_late")), Operation.READ), desk.event(alice, "x")
        ),
    }[call]()

    assert isinstance(outcome, Denied)
    assert outcome.reason is Reason.PLAN_EXPIRED
    assert desk.texts(alice, "launch another") == ["The launch party."]
    assert len(desk.backend.runs.list_events(AGENT, alice.session_id)) == before


def grant(desk: Desk, seat: Seat) -> int | Denied:
    """Grant leave to publish."""
    context = desk.context(seat, Operation.POLICY_ADMIN)
    plan = desk.engine.authorize(context)
    if isinstance(plan, Denied):
        return plan
    amendment = Amendment(
        kind=AmendmentKind.GRANT,
        effect=Effect.ALLOW,
        capability=Operation.PUBLISH,
        grantee_id=person("alice"),
        lifetime=None,
    )
    return desk.engine.amend_rules(context, plan, amendment)


@pytest.mark.proves("read:read-your-writes")
def test_a_write_stands_when_its_index_fails_and_is_found_all_the_same(troubled: tuple[Desk, Trouble]) -> None:
    """The scan above the watermark covers the gap, and an operator sees the lag."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    trouble.fail("apply", BROKEN)
    kept = desk.remember(alice, "The launch party.")

    assert isinstance(kept, Remembered)
    assert desk.texts(alice, "launch") == ["The launch party."]
    assert desk.engine.health(AGENT).counters["index-lagging"] == 1


@pytest.mark.proves("lifecycle:delete:recoverable")
def test_what_was_forgotten_is_gone_when_clearing_it_away_fails(troubled: tuple[Desk, Trouble]) -> None:
    """The tombstone decides; the file that is left is counted."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    trouble.fail("remove", BROKEN)
    forgotten = desk.forget(alice, handle)

    assert isinstance(forgotten, Forgotten)
    assert desk.texts(alice, "launch") == []
    assert desk.engine.health(AGENT).counters["artifact-left"] == 1


@pytest.mark.proves("write:durable-before-ack")
@pytest.mark.parametrize("call", ["stage", "finalize", "activate"])
def test_a_write_that_did_not_commit_is_an_error(troubled: tuple[Desk, Trouble], call: str) -> None:
    """A failing disk is said, and nothing is readable."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    trouble.fail(call, BROKEN)
    with pytest.raises(StorageFailedError):
        desk.remember(alice, "The launch party.")

    assert desk.texts(alice, "launch") == []


@pytest.mark.proves("context:run-id-always", "case:EGR-05")
def test_EGR_05_a_run_of_another_window_serves_nothing(desk: Desk) -> None:
    """A run that never began, or is somebody else's, reads, writes and sends nothing."""
    alice, bob = desk.begin(dm("alice")), desk.begin(dm("bob"))
    desk.kept(alice, "The launch party.")
    outcomes: list[object] = []
    for run_id in (RunId("run_made_up"), bob.run_id):
        wrong = replace(alice, run_id=run_id)
        context = desk.context(wrong, Operation.READ)
        outcomes += [
            desk.search(wrong, "launch"),
            desk.remember(wrong, "x"),
            desk.engine.append_event(context, desk.event(wrong, "x")),
            desk.engine.authorize_egress(desk.context(wrong, Operation.READ), RunExposureRevision(0)),
        ]

    assert [o.reason for o in outcomes if isinstance(o, Denied)] == [Reason.INVALID_CONTEXT] * 8


@pytest.mark.proves("context:brand", "case:ID-02")
def test_ID_02_no_call_of_the_engine_takes_a_context_that_the_host_does_not_hold(desk: Desk) -> None:
    """Every call refuses it at step 1, and records nothing of what it claims."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    _, plan = plan_for(desk, alice, Operation.READ)
    forged = replace(desk.context(alice, Operation.READ), session_id=SessionId("ses_forged"))
    before = len(desk.engine.pull_outbox(AGENT, 0, 1000))
    engine, event = desk.engine, desk.event(alice, "x")
    remember = Remember(text="x", section=Section.NOTE, about=(), lifetime=None)
    amendment = Amendment(
        kind=AmendmentKind.GRANT, effect=Effect.DENY, capability=Operation.READ, grantee_id=None, lifetime=None
    )
    outcomes = [
        engine.authorize(forged),
        engine.begin_run(forged, event),
        engine.inherit_window(forged, alice.session_id),
        engine.authorize_egress(forged, RunExposureRevision(0)),
        engine.search(forged, plan, "launch", about=None, limit=6),
        engine.read(forged, plan, handle, lines=None),
        engine.bootstrap(forged, plan),
        engine.export(forged, plan, [handle]),
        engine.write(forged, plan, remember),
        engine.preview_forget(forged, plan, handle),
        engine.append_event(forged, event),
        engine.sync(forged, plan),
        engine.amend_rules(forged, plan, amendment),
    ]

    assert {(o.reason, o.step, o.decision_id) for o in outcomes if isinstance(o, Denied)} == {
        (Reason.INVALID_CONTEXT, 1, None)
    }
    assert len([o for o in outcomes if isinstance(o, Denied)]) == 13
    assert engine.subject_handles(forged) == ()
    assert len(engine.pull_outbox(AGENT, 0, 1000)) == before


@pytest.mark.proves("session:rebound")
def test_a_rebound_session_begins_inherits_sends_and_appends_nothing(desk: Desk) -> None:
    """The context is looked at again at every door."""
    alice = desk.begin(dm("alice"))
    contexts = [desk.context(alice, Operation.READ) for _ in range(5)]
    desk.rebound.add(alice.session_id)
    outcomes = [
        desk.engine.authorize(contexts[0]),
        desk.engine.begin_run(contexts[1], None),
        desk.engine.inherit_window(contexts[2], SessionId("ses_other")),
        desk.engine.authorize_egress(contexts[3], RunExposureRevision(0)),
        desk.engine.append_event(contexts[4], desk.event(alice, "x")),
    ]

    assert [o.reason for o in outcomes if isinstance(o, Denied)] == [Reason.SESSION_REBOUND] * 5


@pytest.mark.proves("case:REV-04")
def test_REV_04_a_revocation_while_searching_wins(troubled: tuple[Desk, Trouble]) -> None:
    """The snapshot after the candidates is the one that counts."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")

    def revoke() -> None:
        desk.engine.advance_host_facts(AGENT, HostFactsRevision(1))
        desk.epoch = HostFactsRevision(1)

    trouble.interrupt("match", revoke)
    found = desk.search(alice, "launch")

    assert isinstance(found, Denied)
    assert found.reason is Reason.IDENTITY_REVOKED


@pytest.mark.proves("policy:order:plan-bound")
def test_a_policy_that_changes_while_searching_ends_the_plan(troubled: tuple[Desk, Trouble]) -> None:
    """A grant in between moves the authority, and the plan was for the old one."""
    desk, trouble = troubled
    operator, alice = desk.begin(autonomous("operator", AutonomousKind.SYSTEM)), desk.begin(dm("alice"))
    desk.publish(operator, "Office hours are 9 to 5.")

    def grant_meanwhile() -> None:
        assert isinstance(grant(desk, operator), int)

    trouble.interrupt("match", grant_meanwhile)
    found = desk.search(alice, "office")

    assert isinstance(found, Denied)
    assert found.reason is Reason.PLAN_EXPIRED


@pytest.mark.proves("session:subject:successors-copy")
def test_a_window_inherits_once_and_from_what_was_shown_something(desk: Desk) -> None:
    """An empty source gives nothing, and a window that has begun takes nothing over."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")
    desk.texts(alice, "launch")
    fresh = replace(dm("alice"), session_id=SessionId("ses_fresh"))
    nothing = desk.engine.inherit_window(desk.context(fresh, Operation.READ), SessionId("ses_unseen"))
    begun = desk.begin(fresh)
    late = desk.engine.inherit_window(desk.context(begun, Operation.READ), alice.session_id)

    assert nothing is None
    assert isinstance(late, Denied)
    assert late.reason is Reason.SESSION_REBOUND


@pytest.mark.proves("session:subject:successors-copy")
def test_inheriting_once_more_is_as_good_as_once(desk: Desk) -> None:
    """A host that was killed between the copy and its own note of it copies again."""
    alice = desk.begin(dm("alice"))
    fresh = replace(dm("alice"), session_id=SessionId("ses_fresh"))
    outcomes = [desk.engine.inherit_window(desk.context(fresh, Operation.READ), alice.session_id) for _ in range(2)]

    assert outcomes == [None, None]


@pytest.mark.proves("session:collaboration:modes-and-roles")
def test_a_viewer_reads_and_changes_nothing(desk: Desk) -> None:
    """The host's decision about the session narrows mutation."""
    writer = desk.begin(room("team", "alice"))
    handle = desk.kept(writer, "Stand-up is at 9:30.")
    shared = SharedSession(
        mode=CollaborationMode.SHARED,
        role=CollaborationRole.VIEWER,
        decision_revision=CollaborationRevision("cor_1"),
    )
    viewer = desk.begin(replace(room("team", "bob"), collaboration=shared))
    refused = [desk.remember(viewer, "No."), desk.forget(viewer, handle)]

    assert desk.texts(viewer, "stand-up") == ["Stand-up is at 9:30."]
    assert [r.reason for r in refused if isinstance(r, Denied)] == [Reason.DEFAULT_DENY] * 2


@pytest.mark.proves("derive:audience:never-broader")
def test_nothing_is_derived_once_a_source_may_not_reach_here_any_more(desk: Desk) -> None:
    """A window that was shown a role fact derives nothing without the role."""
    alice = desk.begin(dm("alice", roles=["rol_finance"]))
    fill_role(desk, "rol_finance", "The margin is 12 percent.")
    desk.texts(alice, "margin")
    refused = desk.remember(replace(alice, memberships=()), "margin twelve")

    assert isinstance(refused, Denied)
    assert refused.reason is Reason.LINEAGE_DENY


@pytest.mark.proves("store:index:derived")
def test_sync_catches_up_the_mounted_stores_only(troubled: tuple[Desk, Trouble]) -> None:
    """A lagging index is brought up to date by whoever mounts it, and no other."""
    desk, trouble = troubled
    alice, bob = desk.begin(dm("alice")), desk.begin(dm("bob"))
    trouble.fail("apply", BROKEN, times=2)
    handle = desk.kept(alice, "The launch party.")
    desk.kept(bob, "The lunch party.")
    context, plan = plan_for(desk, alice, Operation.SYNC)
    first = desk.engine.sync(context, plan)
    again = desk.engine.sync(context, plan)

    assert not isinstance(first, Denied)
    assert not isinstance(again, Denied)
    assert (first.rows, again.rows) == (1, 0)
    assert desk.read(alice, handle)


@pytest.mark.proves("read:lane:exact-read")
def test_export_is_all_or_nothing_and_from_the_own_store(desk: Desk) -> None:
    """One handle that may not go leaves all of them."""
    alice = desk.begin(dm("alice"))
    handles = [desk.kept(alice, text) for text in ("One.", "Two.")]
    context = desk.context(alice, Operation.EXPORT)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    whole = desk.engine.export(context, plan, handles)
    part = desk.engine.export(context, plan, [*handles, ResourceHandle("r1_made_up")])

    assert not isinstance(whole, Denied)
    assert [passage.text for passage in whole.value] == ["One.", "Two."]
    assert isinstance(part, Denied)


@pytest.mark.proves("store:card:notes-on-demand")
def test_a_card_entry_is_not_read_by_handle_and_can_be_forgotten_by_it(desk: Desk) -> None:
    """Bootstrap is the card's only lane out; its handle still names it for forgetting."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "Prefers short answers.", section=Section.CARD)
    read = desk.read(alice, handle)
    foreign = desk.forget(desk.begin(dm("bob")), handle)
    unknown = desk.forget(alice, ResourceHandle("r1_made_up"))
    forgotten = desk.forget(alice, handle)

    assert isinstance(read, Denied)
    assert read.reason is Reason.OUTSIDE_VIEW
    assert [d.reason for d in (foreign, unknown) if isinstance(d, Denied)] == [Reason.OUTSIDE_VIEW] * 2
    assert isinstance(forgotten, Forgotten)
    assert desk.card(alice) == []


@pytest.mark.proves("store:card:bounded")
def test_a_card_whose_index_lags_is_no_note(troubled: tuple[Desk, Trouble]) -> None:
    """Rows above the watermark are scanned, cards among them, and only notes are found."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    trouble.fail("apply", BROKEN, times=2)
    card = desk.kept(alice, "Prefers short answers.", section=Section.CARD)
    store = desk.backend.stores.find_stores(AGENT, [(StoreKind.USER, dm("alice").audiences[0])])[0]
    named = desk.parts.handles.open_resource(desk.context(alice, Operation.READ), card)
    assert named is not None
    found = desk.texts(alice, "short answers")
    desk.backend.artifacts.remove(AGENT, store.path_key, Section.CARD, named.revision_id)

    assert found == []
    assert desk.card(alice) == []


@pytest.mark.proves("derive:trust:minimum")
def test_trust_says_whose_words_a_note_holds(desk: Desk) -> None:
    """The person's own, a participant's, the system's, an agent's."""
    cases = [
        (desk.begin(dm("alice")), TrustClass.OWNER),
        (desk.begin(room("team", "alice")), TrustClass.PARTICIPANT),
        (desk.begin(autonomous("operator", AutonomousKind.SYSTEM)), TrustClass.SYSTEM),
        (desk.begin(autonomous("cron", AutonomousKind.SERVICE)), TrustClass.AGENT),
    ]
    for seat, trust in cases:
        desk.kept(seat, "Remember the launch.")
        found = desk.search(seat, "launch")
        assert not isinstance(found, Denied)
        assert [passage.trust for passage in found] == [trust]


@pytest.mark.proves("policy:deny:on-error")
def test_what_is_missing_meets_no_requirement() -> None:
    """A policy that is not there is asked for at a revision that none has."""
    unmet = as_it_is(PolicyId("pol_gone"), {})

    assert (unmet.expected_revision, unmet.expected_epoch) == (-1, -1)


@pytest.mark.proves("read:content:hash-verified")
def test_an_allowed_row_without_content_is_permitted_nothing(desk: Desk) -> None:
    """A backend that calls an artifact verified and hands out no bytes gets a denial for it."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    captured: list[object] = []
    real = desk.backend.artifacts

    class Hollow:
        """Verifies everything and holds nothing."""

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

        def load(self, *_: object) -> Artifact:
            """Claim to have verified."""
            captured.append(1)
            return Artifact(integrity=Integrity.VERIFIED, content=None)

    hollow = TroubledBackend(desk.backend)
    hollow.artifacts = Hollow()  # pyright: ignore[reportAttributeAccessIssue]
    other = Desk(hollow, clock=desk.clock, entropy=desk.entropy)
    found = other.search(replace(alice), "launch")
    read = other.read(replace(alice), handle)

    assert found == ()
    assert captured
    assert isinstance(read, Denied)
    assert (read.reason, read.step) == (Reason.REVISION_STALE, 5)


@pytest.mark.proves("policy:order:inherited-requirements", "policy:trace")
def test_a_denied_row_is_denied_for_its_own_reason(desk: Desk) -> None:
    """What the evaluator said of the row is what the audit says, not that its bytes are missing."""
    alice = desk.begin(dm("alice", roles=["rol_finance"]))
    fill_role(desk, "rol_finance", "The margin is 12 percent.")
    desk.texts(alice, "margin")
    derived = desk.kept(alice, "Margin twelve.")
    read = desk.read(replace(alice, memberships=()), derived)

    assert isinstance(read, Denied)
    assert (read.reason, read.step) == (Reason.LINEAGE_DENY, 10)


@pytest.mark.proves("store:card:bounded")
def test_a_card_that_grew_too_long_elsewhere_is_cut_at_its_bound(troubled: tuple[Desk, Trouble]) -> None:
    """Reading holds the bound as well as writing."""
    desk, _ = troubled
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "a" * 3_000, section=Section.CARD)
    place_card(desk, "alice", "b" * 2_000)

    assert desk.card(alice) == ["a" * 3_000]


@pytest.mark.proves("session:conversation:no-private")
def test_an_unattributed_speaker_amends_and_names_nobody(desk: Desk) -> None:
    """No principal, no leave, no handle."""
    stranger = desk.begin(room("team", None))
    refused = grant(desk, stranger)

    assert isinstance(refused, Denied)
    assert desk.engine.subject_handles(desk.context(stranger, Operation.READ)) == ()


@pytest.mark.proves("read:postfilter:authoritative")
def test_a_query_of_nothing_findable_finds_nothing(desk: Desk) -> None:
    """Signs that are in no note, and a lifetime that has not ended."""
    alice = desk.begin(dm("alice"))
    desk.remember(alice, "The launch party.", lifetime=timedelta(days=1))

    assert desk.texts(alice, "≈") == []
    assert desk.texts(alice, "launch") == ["The launch party."]
    assert isinstance(desk.forget(alice, ResourceHandle("r1_")), Denied)


@pytest.mark.proves("context:host-facts-revalidated")
def test_an_epoch_raised_while_searching_is_seen_before_anything_is_shown(troubled: tuple[Desk, Trouble]) -> None:
    """The authority after the candidates is not the one before them: the read begins again."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")

    def raise_epoch() -> None:
        desk.engine.advance_host_facts(AGENT, HostFactsRevision(1))

    trouble.interrupt("match", raise_epoch)
    found = desk.search(alice, "launch")

    assert isinstance(found, Denied)
    assert found.reason is Reason.IDENTITY_REVOKED
    assert desk.engine.health(AGENT).counters["authority-moved"] == 1


@pytest.mark.proves("context:host-facts-revalidated")
def test_a_host_that_is_older_than_the_cell_is_served_nothing(desk: Desk) -> None:
    """Whatever it says of itself is coherent: it has forgotten a withdrawal that the cell has seen."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    desk.engine.advance_host_facts(AGENT, HostFactsRevision(1))
    outcomes = [
        desk.search(alice, "launch"),
        desk.read(alice, handle),
        desk.remember(alice, "Too late."),
        desk.forget(alice, handle),
        desk.engine.begin_run(desk.context(alice, Operation.READ), None),
    ]
    desk.epoch = HostFactsRevision(1)

    assert [o.reason for o in outcomes if isinstance(o, Denied)] == [Reason.IDENTITY_REVOKED] * 5
    assert desk.texts(alice, "launch") == ["The launch party."]


@pytest.mark.proves("store:chunk:points-at-revision")
def test_an_index_row_that_names_a_card_entry_finds_nothing(desk: Desk) -> None:
    """An index is a hint: what it should not hold is no passage."""
    alice = desk.begin(dm("alice"))
    card = desk.kept(alice, "Prefers short answers.", section=Section.CARD)
    named = desk.parts.handles.open_resource(desk.context(alice, Operation.READ), card)
    assert named is not None
    row = desk.backend.revisions.load_revisions(AGENT, [named.revision_id])[named.revision_id]
    store = desk.backend.stores.find_stores(AGENT, [(StoreKind.USER, dm("alice").audiences[0])])[0]
    planted = IndexRow(
        revision_id=row.revision_id, class_id=row.class_id, text="Prefers short answers.", expires_at=None
    )
    desk.backend.index.apply(AGENT, store, [planted], [], row.change)

    assert desk.texts(alice, "short answers") == []
    assert desk.engine.health(AGENT).counters["prefilter-drift"] == 1


@pytest.mark.proves("policy:deny:on-error")
def test_a_store_whose_policy_is_missing_takes_and_gives_nothing(troubled: tuple[Desk, Trouble]) -> None:
    """No placement policy, no placement."""
    desk, _ = troubled
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    real = desk.backend.stores

    class Emptied:
        """Stores without policies."""

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

        def load_policies(self, *_: object) -> dict[object, object]:
            """Find none."""
            return {}

    desk.backend.stores = Emptied()  # pyright: ignore[reportAttributeAccessIssue]
    outcomes = [desk.remember(alice, "x"), desk.read(alice, handle), desk.forget(alice, handle)]

    assert desk.search(alice, "launch") == ()
    assert [isinstance(outcome, Denied) for outcome in outcomes] == [True] * 3


@pytest.mark.proves("case:API-04")
def test_API_04_a_handle_has_one_spelling(desk: Desk) -> None:
    """Unused bits of its last character are no second name."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "The launch party.")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    spellings = [handle[:-1] + letter for letter in letters if letter != handle[-1]]
    outcomes = [desk.read(alice, spelling) for spelling in spellings]

    assert {(o.reason, o.step) for o in outcomes if isinstance(o, Denied)} == {(Reason.OUTSIDE_VIEW, 4)}
    assert len([o for o in outcomes if isinstance(o, Denied)]) == 63


@pytest.mark.proves("store:index:derived")
def test_a_row_whose_file_is_gone_is_not_indexed(troubled: tuple[Desk, Trouble]) -> None:
    """The index is made of artifacts, and of nothing else."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    trouble.fail("apply", BROKEN)
    handle = desk.kept(alice, "The launch party.")
    named = desk.parts.handles.open_resource(desk.context(alice, Operation.READ), handle)
    store = desk.backend.stores.find_stores(AGENT, [(StoreKind.USER, dm("alice").audiences[0])])[0]
    assert named is not None
    desk.backend.artifacts.remove(AGENT, store.path_key, Section.NOTE, named.revision_id)
    desk.kept(alice, "The launch itself.")

    assert desk.texts(alice, "launch") == ["The launch itself."]
    state = desk.backend.index.state(AGENT, store, desk.clock.now())
    assert sum(totals.rows for totals in state.classes.values()) == 1


@pytest.mark.proves("transcript:event:one-home", "session:ambiguous:no-private-mount")
def test_an_ambiguous_session_appends_without_keeping(desk: Desk) -> None:
    """Sequence 0 says that nothing was written down."""
    anybody = desk.begin(nobody())
    receipt = desk.engine.append_event(desk.context(anybody, Operation.READ), desk.event(anybody, "hi"))

    assert not isinstance(receipt, Denied)
    assert receipt.sequence == 0
    assert desk.backend.runs.list_events(AGENT, anybody.session_id) == ()


@pytest.mark.proves("session:membership:conversation-expires")
def test_who_left_the_room_appends_nothing_to_it(desk: Desk) -> None:
    """A run that had begun ends with the membership."""
    bob = desk.begin(room("team", "bob"))
    gone = replace(bob, memberships=())
    appended = desk.engine.append_event(desk.context(gone, Operation.READ), desk.event(gone, "x"))

    assert isinstance(appended, Denied)
    assert appended.reason is Reason.MEMBERSHIP_STALE


@pytest.mark.proves("session:incognito:nothing-durable")
def test_incognito_amends_and_publishes_nothing(desk: Desk) -> None:
    """There is nothing that an incognito session may change."""
    hidden = desk.begin(replace(dm("alice"), visibility=Visibility.INCOGNITO))
    outcomes = [grant(desk, hidden), desk.publish(hidden, "x")]

    assert [o.reason for o in outcomes if isinstance(o, Denied)] == [Reason.DEFAULT_DENY] * 2


@pytest.mark.proves("lifecycle:delete:symmetric")
def test_a_note_of_a_store_that_is_not_mounted_any_more_is_not_forgotten(desk: Desk) -> None:
    """A handle from before the role ended names nothing after it."""
    alice = desk.begin(dm("alice", roles=["rol_finance"]))
    fill_role(desk, "rol_finance", "The margin is 12 percent.")
    found = desk.search(alice, "margin")
    assert not isinstance(found, Denied)
    outcome = desk.forget(replace(alice, memberships=()), found[0].handle)

    assert isinstance(outcome, Denied)
    assert outcome.reason is Reason.OUTSIDE_VIEW


@pytest.mark.proves("derive:trust:minimum")
def test_nobodys_words_are_untrusted(desk: Desk) -> None:
    """An unattributed actor's words would be the least trusted, if they were ever kept."""
    context = desk.context(room("team", None), Operation.APPEND)

    assert trust_of(context) is TrustClass.UNTRUSTED


@pytest.mark.proves("policy:order:plan-bound", "case:POL-02")
def test_POL_02_a_plan_that_ends_while_searching_shows_nothing(troubled: tuple[Desk, Trouble]) -> None:
    """The time after the candidates is the one that counts."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")
    trouble.interrupt("match", lambda: desk.clock.pass_by(timedelta(seconds=60)))
    found = desk.search(alice, "launch")

    assert isinstance(found, Denied)
    assert (found.reason, found.step) == (Reason.PLAN_EXPIRED, 2)


@pytest.mark.parametrize("read", ["search", "read", "card"])
@pytest.mark.proves("session:rebound", "session:subject:successors-copy")
def test_what_is_exposed_after_its_window_was_succeeded_is_not_shown(troubled: tuple[Desk, Trouble], read: str) -> None:
    """A reset between a read's decision and its exposure: the successor cannot know of it, so nobody sees it."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, "My launch date is 3 May.")
    desk.kept(alice, "Calls herself Al.", section=Section.CARD)
    reads: dict[str, Callable[[], object]] = {
        "search": lambda: desk.search(alice, "launch"),
        "read": lambda: desk.read(alice, handle),
        "card": lambda: desk.card(alice),
    }
    successor = replace(dm("alice"), session_id=SessionId("ses_successor"))

    def reset() -> None:
        desk.rebound.add(alice.session_id)
        desk.engine.inherit_window(desk.context(successor, Operation.READ), alice.session_id)

    trouble.interrupt("expose", reset)
    late = reads[read]()
    inherited = desk.backend.runs.load_window(AGENT, successor.session_id)

    assert isinstance(late, Denied)
    assert late.reason is Reason.SESSION_REBOUND
    assert inherited is not None
    assert inherited.shown == 0


@pytest.mark.proves("session:rebound")
def test_a_session_rebound_while_searching_shows_nothing(troubled: tuple[Desk, Trouble]) -> None:
    """What the host says after the candidates is what counts."""
    desk, trouble = troubled
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch party.")
    trouble.interrupt("match", lambda: desk.rebound.add(alice.session_id))
    found = desk.search(alice, "launch")

    assert isinstance(found, Denied)
    assert found.reason is Reason.SESSION_REBOUND
