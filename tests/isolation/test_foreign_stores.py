"""A thousand foreign stores, all full of the query's own words, make no difference whatever."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from privity.backends.sqlite.database import Connection
from privity.backends.sqlite.flusher import Durability
from privity.model.decisions import Denied
from privity.model.ids import ResourceHandle
from privity.model.passages import Forgotten
from privity.model.stores import StoreKind
from tests.engine.desk import Desk, Seat, dm
from tests.isolation import homes, plants
from tests.isolation.homes import KINDS, Alter, Home, Twins, answers, crowd, differences, rows_found, twins, unchanged
from tests.isolation.watch import WATCHED, Watch, watching

CROWD = 1_000
SMALL_CROWD = 30
FOREIGN_WINDOW = 50_000_000
CHURNED_WINDOW = 60_000_000
pytestmark = [pytest.mark.leaks, pytest.mark.timeout(180)]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two closed copies of one home on disk, one of them among strangers."""

    plain: Path
    other: Path
    strangers: list[tuple[Seat, ResourceHandle]]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Furnish a home, copy it, and let a thousand strangers into the copy."""
    path = tmp_path_factory.mktemp("foreign")
    made = twins("sqlite", path)
    strangers = crowd(made.other, CROWD)
    made.close()
    yield Pair(plain=made.homes[0].path, other=made.homes[1].path, strangers=strangers)
    shutil.rmtree(path)


def observed(path: Path, alter: Alter = unchanged, *, since: int = FOREIGN_WINDOW) -> tuple[list[str], Watch]:
    """Open a home under watch, ask it everything, and close it."""
    home = Home(kind="sqlite", path=path, vfs=WATCHED, durability=Durability.STRICT, closers=[])
    with watching(path) as watch:
        desk = home.open(alter)
        watch.start_anew()  # opening a home looks at the mode of every directory
        told = answers(desk, since=since)
        home.close()
    return told, watch


def churn(pair: Pair) -> None:
    """Delete, reindex and vacuum among the strangers, and leave the home closed."""
    home = Home(kind="sqlite", path=pair.other, closers=[])
    desk = home.open()
    desk.entropy.count = 3_000_000
    forgotten = [desk.forget(seat, handle) for seat, handle in pair.strangers[:60]]
    assert sum(isinstance(result, Forgotten) for result in forgotten) == 40  # a service forgets nothing
    indexer = homes.indexer(desk)
    for number in range(60, 90):
        for record in stores_of(desk, number):
            desk.backend.index.reset(homes.AGENT, record)
            indexer.catch_up(record)
    home.close()
    for database in [*pair.other.rglob("agent.db"), *sorted(pair.other.rglob("index.db"))[:100]]:
        vacuum(apsw.Connection(str(database)))


def vacuum(connection: Connection) -> None:
    """Rewrite a database and close it."""
    connection.execute("VACUUM").fetchall()
    connection.close()


def stores_of(desk: Desk, number: int) -> tuple[homes.StoreRecord, ...]:
    """Return the store of one stranger."""
    address = desk.context(homes.foreign(number), homes.Operation.READ)
    places = {
        "usr": (StoreKind.USER, homes.AudienceKind.USER),
        "cnv": (StoreKind.CONVERSATION, homes.AudienceKind.CONVERSATION),
        "svc": (StoreKind.AGENT, homes.AudienceKind.AGENT),
    }
    owner = address.delivery.audiences[0].id
    kind, audience = places[owner[:3]]
    return desk.backend.stores.find_stores(homes.AGENT, [(kind, homes.Audience(kind=audience, id=owner))])


@pytest.mark.proves(
    "store:separate:foreign-influence-none", "case:SIDE-01", "case:SIDE-02", "read:statistics:permitted-only"
)
def test_SIDE_01_SIDE_02_a_thousand_foreign_stores_change_no_byte_no_file_and_no_step(pair: Pair) -> None:
    """Answers, receipts, files opened, statements and their VM steps are the same; also after a churn among strangers."""
    plain, quiet = observed(pair.plain)
    other, crowded = observed(pair.other)
    churn(pair)
    plain_again, quiet_again = observed(pair.plain, since=CHURNED_WINDOW)
    other_again, churned = observed(pair.other, since=CHURNED_WINDOW)

    assert rows_found(plain) > 80
    assert differences(plain, other) == []
    assert crowded.files == quiet.files
    assert crowded.statements == quiet.statements
    assert crowded.steps > 1_000
    assert len(crowded.files) > 10
    assert differences(plain_again, other_again) == []
    assert churned.files == quiet_again.files
    assert churned.statements == quiet_again.statements


@pytest.fixture(params=KINDS)
def among_few(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Twins]:
    """Return twins, one of them among some strangers."""
    made = twins(request.param, tmp_path)
    yield made
    made.close()


@pytest.mark.proves("store:separate:foreign-influence-none", "case:SIDE-02")
def test_SIDE_02_strangers_that_come_go_and_are_reindexed_change_no_byte(among_few: Twins) -> None:
    """On either backend, while both homes stay open."""
    plain, other = among_few.plain, among_few.other
    added = crowd(other, CROWD if isinstance_in_memory(among_few) else SMALL_CROWD)
    first = differences(answers(plain, since=50_000_000), answers(other, since=50_000_000))
    for seat, handle in added[: len(added) // 2]:
        other.forget(seat, handle)
    second = differences(answers(plain, since=60_000_000), answers(other, since=60_000_000))
    for number in range(len(added) // 2, len(added)):
        for record in stores_of(other, number):
            other.backend.index.reset(homes.AGENT, record)
    told = answers(plain, since=70_000_000)
    third = differences(told, answers(other, since=70_000_000))

    assert rows_found(told) > 80
    assert (first, second, third) == ([], [], [])


def isinstance_in_memory(made: Twins) -> bool:
    """The twins are in memory, where a thousand stores are cheap."""
    return made.homes[0].kind == "inmemory"


@pytest.mark.proves("store:separate:placement-not-predicate", "store:separate:own-index")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("plant", [plants.count_strangers, plants.mount_strangers])
def test_a_planted_influence_of_a_foreign_store_is_reported(kind: str, plant: Alter, tmp_path: Path) -> None:
    """Foreign rows in the totals and a foreign store in the view each turn the comparison red."""
    made = twins(kind, tmp_path)
    crowd(made.other, 3)
    before = differences(answers(made.plain, since=50_000_000), answers(made.other, since=50_000_000))
    planted = Desk(plant(made.other.backend), clock=made.other.clock, entropy=made.other.entropy)
    after = differences(answers(made.plain, since=60_000_000), answers(planted, since=60_000_000))
    made.close()

    assert before == []
    assert after != []


@pytest.mark.proves("store:separate:placement-not-predicate", "store:separate:own-index")
def test_a_planted_look_into_a_foreign_store_is_reported(tmp_path: Path) -> None:
    """A backend that opens a stranger's store answers the same, and is caught by files, statements and steps."""
    made = twins("sqlite", tmp_path)
    crowd(made.other, 3)
    made.close()
    plain, quiet = observed(made.homes[0].path)
    other, nosy = observed(made.homes[1].path, plants.open_strangers)

    assert differences(plain, other) == []
    assert nosy.files != quiet.files
    assert nosy.statements != quiet.statements
    assert nosy.steps > quiet.steps


@pytest.mark.proves("case:SIDE-07")
@pytest.mark.parametrize("kind", KINDS)
def test_SIDE_07_a_foreign_handle_and_an_absent_one_are_answered_alike_to_the_byte(kind: str, tmp_path: Path) -> None:
    """Reading and forgetting by a stranger's handle tells nothing that a made-up one does not."""
    made = twins(kind, tmp_path)
    (_, theirs), *_ = crowd(made.other, 1)
    absent = ResourceHandle("r1_" + "A" * (len(theirs) - 3))
    told = [
        outcomes(desk, handle, window)
        for desk in (made.plain, made.other)
        for window, handle in enumerate((theirs, absent))
    ]
    made.close()

    assert len(set(told)) == 1
    assert told[0].count("Denied(") == 2


def outcomes(desk: Desk, handle: ResourceHandle, window: int) -> str:
    """Return what reading and forgetting by a handle is answered, under equal ids to come."""
    desk.entropy.count = 80_000_000 + 1_000 * window
    running = desk.begin(dm("alice"))
    desk.entropy.count = 90_000_000
    return repr((desk.read(running, handle), desk.forget(running, handle)))


@pytest.mark.proves("case:READ-20")
@pytest.mark.parametrize("kind", KINDS)
def test_READ_20_an_answer_given_to_one_is_never_served_to_another(kind: str, tmp_path: Path) -> None:
    """The same question right after somebody else's, and right after one's own was forgotten: nothing is kept."""
    made = twins(kind, tmp_path)
    alice, bob = made.plain.begin(dm("alice")), made.plain.begin(dm("bob"))
    handle = made.plain.kept(alice, "Zanzibar is the password.")
    first = made.plain.texts(alice, "zanzibar")
    crossed = made.plain.texts(bob, "zanzibar")
    assert not isinstance(made.plain.forget(alice, handle), Denied)
    stale = made.plain.texts(alice, "zanzibar")
    made.close()

    assert first == ["Zanzibar is the password."]
    assert crossed == []
    assert stale == []
