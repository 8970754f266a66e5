"""One index file per store: exact, derived, opened only when asked for, and without a trace of what is gone."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.checkup import Problem, inspect_vault
from privity.conformance import storage_samples as samples
from privity.conformance.storage_index import TEXTS, insist_exact, query, rows_of, unordered
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.records import IndexQuery, IndexRow, StoreRecord
from privity.engine.terms import fold
from privity.model.ids import PolicyId, RevisionId, RunId, SessionId
from privity.model.stores import StoreKind
from tests.backends.doubles import disk_vfs, open_home

SECRETS: Final = ("xylophonist", "quetzalcoatl", "秘密暗号", "zzyzx++")


def index_bytes(home: Path) -> bytes:
    """Return everything that is in the files of all indexes, logs included."""
    return b"".join(path.read_bytes() for path in sorted(home.rglob("index.db*")))


def put(text: str, name: str = "rev_1") -> IndexRow:
    """Return a row of one class that never expires."""
    return IndexRow(revision_id=RevisionId(name), class_id="cls_1", text=text, expires_at=None)


@pytest.mark.proves("lifecycle:delete:symmetric")
@pytest.mark.parametrize("removal", ["drop", "replace", "drop-among-many"])
def test_nothing_of_a_removed_row_stays_in_the_files(home: SqliteBackend, tmp_path: Path, removal: str) -> None:
    """Neither its words nor its text, in the database or in the log."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    others = [put(f"plain words number {number}", f"rev_x{number}") for number in range(200)]
    kept = others if removal == "drop-among-many" else []
    home.index.apply(scene.agent_id, place, [*kept, put(" ".join(SECRETS))], [], 1)
    before = index_bytes(tmp_path)
    changed = [put("plain")] if removal == "replace" else []
    home.index.apply(scene.agent_id, place, changed, [] if changed else [RevisionId("rev_1")], 2)
    after = index_bytes(tmp_path)

    assert all(fold(secret).encode() in before for secret in SECRETS)
    assert not [secret for secret in SECRETS if fold(secret).encode() in after]
    assert b"xylophon" not in after
    assert b"quetzalcoatl" not in after


@pytest.mark.proves("store:index:derived", "case:IDX-01")
@pytest.mark.parametrize("damage", [b"", b"not a database, but long enough to look at" * 40])
def test_idx_01_an_index_that_was_lost_or_damaged_starts_anew(tmp_path: Path, damage: bytes) -> None:
    """It is derived: its watermark is 0 again, and the catalog fills it."""
    backend = open_home(tmp_path)
    scene = open_scene(backend)
    place = scene.add_store("ada")
    backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 9)
    backend.close()
    file = next(tmp_path.rglob("index.db"))
    file.write_bytes(damage)
    backend = open_home(tmp_path, start=1_000)
    reopened = Scene(backend=backend, agent_id=scene.agent_id)

    assert backend.index.state(scene.agent_id, place, samples.NOON).watermark == 0
    backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 9)
    insist_exact(reopened, place, rows_of(TEXTS), query())
    backend.close()


@pytest.mark.proves("store:index:derived", "case:IDX-01")
def test_idx_01_an_index_that_is_another_stores_starts_anew(tmp_path: Path) -> None:
    """What was moved or copied from one store to another answers for neither, and the checkup says so."""
    backend = open_home(tmp_path)
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    backend.index.apply(scene.agent_id, ada, rows_of(TEXTS), [], 9)
    backend.index.apply(scene.agent_id, bo, rows_of(TEXTS[:1]), [], 9)
    backend.close()
    files = {path.parent.name: path for path in tmp_path.rglob("index.db")}
    shutil.copyfile(files[ada.path_key], files[bo.path_key])
    problems = [finding.problem for finding in inspect_vault(tmp_path / "vault")]
    backend = open_home(tmp_path, start=1_000)
    marks = [backend.index.state(scene.agent_id, place, samples.NOON).watermark for place in (ada, bo)]
    backend.close()

    assert problems.count(Problem.FOREIGN_INDEX) == 1
    assert marks == [9, 0]


@pytest.mark.proves("store:index:derived", "case:IDX-01")
def test_idx_01_an_index_that_was_deleted_is_made_again(tmp_path: Path) -> None:
    """Reading one that is not there makes no file."""
    backend = open_home(tmp_path)
    scene = open_scene(backend)
    place = scene.add_store("ada")
    backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 9)
    backend.close()
    next(tmp_path.rglob("index.db")).unlink()
    backend = open_home(tmp_path, start=1_000)

    assert backend.index.state(scene.agent_id, place, samples.NOON).watermark == 0
    assert not list(tmp_path.rglob("index.db"))
    backend.close()


@pytest.fixture
def crowd(home: SqliteBackend) -> tuple[Scene, list[StoreRecord]]:
    """Return a cell with many stores, each with an index full of the same words."""
    scene = open_scene(home)
    stores = [scene.add_store(f"person{number}") for number in range(12)]
    for place in stores:
        home.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
    return scene, stores


@pytest.mark.proves("store:separate:own-index", "store:separate:foreign-influence-none")
def test_a_search_opens_the_files_of_its_store_only(tmp_path: Path) -> None:
    """Counted in the VFS: with more stores around it opens the very same files."""
    with disk_vfs("counting") as disk:
        opened: list[list[str]] = []
        for stores in (1, 8):
            home = tmp_path / str(stores)
            home.mkdir()
            backend = open_home(home, vfs="counting")
            scene = open_scene(backend)
            places = [scene.add_store(f"person{number}") for number in range(stores)]
            for place in places:
                backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
            backend.close()
            backend = open_home(home, vfs="counting", start=1_000)
            disk.opened.clear()
            backend.index.match(scene.agent_id, places[0], query())
            opened.append([name.removeprefix(str(home.resolve())) for name in disk.opened])
            backend.close()

    assert opened[0] == opened[1]
    assert {Path(name).name for name in opened[0]} <= {"index.db", "index.db-wal"}


@pytest.mark.proves("store:separate:foreign-influence-none")
def test_a_search_takes_the_same_steps_whatever_is_in_other_stores(tmp_path: Path) -> None:
    """The same statements, and the same steps of SQLite's machine in each."""
    taken: list[list[tuple[str, int]]] = []
    for stores in (1, 8):
        home = tmp_path / str(stores)
        home.mkdir()
        backend = open_home(home)
        scene = open_scene(backend)
        places = [scene.add_store(f"person{number}") for number in range(stores)]
        for place in places:
            backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
            scene.derive(place, place.facts.store_id)
        taken.append(steps_of(scene, places[0]))
        backend.close()

    assert taken[0] == taken[1]
    assert len(taken[0]) > 20


def steps_of(scene: Scene, place: StoreRecord) -> list[tuple[str, int]]:
    """Return the statements of one search and one look into the catalog, with the steps each took."""
    backend = scene.backend
    assert isinstance(backend, SqliteBackend)
    steps: list[tuple[str, int]] = []

    def profile(event: dict[str, Any]) -> None:
        steps.append((event["sql"], event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]))

    pools = (backend.index.files.pool, backend.index.files.cells.pool)
    connections = [lease.database.connection for pool in pools for lease in pool.leases.values()]
    for connection in connections:
        assert isinstance(connection, apsw.Connection)
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, profile)  # pyright: ignore[reportUnknownMemberType]
    found = backend.stores.find_stores(scene.agent_id, [(place.facts.kind, place.facts.audience)])
    backend.index.state(scene.agent_id, place, samples.NOON)
    backend.index.match(scene.agent_id, place, query())
    backend.revisions.list_card(scene.agent_id, place.facts.store_id)
    backend.revisions.list_changes(scene.agent_id, place.facts.store_id, 99)
    backend.runs.load_window(scene.agent_id, SessionId("ses_none"))
    backend.runs.load_run(scene.agent_id, RunId("run_none"))
    backend.stores.load_policies(scene.agent_id, [place.policy_id, PolicyId("pol_zzz")])
    backend.stores.find_stores(scene.agent_id, [(StoreKind.USER, samples.person("zzz"))])
    backend.revisions.load_revisions(scene.agent_id, [RevisionId("rev_zzz")])
    backend.revisions.load_classes(scene.agent_id, ["cls_1", "cls_zzz"])
    changes = backend.revisions.list_changes(scene.agent_id, place.facts.store_id, 0)
    backend.revisions.load_revisions(scene.agent_id, [row.revision_id for row in changes])
    assert (len(found), len(changes)) == (1, 1)
    return steps


@pytest.mark.proves("store:separate:own-index")
def test_only_so_many_indexes_are_open_at_a_time(tmp_path: Path) -> None:
    """The oldest is closed first, and every store is still found."""
    backend = open_home(tmp_path, most_open=3)
    scene = open_scene(backend)
    places = [scene.add_store(f"person{number}") for number in range(8)]
    for place in places:
        backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
    for place in [*places, *reversed(places)]:
        insist_exact(scene, place, rows_of(TEXTS), query())

    assert len(backend.index.files.pool.leases) == 3
    backend.close()


words = st.sampled_from(
    ["run", "ran", "running", "手机", "机", "++", "%", "_", "\\", "É", "ﬁn", "İ", "ß", "\x00", "👍"]
)
texts = st.lists(words | st.text(max_size=4), max_size=10).map(" ".join) | st.text(max_size=12)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Scene, StoreRecord]]:
    """Yield a cell and a store for many small searches."""
    backend = open_home(tmp_path_factory.mktemp("searched"))
    scene = open_scene(backend)
    yield scene, scene.add_store("ada")
    backend.close()


@pytest.mark.property
@pytest.mark.timeout(120)
@pytest.mark.proves("read:statistics:permitted-only", "read:prefilter:superset", "case:SRCH-05")
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), rows=st.lists(texts, max_size=6).map(rows_of))
def test_a_search_finds_exactly_what_a_look_at_every_row_finds(
    searched: tuple[Scene, StoreRecord], data: st.DataObject, rows: list[IndexRow]
) -> None:
    """For any texts, and for words of the texts and others."""
    scene, place = searched
    backend = scene.backend
    backend.index.reset(scene.agent_id, place)
    backend.index.apply(scene.agent_id, place, rows, [], 1)
    tokens = [token for row in rows for token in backend.index.tokens(row.text)]
    pieces = [fold(row.text)[start : start + 2] for row in rows for start in range(len(row.text))]
    terms = data.draw(st.lists(st.sampled_from([*tokens, "absent"]), max_size=4))
    needles = data.draw(st.lists(st.sampled_from([*filter(None, pieces), "absent"]), max_size=4))
    asked = IndexQuery(
        terms=tuple(terms),
        needles=tuple(needles),
        classes=data.draw(st.frozensets(st.sampled_from(["cls_a", "cls_A", "cls_b"]))),
        skip=data.draw(st.frozensets(st.sampled_from([row.revision_id for row in rows] or [RevisionId("none")]))),
        at=samples.NOON + data.draw(st.integers(-1, 4)) * samples.HOUR,
    )

    insist_exact(scene, place, rows, asked)


@pytest.mark.proves("read:statistics:permitted-only")
def test_searches_of_many_stores_are_alike(crowd: tuple[Scene, list[StoreRecord]]) -> None:
    """Equal rows give equal numbers in every store, so scores compare."""
    scene, stores = crowd
    found = [unordered(scene.backend.index.match(scene.agent_id, place, query())) for place in stores]

    assert all(each == found[0] for each in found)
