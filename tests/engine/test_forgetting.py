"""Forgetting takes what was derived with it, says so beforehand, and leaves no text behind."""

from dataclasses import replace
from pathlib import Path

import pytest

from privity.backends.inmemory.artifacts import InMemoryArtifacts
from privity.backends.inmemory.backend import InMemoryBackend, open_memory
from privity.backends.sqlite.backend import SqliteBackend
from privity.engine.ports import MovedError
from privity.engine.records import RevisionRecord
from privity.model.decisions import Denied
from privity.model.ids import ResourceHandle
from privity.model.mutations import Amendment, AmendmentKind
from privity.model.operations import Operation
from privity.model.passages import ForgetPreview, Forgotten, Remembered
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.resources import Lineage, RevisionState, Section
from privity.model.subjects import AutonomousKind
from privity.sdk.errors import InputError, StorageFailedError
from tests.engine.desk import AGENT, CountingEntropy, Desk, Seat, StoppedClock, autonomous, dm, person
from tests.engine.trouble import Trouble, TroubledBackend

BROKEN = StorageFailedError("the disk is full", remedy="free some")
SECRET = "xylophonist"
STEPS = ("apply", "remove", "clear_leftovers")


def revision(desk: Desk, seat: Seat, handle: ResourceHandle) -> RevisionRecord:
    """Return the row that a handle names."""
    named = desk.parts.handles.open_resource(desk.context(seat, Operation.READ), handle)
    assert named is not None
    return desk.backend.revisions.load_revisions(AGENT, [named.revision_id])[named.revision_id]


def kept_bytes(desk: Desk, vault: Path) -> bytes:
    """Return everything that a backend keeps of memory: every file of a vault, logs and free pages included."""
    if isinstance(desk.backend, SqliteBackend):
        return b"".join(path.read_bytes() for path in sorted(vault.rglob("*")) if path.is_file())
    assert isinstance(desk.backend, InMemoryBackend)
    artifacts = desk.backend.artifacts
    return b"".join([*artifacts.final.values(), *artifacts.staged.values(), repr(desk.backend.index).encode()])


def grow(desk: Desk, seat: Seat) -> list[ResourceHandle]:
    """Remember a note, a note and a card entry after it was shown, and one after those were; return their handles."""
    source = desk.kept(seat, f"The {SECRET} moves in May.")
    desk.texts(seat, SECRET)
    child = desk.kept(seat, f"Somebody moves: the {SECRET}.")
    entry = desk.kept(seat, f"Knows a {SECRET}.", section=Section.CARD)
    desk.texts(seat, "somebody")
    return [source, child, entry, desk.kept(seat, f"Buy a present for the {SECRET}.")]


@pytest.mark.proves("derive:descendants:denied")
def test_a_preview_names_what_forgetting_then_takes_with_it(desk: Desk) -> None:
    """Notes and card entries of every generation, oldest first; a preview changes nothing."""
    alice = desk.begin(dm("alice"))
    before = desk.kept(alice, "Lunch is at noon.")
    source, *derived = grow(desk, alice)
    foreseen = desk.preview(alice, source)
    found = desk.texts(desk.begin(dm("alice")), SECRET)
    forgotten = desk.forget(alice, source)

    assert foreseen == ForgetPreview(handle=source, descendants=tuple(derived))
    assert len(found) == 3
    assert forgotten == Forgotten(handle=source, descendants=tuple(derived))
    assert desk.texts(desk.begin(dm("alice")), f"{SECRET} lunch") == ["Lunch is at noon."]
    assert desk.card(desk.begin(dm("alice"))) == []
    assert desk.preview(alice, before) == ForgetPreview(handle=before, descendants=())


@pytest.mark.proves("lifecycle:delete:symmetric", "lifecycle:delete:recoverable")
def test_no_byte_of_what_was_forgotten_or_derived_from_it_is_kept(desk: Desk, tmp_path: Path) -> None:
    """Neither in files nor in the index, its log and its free pages; a neighbour's text is untouched."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The quetzal sings.")
    source, *_ = grow(desk, alice)
    before = kept_bytes(desk, tmp_path)
    desk.forget(alice, source)
    after = kept_bytes(desk, tmp_path)

    assert before.count(SECRET.encode()) >= 4
    assert SECRET.encode() not in after
    assert SECRET[:8].encode() not in after
    assert b"The quetzal sings." in after
    assert desk.backend.revisions.list_leftovers(AGENT) == ()


@pytest.mark.proves("lifecycle:delete:symmetric")
def test_what_went_with_a_note_is_tombstoned_in_every_count(desk: Desk) -> None:
    """No count says that it is active, and the room it took on the card is free again."""
    alice = desk.begin(dm("alice"))
    source = desk.kept(alice, "The launch party.")
    desk.texts(alice, "launch")
    entry = desk.kept(alice, "x" * 4_000, section=Section.CARD)
    desk.forget(alice, source)
    row = revision(desk, alice, entry)
    anew = desk.remember(alice, "y" * 4_000, section=Section.CARD)

    assert (row.state, row.lineage) == (RevisionState.TOMBSTONED, Lineage.BROKEN)
    assert isinstance(anew, Remembered)
    assert desk.engine.health(AGENT).revisions == {"tombstoned": 2, "active": 1}


@pytest.mark.proves("policy:trace", "derive:descendants:denied")
def test_what_went_with_a_note_is_answered_like_the_note(desk: Desk) -> None:
    """Reading, forgetting and a preview find it stale, at the same step."""
    alice = desk.begin(dm("alice"))
    handles = grow(desk, alice)[:2]
    desk.forget(alice, handles[0])
    asked = [act(alice, handle) for handle in handles for act in (desk.read, desk.forget, desk.preview)]

    assert [(one.reason, one.step) for one in asked if isinstance(one, Denied)] == [(Reason.REVISION_STALE, 5)] * 6


def allow(desk: Desk, capability: Operation, name: str, effect: Effect = Effect.ALLOW) -> None:
    """Put a rule over the agent-shared store in force."""
    operator = desk.begin(autonomous("operator", AutonomousKind.SYSTEM))
    context = desk.context(operator, Operation.POLICY_ADMIN)
    plan = desk.engine.authorize(context)
    assert not isinstance(plan, Denied)
    rule = Amendment(
        kind=AmendmentKind.GRANT, effect=effect, capability=capability, grantee_id=person(name), lifetime=None
    )
    assert not isinstance(desk.engine.amend_rules(context, plan, rule), Denied)


def shared_note(desk: Desk) -> tuple[Seat, ResourceHandle]:
    """Publish a note, and return it with the seat of Alice, who may withdraw it."""
    allow(desk, Operation.PUBLISH, "alice")
    allow(desk, Operation.DELETE, "alice")
    alice = desk.begin(dm("alice"))
    published = desk.publish(alice, f"The {SECRET} plays on Monday.")
    assert isinstance(published, Remembered)
    return alice, published.handle


@pytest.mark.proves("derive:descendants:denied", "read:statistics:permitted-only")
def test_what_the_asker_may_not_read_is_ended_and_neither_counted_nor_named(desk: Desk, tmp_path: Path) -> None:
    """What Bob derived from a shared note goes with it, its text too; whoever withdraws the note is not told."""
    alice, handle = shared_note(desk)
    alone = desk.preview(alice, handle)
    bob = desk.begin(dm("bob"))
    desk.texts(bob, SECRET)
    theirs = desk.kept(bob, f"Hear the {SECRET}.")
    crowded = desk.preview(alice, handle)
    forgotten = desk.forget(alice, handle)

    assert alone == crowded == ForgetPreview(handle=handle, descendants=())
    assert forgotten == Forgotten(handle=handle, descendants=())
    assert isinstance(desk.read(desk.begin(dm("bob")), theirs), Denied)
    assert SECRET.encode() not in kept_bytes(desk, tmp_path)


@pytest.mark.proves("derive:descendants:denied", "read:statistics:permitted-only")
def test_what_is_mounted_and_may_not_be_read_is_not_named_either(desk: Desk) -> None:
    """An own note derived under a role is not told to somebody who lost the role."""
    alice, handle = shared_note(desk)
    desk.texts(alice, SECRET)
    derived = desk.remember(alice, f"Mine: {SECRET}.", lifetime=None)
    assert isinstance(derived, Remembered)
    before = desk.preview(alice, handle)
    allow(desk, Operation.READ, "alice", Effect.DENY)
    after = desk.preview(alice, handle)

    assert before == ForgetPreview(handle=handle, descendants=(derived.handle,))
    assert isinstance(after, Denied) or after.descendants == ()


@pytest.mark.proves("read:lane:exact-read", "write:target:from-context")
def test_a_preview_is_denied_where_forgetting_is(desk: Desk) -> None:
    """Another person's handle, a made-up one and a shared note without leave are denied alike in both."""
    alice, shared = shared_note(desk)
    private = desk.kept(alice, "My launch date is 3 May.")
    bob = desk.begin(dm("bob"))
    for handle in (private, ResourceHandle("r1_made_up"), shared):
        previewed, forgotten = desk.preview(bob, handle), desk.forget(bob, handle)
        assert isinstance(previewed, Denied)
        assert isinstance(forgotten, Denied)
        assert (previewed.reason, previewed.step) == (forgotten.reason, forgotten.step)


@pytest.fixture
def troubled() -> tuple[Desk, Trouble, InMemoryArtifacts]:
    """Return a desk over a backend that fails when told, and what it keeps."""
    clock, entropy = StoppedClock(), CountingEntropy()
    memory = open_memory(entropy=entropy)
    backend = TroubledBackend(memory)
    return Desk(backend, clock=clock, entropy=entropy), backend.trouble, memory.artifacts


@pytest.mark.proves("lifecycle:delete:recoverable")
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("again", ["start", "forget"])
def test_what_could_not_be_cleared_away_is_denied_and_cleared_later(
    troubled: tuple[Desk, Trouble, InMemoryArtifacts], step: str, again: str
) -> None:
    """A failure at any step is counted; the next start clears what is left, and so does the next forgetting."""
    desk, trouble, artifacts = troubled
    alice = desk.begin(dm("alice"))
    other = desk.kept(alice, "Lunch is at noon.")
    source, *derived = grow(desk, alice)
    trouble.fail(step, BROKEN)
    forgotten = desk.forget(alice, source)
    found = desk.texts(desk.begin(dm("alice")), SECRET)
    left = desk.backend.revisions.list_leftovers(AGENT)
    if again == "start":
        assert desk.engine.recover(AGENT) == 0
    else:
        desk.forget(alice, other)

    assert forgotten == Forgotten(handle=source, descendants=tuple(derived))
    assert (found, len(left)) == ([], 4)
    assert desk.engine.health(AGENT).counters["artifact-left"] == 1
    assert not [content for content in artifacts.final.values() if SECRET.encode() in content]
    assert desk.backend.revisions.list_leftovers(AGENT) == ()


@pytest.mark.proves("lifecycle:delete:recoverable")
def test_what_still_cannot_be_cleared_away_is_told(troubled: tuple[Desk, Trouble, InMemoryArtifacts]) -> None:
    """Each start says how much is left, and a list that cannot be read is no empty one."""
    desk, trouble, _ = troubled
    alice = desk.begin(dm("alice"))
    source, *_ = grow(desk, alice)
    trouble.fail("remove", BROKEN, times=2)
    desk.forget(alice, source)
    first = desk.engine.recover(AGENT)
    trouble.fail("list_leftovers", BROKEN)
    second = desk.engine.recover(AGENT)

    assert (first, second, desk.engine.recover(AGENT)) == (4, 1, 0)


@pytest.mark.proves("write:rechecked-before-mutation", "lifecycle:delete:symmetric")
def test_a_write_that_lost_a_race_against_forgetting_leaves_no_file(
    troubled: tuple[Desk, Trouble, InMemoryArtifacts],
) -> None:
    """Its source went before it was active: it is decided anew, and its first file is removed."""
    desk, trouble, artifacts = troubled
    alice = desk.begin(dm("alice"))
    source = desk.kept(alice, "The launch party.")
    desk.texts(alice, "launch")

    def withdraw() -> None:
        desk.forget(alice, source)

    trouble.interrupt("activate", withdraw)
    kept = desk.remember(alice, f"There is a {SECRET}.")

    assert isinstance(kept, Remembered)
    assert list(artifacts.final.values()) == [f"There is a {SECRET}.".encode()]


@pytest.mark.proves("write:rechecked-before-mutation")
def test_a_write_that_keeps_losing_leaves_no_file(troubled: tuple[Desk, Trouble, InMemoryArtifacts]) -> None:
    """Nothing was acknowledged, and nothing is kept."""
    desk, trouble, artifacts = troubled
    alice = desk.begin(dm("alice"))
    trouble.fail("activate", MovedError("test"), times=3)
    refused = desk.remember(alice, f"There is a {SECRET}.")

    assert isinstance(refused, Denied)
    assert artifacts.final == {}


@pytest.mark.proves("store:card:bounded")
def test_an_entry_that_no_card_could_hold_says_so(desk: Desk) -> None:
    """Forgetting other entries would not help; one that fits an emptier card is told what is in the way."""
    alice = desk.begin(dm("alice"))
    with pytest.raises(InputError, match="the entry has 5000 characters, and a whole card holds 4000") as long:
        desk.remember(alice, "x" * 5_000, section=Section.CARD)
    desk.kept(alice, "x" * 3_000, section=Section.CARD)
    with pytest.raises(InputError, match="1 of 40 entries and 3000 of 4000 characters, and the entry has 1001") as full:
        desk.remember(replace(alice), "y" * 1_001, section=Section.CARD)

    assert long.value.remedy == "shorten it, or remember it as a note"
    assert full.value.remedy == "forget an entry first, or remember it as a note"
