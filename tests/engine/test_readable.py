"""What may be read at all: sound revisions only, in the order authorize, find, expose, hand out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final, get_type_hints

import pytest

from privity.backends.inmemory.backend import open_memory
from privity.engine.records import IndexRow, RevisionRecord, StoreRecord
from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import PolicyId, ResourceHandle, RevisionId, RunId
from privity.model.operations import Operation
from privity.model.passages import Forgotten, Remembered
from privity.model.plans import Plan
from privity.model.policies import Effect, Policy, Rule
from privity.model.reasons import Reason
from privity.model.resources import Origin, ResourceSubject, Section
from privity.model.stores import StoreKind
from privity.sdk.errors import StorageFailedError
from tests.engine.desk import AGENT, CountingEntropy, Desk, Seat, StoppedClock, autonomous, dm, nobody, person, room
from tests.engine.trouble import TroubledBackend
from tests.isolation.homes import Amended, Home, amend, named, operator

FACT: Final = "The launch is on Monday."
TICK: Final = timedelta(minutes=10)
ALICE: Final = Audience(kind=AudienceKind.USER, id=person("alice"))


@dataclass(kw_only=True)
class Kept:
    """A note of Alice's, and where it is."""

    desk: Desk
    seat: Seat
    handle: ResourceHandle
    vault: Path

    @property
    def revision_id(self) -> RevisionId:
        """The revision behind the handle."""
        return named(self.desk, self.seat, self.handle)[1]

    @property
    def store(self) -> StoreRecord:
        """Alice's own store."""
        return self.desk.backend.stores.find_stores(AGENT, [(StoreKind.USER, ALICE)])[0]

    @property
    def file(self) -> Path:
        """The file of the note."""
        return next(self.vault.rglob(f"{self.revision_id}.md"))

    def reindex(self) -> None:
        """Put the note into the index as an index has it that learned of nothing since."""
        row = self.desk.backend.revisions.load_revisions(AGENT, [self.revision_id])[self.revision_id]
        state = self.desk.backend.index.state(AGENT, self.store, self.desk.clock.now())
        put = IndexRow(revision_id=self.revision_id, class_id=row.class_id, text=FACT, expires_at=None)
        self.desk.backend.index.apply(AGENT, self.store, [put], [], state.watermark)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """Return a note that expires, in a vault on disk."""
    home = Home(kind="sqlite", path=tmp_path / "vault", closers=[])
    desk = home.open()
    alice = desk.begin(dm("alice"))
    result = desk.remember(alice, FACT, lifetime=TICK)
    assert not isinstance(result, Denied)
    assert not isinstance(result, Forgotten)
    return Kept(desk=desk, seat=alice, handle=result.handle, vault=home.path)


def tombstoned(kept: Kept) -> None:
    """Forget the note."""
    assert isinstance(kept.desk.forget(kept.seat, kept.handle), Forgotten)


def expired(kept: Kept) -> None:
    """Let its time pass, to the very instant."""
    kept.desk.clock.pass_by(TICK)


def changed(kept: Kept) -> None:
    """Change a byte of its file."""
    kept.file.write_bytes(FACT.replace("Monday", "Sunday").encode())


def removed(kept: Kept) -> None:
    """Take its file away."""
    kept.file.unlink()


def moved(kept: Kept) -> None:
    """Put its file into the other section of its store."""
    kept.file.rename(kept.file.parent.parent / "card" / kept.file.name)


def linked(kept: Kept) -> None:
    """Put its bytes elsewhere, and a link in their place."""
    file, elsewhere = kept.file, kept.vault.parent / "elsewhere.md"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


def tombstoned_and_put_back(kept: Kept) -> None:
    """Forget the note, and put its file back where it was, byte for byte."""
    file, content = kept.file, kept.file.read_bytes()
    tombstoned(kept)
    file.write_bytes(content)
    file.chmod(0o600)


UNSOUND: Final = (tombstoned, tombstoned_and_put_back, expired, changed, removed, moved, linked)


def said(kept: Kept) -> list[object]:
    """Return what the note is answered on the way by words, by handle, and out of the house."""
    context = kept.desk.context(kept.seat, Operation.EXPORT)
    plan = kept.desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    exported = kept.desk.engine.export(context, plan, [kept.handle])
    read = kept.desk.read(kept.seat, kept.handle)
    return [
        kept.desk.texts(kept.seat, "launch monday"),
        read.reason if isinstance(read, Denied) else read.text,
        exported.reason if isinstance(exported, Denied) else [passage.text for passage in exported.value],
    ]


@pytest.mark.proves("policy:order:state-valid", "plugin:plan:revalidated")
@pytest.mark.parametrize("spoil", UNSOUND, ids=lambda spoil: spoil.__name__)
def test_a_revision_that_is_not_sound_is_read_in_no_way(kept: Kept, spoil: Callable[[Kept], None]) -> None:
    """Tombstoned, expired, changed, gone or out of its place, it is neither found, read nor exported; before, all three."""
    before = said(kept)
    spoil(kept)

    assert before == [[FACT], FACT, [FACT]]
    assert said(kept) == [[], Reason.REVISION_STALE, Reason.REVISION_STALE]


@pytest.mark.proves("policy:order:state-valid", "plugin:plan:revalidated")
@pytest.mark.parametrize("spoil", UNSOUND, ids=lambda spoil: spoil.__name__)
def test_a_row_above_the_watermark_is_looked_at_again_too(kept: Kept, spoil: Callable[[Kept], None]) -> None:
    """Where the index knows nothing, the scan finds the sound note and passes over the unsound one."""
    kept.desk.backend.index.reset(AGENT, kept.store)
    before = kept.desk.texts(kept.seat, "launch")
    spoil(kept)
    kept.desk.backend.index.reset(AGENT, kept.store)

    assert before == [FACT]
    assert kept.desk.texts(kept.seat, "launch") == []


@pytest.mark.proves("policy:order:state-valid", "read:lane:bootstrap")
@pytest.mark.parametrize("spoil", [changed, removed, linked], ids=lambda spoil: spoil.__name__)
def test_an_unsound_entry_is_left_off_the_card(kept: Kept, spoil: Callable[[Kept], None]) -> None:
    """The others stay as they were."""
    first = kept.desk.kept(kept.seat, "Alice sails.", section=Section.CARD)
    kept.desk.kept(kept.seat, "Alice rows.", section=Section.CARD)
    before = kept.desk.card(kept.seat)
    spoil(replace(kept, handle=first))

    assert before == ["Alice sails.", "Alice rows."]
    assert kept.desk.card(kept.seat) == ["Alice rows."]


@pytest.mark.proves("lifecycle:delete:lagging-index")
@pytest.mark.parametrize("spoil", UNSOUND, ids=lambda spoil: spoil.__name__)
def test_an_index_row_that_lags_opens_nothing(kept: Kept, spoil: Callable[[Kept], None]) -> None:
    """An index that still, or again, names what is out of force shows none of it, and takes no place on the page."""
    spoil(kept)
    kept.reindex()
    other = kept.desk.kept(kept.seat, "The launch is delayed.")
    found = kept.desk.search(kept.seat, "launch", limit=1)

    assert not isinstance(found, Denied)
    assert [passage.handle for passage in found] == [other]
    assert kept.revision_id in postings(kept)


def postings(kept: Kept) -> set[str]:
    """Return the revisions in the files of the index, past whatever is in force."""
    database = next(kept.vault.rglob("index.db"))
    return {name for name in (kept.revision_id,) if name.encode() in whole(database)}


def whole(database: Path) -> bytes:
    """Return the bytes of a database and of its log."""
    log = database.with_name(f"{database.name}-wal")
    return database.read_bytes() + (log.read_bytes() if log.exists() else b"")


@pytest.mark.proves("lifecycle:delete:lagging-index")
def test_a_lagging_row_is_denied_in_every_family(desk: Desk) -> None:
    """The same holds where nothing is on disk."""
    alice = desk.begin(dm("alice"))
    one = Kept(desk=desk, seat=alice, handle=desk.kept(alice, FACT), vault=Path())
    tombstoned(one)
    one.reindex()

    assert desk.texts(alice, "launch monday") == []
    assert desk.engine.health(AGENT).counters["prefilter-drift"] == 1


@pytest.mark.proves("identity:resolution:no-similarity")
def test_whom_a_note_is_about_is_looked_up_and_never_likened(desk: Desk) -> None:
    """A note full of a person's name is about nobody, and the one about them that shares no word with it is found."""
    alice = desk.begin(replace(dm("alice"), mentioned=(person("bob"), person("bobby"))))
    _, bob, bobby = desk.engine.subject_handles(desk.context(alice, Operation.READ))
    desk.remember(alice, "Bob bob Bob usr_bob likes tea, says Bob's friend Bob.")
    desk.remember(alice, f"{bob} drinks tea.")
    desk.remember(alice, "Prefers tea.", about=[bob])
    desk.remember(alice, "Bob! Prefers tea as well.", about=[bobby])
    found = {
        label: [passage.text for passage in answer]
        for label, answer in (
            ("bob", desk.search(alice, "bob tea", about=[bob])),
            ("bobby", desk.search(alice, "bob tea", about=[bobby])),
            ("anybody", desk.search(alice, "bob tea")),
        )
        if not isinstance(answer, Denied)
    }

    assert found["bob"] == ["Prefers tea."]
    assert found["bobby"] == ["Bob! Prefers tea as well."]
    assert len(found["anybody"]) == 4


class Noted(TroubledBackend):
    """A backend that notes each call, in order."""

    def __init__(self) -> None:
        super().__init__(open_memory(entropy=CountingEntropy()))
        self.calls: list[str] = []
        strike = self.trouble.strike

        def note(name: str) -> None:
            self.calls.append(name)
            strike(name)

        self.trouble.strike = note


@pytest.fixture
def noted() -> tuple[Desk, Noted]:
    """Return a desk whose backend notes what it is asked."""
    backend = Noted()
    return Desk(backend, clock=StoppedClock(), entropy=CountingEntropy()), backend


OPENING: Final = frozenset({"state", "match", "load", "list_changes", "list_card", "load_revisions", "load_classes"})
"""The calls that open an index, list a store's rows, or read content."""

Ask = Callable[[Desk, AccessContext, Plan, ResourceHandle], object]
READS: Final[dict[str, Ask]] = {
    "search": lambda d, c, p, _: d.engine.search(c, p, "launch", about=None, limit=6),
    "read": lambda d, c, p, h: d.engine.read(c, p, h, lines=None),
    "bootstrap": lambda d, c, p, _: d.engine.bootstrap(c, p),
    "export": lambda d, c, p, h: d.engine.export(c, p, [h]),
}


def prepared(desk: Desk, name: str) -> tuple[AccessContext, Plan, ResourceHandle]:
    """Return what it takes to ask for Alice's note."""
    alice = desk.begin(dm("alice"))
    handle = desk.kept(alice, FACT)
    desk.kept(alice, "Alice sails.", section=Section.CARD)
    context = desk.context(alice, Operation.EXPORT if name == "export" else Operation.READ)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    return context, plan, handle


@pytest.mark.proves("read:pipeline:order")
@pytest.mark.parametrize("name", READS)
def test_a_read_authorizes_then_finds_then_records_what_it_shows(noted: tuple[Desk, Noted], name: str) -> None:
    """Authority is read first, no content before it; the exposure is committed last, with nothing read after it."""
    desk, backend = noted
    context, plan, handle = prepared(desk, name)
    backend.calls.clear()
    outcome = READS[name](desk, context, plan, handle)
    calls = backend.calls
    opened = [place for place, call in enumerate(calls) if call in OPENING]

    assert not isinstance(outcome, Denied)
    assert calls[0] == "authority"
    assert "load" in calls
    assert calls.index("find_stores") < min(opened)
    assert max(opened) < calls.index("expose")
    assert calls.count("expose") == 1


@pytest.mark.proves("read:pipeline:order")
def test_a_search_decides_its_classes_before_it_counts_and_its_rows_before_it_shows(noted: tuple[Desk, Noted]) -> None:
    """The index is asked for permitted classes only; a row is looked at again after it."""
    desk, backend = noted
    context, plan, handle = prepared(desk, "search")
    backend.calls.clear()
    READS["search"](desk, context, plan, handle)
    calls = backend.calls

    assert calls.index("load_classes") < calls.index("match") < calls.index("load") < calls.index("expose")


@pytest.mark.proves("read:pipeline:order")
@pytest.mark.parametrize("name", READS)
def test_what_cannot_be_recorded_as_shown_is_not_shown(noted: tuple[Desk, Noted], name: str) -> None:
    """The call ends in an error, the run was shown nothing, and the audit has no access."""
    desk, backend = noted
    context, plan, handle = prepared(desk, name)
    backend.trouble.fail("expose", StorageFailedError("the disk is full", remedy="free some"))
    with pytest.raises(StorageFailedError):
        READS[name](desk, context, plan, handle)
    run = desk.backend.runs.load_run(AGENT, context.run_id)

    assert run is not None
    assert run.exposure_revision == 0
    assert [record for record in desk.engine.pull_outbox(AGENT, 0, 1_000) if record.kind == "access"] == []


def forged(_: Desk, __: Seat, context: AccessContext) -> AccessContext:
    """Return a context that the host does not hold."""
    return replace(context, session_subject=dm("bob").subject)


def rebound(desk: Desk, seat: Seat, context: AccessContext) -> AccessContext:
    """Let the session move on."""
    desk.rebound.add(seat.session_id)
    return context


def revoked(desk: Desk, _: Seat, context: AccessContext) -> AccessContext:
    """Let the host withdraw whoever it speaks of."""
    desk.revoked = frozenset({person("alice")})
    return context


def over(desk: Desk, _: Seat, context: AccessContext) -> AccessContext:
    """Let the time of the context pass."""
    desk.clock.pass_by(timedelta(minutes=5))
    return context


@pytest.mark.proves("identity:resolution:before-retrieval")
@pytest.mark.parametrize("name", READS)
@pytest.mark.parametrize("unresolve", [forged, rebound, revoked, over], ids=lambda way: way.__name__)
def test_nothing_is_opened_for_a_subject_that_does_not_hold(
    noted: tuple[Desk, Noted], name: str, unresolve: Callable[[Desk, Seat, AccessContext], AccessContext]
) -> None:
    """No index is asked, no row listed and no content read before the host has said who this is."""
    desk, backend = noted
    context, plan, handle = prepared(desk, name)
    held = unresolve(desk, dm("alice"), context)
    backend.calls.clear()
    outcome = READS[name](desk, held, plan, handle)

    assert isinstance(outcome, Denied)
    assert outcome.step == 1
    assert OPENING & set(backend.calls) == set()
    assert isinstance(desk.engine.authorize(held), Denied)
    assert OPENING & set(backend.calls) == set()


@pytest.mark.proves("identity:resolution:before-retrieval")
def test_a_plan_opens_nothing(noted: tuple[Desk, Noted]) -> None:
    """Between who somebody is and what they are shown stands a plan, which is made of the catalog alone."""
    desk, backend = noted
    context, _, _ = prepared(desk, "search")
    backend.calls.clear()

    assert isinstance(desk.engine.authorize(context), Plan)
    assert OPENING & set(backend.calls) == set()


UNLABELLED: Final[dict[str, Seat]] = {
    "no owner": nobody(),
    "no actor in private": replace(dm("alice"), actor=nobody().actor),
    "no actor in a room": room("team", None),
    "no actor of a service": replace(autonomous("cron"), actor=nobody().actor),
    "no audience": replace(dm("alice"), audiences=()),
    "an owner who is not the actor": replace(dm("alice"), actor=dm("bob").actor),
    "a room without its speaker": room("team", "bob", member=False),
}


@pytest.mark.proves("write:unlabelled:fails-closed")
@pytest.mark.parametrize("lack", UNLABELLED)
def test_a_write_that_lacks_its_owner_its_actor_or_its_audience_is_none(desk: Desk, lack: str) -> None:
    """It is refused with a reason, nothing is stored, and nobody finds it anywhere."""
    whole = desk.begin(dm("alice"))
    seat = begun(desk, UNLABELLED[lack])
    before = desk.engine.health(AGENT).revisions
    outcome = desk.remember(seat, FACT)

    assert isinstance(outcome, Denied)
    assert desk.engine.health(AGENT).revisions == before
    for reader in (whole, desk.begin(dm("bob")), desk.begin(room("team", "alice")), desk.begin(autonomous("cron"))):
        assert desk.texts(reader, "launch") == []


def begun(desk: Desk, seat: Seat) -> Seat:
    """Return a seat with its run, which begins even where nothing may be kept, or as it is if none does."""
    running = replace(seat, run_id=RunId(desk.entropy.token("run")))
    receipt = desk.engine.begin_run(desk.context(running, Operation.READ), None)
    return seat if isinstance(receipt, Denied) else running


@pytest.mark.proves("store:resource:dimensions")
def test_whom_a_fact_is_about_neither_reads_nor_changes_it_for_that(desk: Desk) -> None:
    """Alice's note about Bob is Alice's; so is what Bob is the subject of in a room that he is not in."""
    alice = desk.begin(replace(dm("alice"), mentioned=(person("bob"),)))
    _, bob = desk.engine.subject_handles(desk.context(alice, Operation.READ))
    handle = desk.kept(alice, "x")
    about = desk.remember(alice, FACT, about=[bob])
    assert not isinstance(about, Denied)
    theirs = desk.begin(dm("bob"))

    assert desk.texts(alice, "launch") == [FACT]
    assert desk.texts(theirs, "launch") == []
    for named_handle in (handle, about.handle):
        assert isinstance(desk.read(theirs, named_handle), Denied)
        assert isinstance(desk.forget(theirs, named_handle), Denied)


@pytest.mark.proves("store:resource:dimensions")
def test_whose_words_a_fact_is_does_not_say_who_may_have_it(desk: Desk) -> None:
    """Alice said it in the room: she does not find it in private, the room does without her, and she not once she left."""
    team = desk.begin(room("team", "alice"))
    desk.kept(team, FACT)

    assert desk.texts(desk.begin(room("team", "bob")), "launch") == [FACT]
    assert desk.texts(desk.begin(dm("alice")), "launch") == []
    assert isinstance(desk.search(replace(team, memberships=()), "launch"), Denied)


@pytest.mark.proves("store:resource:dimensions")
def test_who_may_read_a_fact_may_not_change_it_and_who_may_change_it_reads_no_other(desk: Desk) -> None:
    """Everybody reads what was published and only whoever was given the right takes it back, who has no one's notes by it."""
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.PUBLISH))
    admin = desk.begin(operator())
    shared = desk.publish(admin, FACT)
    assert isinstance(shared, Remembered)
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "Alice has a launch of her own.")
    found = desk.search(alice, "launch")
    assert not isinstance(found, Denied)
    refused = [desk.forget(alice, one.handle) for one in found if one.text == FACT]

    assert sorted(one.text for one in found) == ["Alice has a launch of her own.", FACT]
    assert [type(one) for one in refused] == [Denied]
    assert desk.texts(admin, "launch") == [FACT]
    assert isinstance(desk.forget(admin, shared.handle), Forgotten)


@pytest.mark.proves("store:resource:dimensions")
def test_the_four_stand_apart_in_every_row() -> None:
    """Subjects, origin, the placement that is the audience, and the rules that are the authority: each of a type of its own."""
    row, placed = get_type_hints(RevisionRecord), get_type_hints(Policy)

    assert row["about"] == tuple[ResourceSubject, ...]
    assert row["origin"] is Origin
    assert row["own_policy_ids"] == tuple[PolicyId, ...]
    assert (placed["audience"], placed["rules"]) == (Audience, tuple[Rule, ...])
    assert not {"audience", "owner_id", "grantee_id"} & {*get_type_hints(Origin), *get_type_hints(ResourceSubject)}
