"""What is denied, what is foreign and how much of it there is costs not one step, so that no clock tells it."""

import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter_ns
from typing import Final

import pytest

from privity.backends.sqlite.flusher import Durability
from privity.model.ids import ResourceHandle
from tests.engine.desk import Desk, Seat, dm, room
from tests.isolation.homes import WORDS, Home, crowd, furnish
from tests.isolation.watch import WATCHED, Watch, watching

pytestmark = [pytest.mark.leaks, pytest.mark.timeout(180)]

ROWS: Final = 1_000
STORES: Final = 200
SECRET: Final = "The zanzibar password is quokka."
WINDOW: Final = 50_000_000

Act = Callable[[Desk, Seat], object]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a furnished home, closed, with one foreign store in which one row has what will be asked for."""
    path = tmp_path_factory.mktemp("equal")
    home = Home(kind="sqlite", path=path / "plain", closers=[])
    desk = home.open()
    furnish(desk)
    desk.kept(desk.begin(dm("bob")), SECRET)
    home.close()
    yield home.path
    shutil.rmtree(path)


def more_rows(desk: Desk) -> None:
    """Fill the one foreign store."""
    bob = desk.begin(dm("bob"))
    for number in range(ROWS):
        desk.kept(bob, f"{SECRET} {WORDS} {number}")


def more_stores(desk: Desk) -> None:
    """Add foreign stores."""
    crowd(desk, STORES)


def grown(plain: Path, more: Callable[[Desk], None]) -> Path:
    """Return a copy of a home with more in it."""
    home = Home(kind="sqlite", path=plain.parent / more.__name__, closers=[])
    shutil.copytree(plain, home.path)
    desk = home.open()
    desk.entropy.count = 2_000_000
    more(desk)
    home.close()
    return home.path


def watched(path: Path, *acts: Act) -> list[list[tuple[str, int]]]:
    """Return the statements with their VM steps of each act of a seat of Alice's, all in one copy of a home."""
    copy = path.with_name(f"{path.name}_watched")
    shutil.copytree(path, copy)
    home = Home(kind="sqlite", path=copy, vfs=WATCHED, durability=Durability.STRICT, closers=[])
    with watching(copy) as watch:
        desk = home.open()
        work = [ran(watch, desk, act, number) for number, act in enumerate((*acts, *acts))]
        home.close()
    shutil.rmtree(copy)
    return work[len(acts) :]  # the first round prepares statements and opens files


def ran(watch: Watch, desk: Desk, act: Act, number: int) -> list[tuple[str, int]]:
    """Return what one act ran, under ids to come of equal length."""
    desk.entropy.count = WINDOW + 10_000 * number
    alice = desk.begin(dm("alice"))
    watch.start_anew()
    act(desk, alice)
    return list(watch.statements)


def searching(query: str) -> Act:
    """Return the act of a search."""
    return lambda desk, alice: desk.search(alice, query, limit=50)


def reading(handle: str) -> Act:
    """Return the act of a read."""
    return lambda desk, alice: desk.read(alice, handle)


def forgetting(handle: str) -> Act:
    """Return the act of a forgetting."""
    return lambda desk, alice: desk.forget(alice, ResourceHandle(handle))


def handles_of(path: Path, *seats: Seat) -> list[ResourceHandle]:
    """Keep a note of each seat, and return the handles."""
    home = Home(kind="sqlite", path=path, closers=[])
    desk = home.open()
    desk.entropy.count = 4_000_000
    handles = [desk.kept(desk.begin(seat), SECRET) for seat in seats]
    home.close()
    return handles


@pytest.mark.proves("case:SIDE-05")
def test_SIDE_05_a_denied_handle_and_an_absent_one_run_the_same_statements_in_the_same_steps(
    plain: Path, tmp_path: Path
) -> None:
    """A stranger's, the room's, a garbled and a made-up one: read and forgotten by whom they are not for."""
    home = tmp_path / "home"
    shutil.copytree(plain, home)
    theirs, rooms = handles_of(home, dm("bob"), room("team", "alice"))
    absent = "r1_" + "A" * (len(theirs) - 3)
    handles = (theirs, rooms, absent, theirs[:-1] + "A")
    reads = watched(home, *map(reading, handles))
    forgets = watched(home, *map(forgetting, handles))

    assert len(reads[0]) > 3
    assert reads[1:] == reads[:-1]
    assert forgets[1:] == forgets[:-1]


@pytest.mark.proves("case:SIDE-05")
def test_SIDE_05_a_word_of_foreign_rows_and_a_word_of_none_run_the_same_statements_in_the_same_steps(
    plain: Path,
) -> None:
    """What only others wrote is as absent as what nobody wrote."""
    theirs, absent = watched(plain, searching("zanzibar"), searching("xanzibar"))

    assert len(theirs) > 3
    assert sum(steps for _, steps in theirs) > 100
    assert theirs == absent


@pytest.mark.proves("case:SIDE-05")
@pytest.mark.parametrize("more", [more_rows, more_stores])
def test_SIDE_05_how_much_is_foreign_changes_no_statement_and_no_step(
    plain: Path, more: Callable[[Desk], None]
) -> None:
    """A thousand more rows in one foreign store, and two hundred more stores: the same work for the same question."""
    other = grown(plain, more)
    acts = (searching("zanzibar"), searching("when is the launch date?"), searching("港口"), reading("r1_AAAA"))
    few, many = watched(plain, *acts), watched(other, *acts)

    assert [len(one) > 3 for one in few] == [True] * len(acts)
    assert few == many


@pytest.mark.proves("case:SIDE-05")
def test_a_look_at_foreign_rows_is_seen_in_the_steps(plain: Path) -> None:
    """The comparison can fail: whoever may be shown a row takes more steps than who may not."""

    def as_bob(desk: Desk, _: Seat) -> object:
        return desk.search(desk.begin(dm("bob")), "zanzibar", limit=50)

    def as_bob_absent(desk: Desk, _: Seat) -> object:
        return desk.search(desk.begin(dm("bob")), "xanzibar", limit=50)

    theirs, absent = watched(plain, as_bob, as_bob_absent)

    assert sum(steps for _, steps in theirs) > sum(steps for _, steps in absent)


ROUNDS: Final = 1_000
WARM: Final = 50
CHANCE: Final = 0.1
"""How far from one half the chance that one takes longer than the other may be. By luck alone it is 0.013 off."""


def interleaved(first: Callable[[], object], second: Callable[[], object]) -> float:
    """Return the chance that the second takes longer than the first, over samples taken in turns."""
    samples = list[int](), list[int]()
    for number in range(2 * ROUNDS):
        which = (number // 2 + number) % 2
        start = perf_counter_ns()
        (first, second)[which]()
        samples[which].append(perf_counter_ns() - start)
    ordered = sorted(samples[0])
    wins = sum(bisect_left(ordered, one) + bisect_right(ordered, one) for one in samples[1])
    return wins / (2 * len(ordered) * len(samples[1]))


def raced(one: Path, first: Act, other: Path, second: Act) -> float:
    """Open two homes and return the chance that Alice's act in the second takes longer than hers in the first."""
    homes = [Home(kind="sqlite", path=path, closers=[]) for path in (one, other)]
    chance = interleaved(*(at_work(home, act) for home, act in zip(homes, (first, second), strict=True)))
    for home in homes:
        home.close()
    return chance


def at_work(home: Home, act: Act) -> Callable[[], object]:
    """Open a home and return an act of Alice's in it, warm."""
    desk = home.open()
    desk.entropy.count = WINDOW
    alice = desk.begin(dm("alice"))
    for _ in range(WARM):
        act(desk, alice)
    return lambda: act(desk, alice)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.proves("case:SIDE-05")
def test_SIDE_05_two_samples_taken_in_turns_do_not_tell_which_is_which(plain: Path, tmp_path: Path) -> None:
    """Denied and absent, few and many foreign rows, few and many stores: it is a coin's throw which takes longer."""
    (theirs,) = handles_of(shutil.copytree(plain, tmp_path / "denied"), dm("bob"))
    launch, foreign, nowhere = map(searching, ("when is the launch date?", "zanzibar", "xanzibar"))
    denied, absent = reading(theirs), reading("r1_" + "A" * (len(theirs) - 3))
    pairs = (
        (tmp_path / "denied", denied, shutil.copytree(plain, tmp_path / "absent"), absent),
        (shutil.copytree(plain, tmp_path / "foreign"), foreign, shutil.copytree(plain, tmp_path / "nowhere"), nowhere),
        (shutil.copytree(plain, tmp_path / "rows"), launch, grown(plain, more_rows), launch),
        (shutil.copytree(plain, tmp_path / "stores"), launch, grown(plain, more_stores), launch),
        (shutil.copytree(plain, tmp_path / "found"), launch, shutil.copytree(plain, tmp_path / "none"), nowhere),
    )
    *chances, control = [raced(*pair) for pair in pairs]

    assert [chance for chance in chances if abs(chance - 0.5) > CHANCE] == []
    assert control < CHANCE  # where there is a difference, the samples do tell
