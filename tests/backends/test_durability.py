"""When a commit reaches the disk, and what threads and names may not do to the databases."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.database import Database
from privity.backends.sqlite.flusher import GATHER_SECONDS, Durability, Flusher, sync_log
from privity.conformance import storage_samples as samples
from privity.conformance.storage_index import TEXTS, insist_exact, query, rows_of
from privity.conformance.storage_scene import ALL, Scene, open_scene
from privity.engine.ports import MovedError
from privity.model.ids import HostFactsRevision
from tests.backends.doubles import Disk, disk_vfs, open_home


def syncs_of(disk: Disk, commit: Callable[[], object]) -> int:
    """Return how often a commit made SQLite sync."""
    before = disk.synced
    commit()
    return disk.synced - before


@pytest.mark.proves("read:exposure:power-loss", "write:durable-before-ack")
@pytest.mark.parametrize("durability", Durability)
def test_writes_are_synced_and_access_records_as_set(tmp_path: Path, durability: Durability) -> None:
    """Grouped: writes, revocations and events at once, access records soon. Strict: all at once."""
    with disk_vfs(f"syncs-{durability}") as disk:
        backend = open_home(tmp_path, vfs=f"syncs-{durability}", durability=durability)
        scene = open_scene(backend)
        place = scene.add_store("ada")
        row = scene.derive(place, "1")
        run = scene.begin(scene.run("run_1"))
        at_once = [
            syncs_of(disk, commit)
            for commit in (
                partial(scene.derive, place, "2"),
                partial(backend.stores.advance_host_facts, scene.agent_id, HostFactsRevision(3)),
                partial(scene.begin, scene.run("run_2")),
                lambda: backend.runs.append_event(scene.utterance("1")),
                lambda: backend.stores.amend(scene.amendment(samples.policy("ada", revision=2))),
                partial(scene.tombstone, row),
            )
        ]
        soon = [
            syncs_of(disk, lambda: backend.runs.expose(scene.exposure(run))),
            syncs_of(disk, lambda: backend.outbox.record(samples.record(scene.agent_id, "denied"))),
            syncs_of(disk, partial(scene.derive, place, "3")),
        ]
        backend.close()

    assert at_once == [1] * 6
    assert soon == ([0, 0, 1] if durability is Durability.GROUPED else [1, 1, 1])


@pytest.mark.proves("read:exposure:power-loss")
def test_a_grouped_commit_is_synced_within_the_gathering_time(tmp_path: Path) -> None:
    """Many commits make one sync, and it comes by itself."""
    synced: list[Path] = []
    done = Event()

    def sync(log: Path) -> None:
        synced.append(log)
        done.set()

    flusher = Flusher(sync)
    flusher.start()
    for _ in range(100):
        flusher.note(tmp_path / "log")
    arrived = done.wait(timeout=5)
    flusher.close()

    assert arrived
    assert GATHER_SECONDS < 0.05
    assert 1 <= len(synced) < 10


@pytest.mark.proves("read:exposure:power-loss")
def test_what_is_still_gathering_is_synced_at_the_end(tmp_path: Path) -> None:
    """Closing waits for nothing and loses nothing."""
    synced: list[Path] = []
    flusher = Flusher(synced.append)
    flusher.note(tmp_path / "log")
    flusher.start()
    flusher.close()

    assert synced == [tmp_path / "log"]


@pytest.mark.proves("read:exposure:power-loss", "case:CRASH-02")
def test_a_sync_that_fails_is_told_to_the_next_commit(tmp_path: Path) -> None:
    """Nobody goes on for long on records that a power cut would take."""

    def fail(log: Path) -> None:
        raise OSError(5, f"cannot sync {log.name}")

    flusher = Flusher(fail)
    flusher.note(tmp_path / "log")
    flusher.start()
    flusher.close()

    with pytest.raises(OSError, match="cannot sync log"):
        flusher.note(tmp_path / "log")
    flusher.note(tmp_path / "log")


@pytest.mark.proves("read:exposure:power-loss")
def test_a_log_that_is_gone_needs_no_sync(tmp_path: Path) -> None:
    """It was folded into its database, which was synced with it."""
    sync_log(tmp_path / "gone")
    (tmp_path / "log").write_bytes(b"x")
    sync_log(tmp_path / "log")


@pytest.mark.proves("case:POL-13")
def test_pol_13_every_index_of_every_table_compares_bytes(home: SqliteBackend) -> None:
    """No table and no index has a collation in which two different ids are equal."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    home.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
    pools = (home.index.files.pool, home.index.files.cells.pool)
    databases = [lease.database for pool in pools for lease in pool.leases.values()]
    databases.append(home.index.files.cells.registry)
    compared = {name: collations_of(database) for name, database in enumerate(databases)}

    assert {collation for found in compared.values() for collation in found} == {"BINARY"}
    assert len(compared) == 3


def collations_of(database: Database) -> set[str]:
    """Return the collations of all indexes, and of the primary keys."""
    rows = database.rows(
        "SELECT x.coll FROM sqlite_schema AS t JOIN pragma_index_list(t.name) AS i "
        "JOIN pragma_index_xinfo(i.name) AS x WHERE t.type = 'table' AND t.name NOT LIKE 'terms%'"
    )
    declared = database.rows("SELECT sql FROM sqlite_schema WHERE sql LIKE '%COLLATE%'")
    assert declared == []
    return {row[0] for row in rows}


@pytest.mark.proves("store:query:binds-agent")
def test_every_table_of_ours_is_strict(home: SqliteBackend) -> None:
    """A column holds what it declares, and nothing else."""
    scene = open_scene(home)
    with home.index.files.cells.reading(scene.agent_id) as database:
        loose = database.rows("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0")

    assert {row[0] for row in loose} <= {"sqlite_schema"}


@pytest.mark.timeout(60)
@pytest.mark.proves("audit:outbox:with-write", "store:separate:own-index")
def test_many_threads_share_a_vault(tmp_path: Path) -> None:
    """Commits of several threads, with fewer open indexes than stores: all whole, none lost, numbers gapless."""
    backend = open_home(tmp_path, most_open=2)
    scenes = [open_scene(backend, f"agt_{number}") for number in range(2)]
    places = [(scene, scene.add_store(f"person{number}")) for scene in scenes for number in range(3)]

    def work(thread: int) -> None:
        for number in range(10):
            scene, place = places[(thread + number) % len(places)]
            while not activated(scene, samples.revision(place, f"{thread}_{number}")):
                pass
            backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
            insist_exact(scene, place, rows_of(TEXTS), query())
            backend.outbox.record(samples.record(scene.agent_id, f"{thread}_{number}"))

    with ThreadPoolExecutor(max_workers=6) as threads:
        list(threads.map(work, range(6)))
    sequences = [[record.sequence for record in backend.outbox.pull(scene.agent_id, 0, ALL)] for scene in scenes]
    backend.close()

    assert sum(map(len, sequences)) == 2 * 6 * 10
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in sequences)


def activated(scene: Scene, row: samples.RevisionRecord) -> bool:
    """Activate a revision, unless something moved meanwhile."""
    try:
        scene.activate(row)
    except MovedError:
        return False
    return True


@pytest.mark.proves("store:query:binds-agent")
def test_a_statement_that_binds_too_little_is_refused(home: SqliteBackend) -> None:
    """A parameter that nobody gave is an error, never NULL."""
    scene = open_scene(home)
    with home.index.files.cells.reading(scene.agent_id) as database, pytest.raises(KeyError):
        database.rows("SELECT only FROM cell WHERE agent_id = :agent_id", {})


@pytest.mark.proves("case:CRASH-02")
@pytest.mark.parametrize("durability", Durability)
def test_a_transaction_that_is_left_by_an_error_undoes_what_it_did(tmp_path: Path, durability: Durability) -> None:
    """Also after something was written in it, and the next one is not disturbed."""
    backend = open_home(tmp_path, durability=durability)
    scene = open_scene(backend)
    before = scene.observed()
    with backend.index.files.cells.writing(scene.agent_id) as database:
        for transaction in (database.transaction, database.grouped_transaction):
            with pytest.raises(KeyError):
                leave(database, transaction)

    assert scene.observed() == before
    scene.add_store("ada")
    assert len(scene.stores()) == 1
    backend.close()


def leave(database: Database, transaction: Callable[[], AbstractContextManager[None]]) -> None:
    """Write in a transaction and leave it by an error."""
    with transaction():
        database.run("UPDATE cell SET authority_revision = 99")
        raise KeyError


@pytest.mark.proves("lifecycle:delete:symmetric")
def test_every_database_overwrites_what_is_deleted(home: SqliteBackend) -> None:
    """Whatever the library was compiled to do by itself."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    home.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 1)
    pools = (home.index.files.pool, home.index.files.cells.pool)
    databases = [lease.database for pool in pools for lease in pool.leases.values()]

    assert [database.rows("PRAGMA secure_delete") for database in databases] == [[(1,)], [(1,)]]
