"""A disk that is full, failing or read-only at any write or sync: an error that says so, and nothing changed."""

import errno
import os
import resource
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import pytest

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.failures import storage_failures, system_failure
from privity.backends.sqlite.flusher import Durability
from privity.conformance import storage_samples as samples
from privity.conformance.storage_index import TEXTS, brute_force, query, rows_of, unordered
from privity.conformance.storage_scene import Scene, open_scene
from privity.model.ids import HostFactsRevision, RevisionId
from privity.model.resources import Section
from privity.sdk.errors import StorageFailedError
from tests.backends.doubles import Disk, disk_vfs, open_home

Prepare = Callable[[Scene], Callable[[], object]]


def activation(scene: Scene) -> Callable[[], object]:
    """Prepare to activate a revision."""
    return partial(scene.backend.revisions.activate, scene.activation(samples.revision(scene.stores()[0], "new")))


def burial(scene: Scene) -> Callable[[], object]:
    """Prepare to tombstone a revision that has descendants."""
    source = scene.derive(scene.stores()[0], "source")
    scene.derive(scene.stores()[0], "child", source)
    return partial(scene.backend.revisions.tombstone, scene.burial(source))


def amendment(scene: Scene) -> Callable[[], object]:
    """Prepare to amend a policy."""
    return partial(scene.backend.stores.amend, scene.amendment(samples.policy("ada", revision=2)))


def beginning(scene: Scene) -> Callable[[], object]:
    """Prepare to begin a run with an event."""
    return partial(scene.backend.runs.begin_run, scene.beginning(scene.run("run_2"), event=samples.event("1")))


def exposure(scene: Scene) -> Callable[[], object]:
    """Prepare to record an exposure."""
    return partial(scene.backend.runs.expose, scene.exposure(scene.begin(scene.run("run_1"))))


def epoch(scene: Scene) -> Callable[[], object]:
    """Prepare to raise the host-facts epoch."""
    return partial(scene.backend.stores.advance_host_facts, scene.agent_id, HostFactsRevision(7))


@pytest.mark.crash
@pytest.mark.proves("case:CRASH-02")
@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError, apsw.ReadOnlyError], ids=lambda e: e.__name__)
@pytest.mark.parametrize("prepare", [activation, burial, amendment, beginning, exposure, epoch])
def test_crash_02_a_commit_that_fails_changes_nothing(
    tmp_path: Path, prepare: Prepare, error: type[apsw.Error]
) -> None:
    """At whichever write or sync the disk fails, before and after a restart; then the same commit goes through."""
    with disk_vfs("faulty") as disk:
        backend = open_home(tmp_path, vfs="faulty", durability=Durability.STRICT)
        scene = open_scene(backend)
        scene.add_store("ada")
        commit = prepare(scene)
        before = scene.observed()
        attempts = fail_until_done(disk, error, commit, lambda: scene.observed() == before)
        after = scene.observed()
        backend.close()
        backend = open_home(tmp_path, vfs="faulty", start=1_000)
        reopened = Scene(backend=backend, agent_id=scene.agent_id).observed()
        backend.close()

    assert attempts >= 2
    assert after != before
    assert reopened == after


def fail_until_done(
    disk: Disk, error: type[apsw.Error], commit: Callable[[], object], unchanged: Callable[[], bool]
) -> int:
    """Let the disk fail one write later each time, until the commit goes through; return the attempts."""
    disk.error = error
    for attempt in range(200):
        disk.remaining = attempt
        try:
            commit()
        except StorageFailedError:
            disk.remaining = None
            assert unchanged()
        else:
            disk.remaining = None
            return attempt + 1
    pytest.fail("it never went through")


@pytest.mark.crash
@pytest.mark.proves("case:CRASH-02", "store:index:derived")
def test_crash_02_an_index_that_fails_to_change_is_as_it_was(tmp_path: Path) -> None:
    """Rows, totals and watermark move together or not at all."""
    with disk_vfs("faulty-index") as disk:
        backend = open_home(tmp_path, vfs="faulty-index")
        scene = open_scene(backend)
        place = scene.add_store("ada")
        rows = rows_of(TEXTS)
        backend.index.apply(scene.agent_id, place, rows[:5], [], 5)

        def found() -> object:
            state = backend.index.state(scene.agent_id, place, samples.NOON)
            return unordered(backend.index.match(scene.agent_id, place, query())), state

        before = found()
        change = partial(
            backend.index.apply, scene.agent_id, place, rows[5:], [rows[0].revision_id, rows[1].revision_id], 9
        )
        attempts = fail_index(disk, change, found, before)
        wanted = unordered(brute_force(backend, rows[2:], query()))
        matched = unordered(backend.index.match(scene.agent_id, place, query()))
        backend.close()

    assert attempts >= 2
    assert matched == wanted


def fail_index(disk: Disk, change: Callable[[], object], found: Callable[[], object], before: object) -> int:
    """Let the disk fail one write later each time; what is seen is the state before, or the whole change."""
    for attempt in range(200):
        disk.remaining = attempt
        try:
            change()
        except StorageFailedError:
            disk.remaining = None
            if found() != before:
                return attempt + 1
        else:
            disk.remaining = None
            return attempt + 1
    pytest.fail("it never went through")


@pytest.mark.proves("case:IDX-05")
def test_idx_05_a_full_disk_names_the_place_and_its_free_bytes(tmp_path: Path) -> None:
    """So that nobody looks for space where there is enough."""
    with disk_vfs("full") as disk:
        backend = open_home(tmp_path, vfs="full")
        scene = open_scene(backend)
        disk.remaining = 0
        with pytest.raises(StorageFailedError) as full:
            scene.add_store("ada")
        disk.remaining = None
        backend.close()

    assert str((tmp_path / "vault").resolve()) in full.value.problem
    assert "bytes free" in full.value.problem
    assert "free space" in full.value.remedy


@pytest.mark.proves("case:CRASH-02")
@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (errno.ENOSPC, "is full"),
        (errno.EDQUOT, "is full"),
        (errno.EROFS, "cannot be written"),
        (errno.EACCES, "cannot be written"),
        (errno.EIO, "input/output error"),
        (errno.EMFILE, "too many open files"),
    ],
)
def test_an_error_of_the_system_is_told_in_words(tmp_path: Path, number: int, problem: str) -> None:
    """With the place, and with what to do."""
    failure = system_failure(OSError(number, os.strerror(number)), tmp_path)

    assert problem in failure.problem
    assert str(tmp_path) in failure.problem
    assert failure.remedy


@pytest.mark.proves("case:CRASH-02")
@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (apsw.FullError, "is full"),
        (apsw.ReadOnlyError, "cannot be written"),
        (apsw.CantOpenError, "cannot be written"),
        (apsw.CorruptError, "is damaged"),
        (apsw.NotADBError, "is damaged"),
        (apsw.BusyError, "is locked"),
        (apsw.IOError, "failed"),
        (apsw.ConstraintError, "failed"),
    ],
)
def test_an_error_of_the_database_is_told_in_words(tmp_path: Path, error: type[apsw.Error], problem: str) -> None:
    """No caller ever sees SQLite's own error."""
    with pytest.raises(StorageFailedError, match=problem), storage_failures(tmp_path):
        raise error


@pytest.mark.proves("case:CRASH-02", "write:crash:simple-order")
def test_a_file_that_cannot_be_written_whole_is_not_left_behind(home: SqliteBackend, tmp_path: Path) -> None:
    """A disk that takes the first bytes only keeps none of them."""
    scene = open_scene(home)
    key = scene.add_store("ada").path_key
    stage = partial(home.artifacts.stage, scene.agent_id, key, Section.NOTE, RevisionId("rev_1"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_024, hard))
    try:
        with pytest.raises(StorageFailedError, match="too large"):
            stage(bytes(10_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert list(next(tmp_path.rglob("notes")).iterdir()) == []
    assert stage(bytes(10_000)).size == 10_000


@pytest.mark.proves("case:CRASH-02")
def test_a_store_whose_directory_is_gone_is_unavailable(home: SqliteBackend, tmp_path: Path) -> None:
    """Writes say so; the catalog is as it was."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    before = scene.observed()
    shutil.rmtree(next(tmp_path.rglob("scp_*")))
    with pytest.raises(StorageFailedError):
        home.artifacts.stage(scene.agent_id, place.path_key, Section.NOTE, RevisionId("rev_1"), b"x")
    with pytest.raises(StorageFailedError):
        home.index.apply(scene.agent_id, place, [], [], 1)

    assert scene.observed() == before
