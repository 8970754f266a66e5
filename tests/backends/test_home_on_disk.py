"""The vault on disk: where things are, who may look, who owns it, and what version it is."""

import os
import stat
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from privity.backends.sqlite.backend import SqliteBackend, open_vault
from privity.backends.sqlite.checkup import inspect_vault
from privity.backends.sqlite.database import require_safe_sqlite
from privity.backends.sqlite.flusher import Durability
from privity.backends.sqlite.modes import remedy_for
from privity.conformance import storage_samples as samples
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.records import IndexRow
from privity.model.ids import RevisionId
from privity.model.resources import Section
from privity.sdk.errors import HomeInUseError, HomeVersionError, StorageFailedError, UnavailableError
from tests.backends.doubles import FrozenClock, RepeatingEntropy, open_home


def write_something(backend: SqliteBackend) -> Scene:
    """Write to every kind of file there is."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    staged = backend.artifacts.stage(scene.agent_id, place.path_key, Section.NOTE, RevisionId("rev_1"), b"text")
    backend.artifacts.finalize(staged)
    scene.derive(place, "1")
    row = IndexRow(revision_id=RevisionId("rev_1"), class_id="cls_1", text="text", expires_at=None)
    backend.index.apply(scene.agent_id, place, [row], [], 1)
    backend.keys.home_key()
    return scene


def everything_in(vault: Path) -> list[Path]:
    """Return a vault and everything below it."""
    return [vault, *sorted(vault.rglob("*"))]


@pytest.mark.proves("case:FILE-05", "store:separate:own-index")
def test_file_05_everything_in_a_vault_is_private_and_opaque(home: SqliteBackend, tmp_path: Path) -> None:
    """Directories 0700, files 0600, logs of open databases included, and no name says whose they are."""
    old = os.umask(0)
    try:
        scene = write_something(home)
    finally:
        os.umask(old)
    paths = everything_in(tmp_path / "vault")
    modes = {path: stat.S_IMODE(path.lstat().st_mode) for path in paths}

    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if not path.is_dir()} == {0o600}
    assert {"agent.db-wal", "index.db", "rev_1.md", "home.key"} <= {path.name for path in paths}
    assert not [path for path in paths if scene.agent_id in str(path) or "ada" in path.name]


@pytest.mark.proves("case:FILE-05", "store:path:opaque-key")
def test_file_05_a_directory_key_that_is_taken_is_drawn_again(tmp_path: Path) -> None:
    """A collision makes another directory; nobody shares one."""
    entropy = RepeatingEntropy()
    backend = open_vault(tmp_path / "vault", clock=FrozenClock(), entropy=entropy, durability=Durability.STRICT)
    scene = open_scene(backend)
    keys = [backend.artifacts.make_root(scene.agent_id) for _ in range(4)]
    backend.close()

    assert len(set(keys)) == 4


@pytest.mark.proves("case:FILE-05")
@pytest.mark.parametrize(
    ("pattern", "mode", "command"),
    [
        (".", 0o755, "chmod 0700"),
        ("keys", 0o750, "chmod 0700"),
        ("keys/home.key", 0o640, "chmod 0600"),
        ("cells.db", 0o604, "chmod 0600"),
        ("lock", 0o666, "chmod 0600"),
        ("agents", 0o711, "chmod 0700"),
        ("agents/*/agent.db", 0o644, "chmod 0600"),
        ("agents/*/scopes/v1/*", 0o770, "chmod 0700"),
        ("agents/*/scopes/v1/*/index.db", 0o660, "chmod 0600"),
    ],
)
def test_file_05_wrong_modes_stop_the_start(tmp_path: Path, pattern: str, mode: int, command: str) -> None:
    """The error names the path and the command that makes it right; nothing is changed."""
    backend = open_home(tmp_path)
    write_something(backend)
    backend.close()
    vault = tmp_path / "vault"
    path = vault if pattern == "." else next(vault.glob(pattern))
    path.chmod(mode)

    with pytest.raises(UnavailableError) as refused:
        open_home(tmp_path)

    assert refused.value.remedy == f"run `{command} {path}`"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    path.chmod(0o700 if path.is_dir() else 0o600)
    open_home(tmp_path).close()


@pytest.mark.proves("case:FILE-05")
def test_file_05_a_link_in_a_vault_stops_the_start(tmp_path: Path) -> None:
    """A link could lead anywhere."""
    open_home(tmp_path).close()
    (tmp_path / "vault" / "agents" / "elsewhere").symlink_to(tmp_path)

    with pytest.raises(UnavailableError, match="open to others"):
        open_home(tmp_path)


@pytest.mark.proves("governance:home:one-authority")
def test_a_vault_has_one_owner_at_a_time(home: SqliteBackend, tmp_path: Path) -> None:
    """A second opener is told that it is in use, also within one process."""
    with pytest.raises(HomeInUseError):
        open_home(tmp_path)
    with pytest.raises(HomeInUseError):
        inspect_vault(tmp_path / "vault")

    home.close()
    open_home(tmp_path).close()


OWNER = """
    import sys, time
    from pathlib import Path
    from tests.backends.doubles import open_home
    backend = open_home(Path(sys.argv[1]))
    print("owned", flush=True)
    time.sleep(60)
"""


@pytest.mark.crash
@pytest.mark.proves("case:IDX-02", "governance:home:one-authority")
def test_idx_02_the_lock_of_a_vault_dies_with_its_owner(tmp_path: Path) -> None:
    """Another process owns the vault until it is killed; then the vault opens."""
    with start(OWNER, tmp_path) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "owned\n"
        with pytest.raises(HomeInUseError):
            open_home(tmp_path)
        owner.kill()

    open_home(tmp_path).close()


def start(script: str, *arguments: Path) -> "subprocess.Popen[str]":
    """Start another Python with the same modules."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-B", "-c", textwrap.dedent(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


@pytest.mark.proves("case:CRASH-05")
@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.46.1", "3.51.2", "3.6.23"])
def test_crash_05_an_sqlite_with_the_log_fault_is_refused(version: str) -> None:
    """From 3.7.0 to 3.51.2, and what is older has no log at all."""
    with pytest.raises(UnavailableError, match=version):
        require_safe_sqlite(version)


@pytest.mark.proves("case:CRASH-05")
@pytest.mark.parametrize("version", ["3.51.3", "3.52.0", "3.54.0", "4.0.0", apsw.sqlite_lib_version()])
def test_crash_05_an_sqlite_without_the_fault_is_taken(version: str) -> None:
    """And the one that comes with us is among them."""
    require_safe_sqlite(version)


@pytest.mark.proves("store:schema:additive")
@pytest.mark.parametrize("pattern", ["cells.db", "agents/*/agent.db", "agents/*/scopes/v1/*/index.db"])
@pytest.mark.parametrize(("version", "remedy"), [(99, "newer"), (-1, "older")])
def test_a_home_of_another_version_is_refused(tmp_path: Path, pattern: str, version: int, remedy: str) -> None:
    """Whichever of its databases is of one; the remedy is the privity that wrote it."""
    backend = open_home(tmp_path)
    scene = write_something(backend)
    backend.close()
    database = next((tmp_path / "vault").glob(pattern))
    connection = apsw.Connection(str(database))
    connection.execute(f"PRAGMA user_version = {version}")  # pyright: ignore[reportUnknownMemberType]
    connection.close()

    with pytest.raises(HomeVersionError) as refused:
        use(open_home(tmp_path), scene)

    assert remedy in refused.value.remedy


def use(backend: SqliteBackend, scene: Scene) -> None:
    """Read from every kind of database, and close."""
    try:
        place = Scene(backend=backend, agent_id=scene.agent_id).stores()[0]
        backend.index.state(scene.agent_id, place, samples.NOON)
    finally:
        backend.close()


@pytest.mark.proves("store:schema:additive")
def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    """A vault opened again holds the same, and the same key."""
    backend = open_home(tmp_path)
    scene = write_something(backend)
    before, key = scene.observed(), backend.keys.home_key()
    backend.close()
    backend = open_home(tmp_path, start=1_000)

    assert Scene(backend=backend, agent_id=scene.agent_id).observed() == before
    assert backend.keys.home_key() == key
    backend.close()


@pytest.mark.proves("store:one-scope")
def test_a_catalog_under_another_agents_directory_is_refused(tmp_path: Path) -> None:
    """Catalogs that were exchanged on disk serve nobody."""
    backend = open_home(tmp_path)
    for agent in ("agt_one", "agt_two"):
        open_scene(backend, agent).add_store("ada")
    backend.close()
    one, two = sorted((tmp_path / "vault" / "agents").glob("*/agent.db"))
    kept = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(kept)
    backend = open_home(tmp_path, start=1_000)

    with pytest.raises(StorageFailedError, match="not where the registry says"):
        open_scene(backend, "agt_one")

    backend.close()


@pytest.mark.proves("store:one-scope")
@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_damaged_home_key_is_never_replaced(home: SqliteBackend, tmp_path: Path, content: bytes) -> None:
    """Without the key nothing sealed under it can be opened, so a new one would hide the loss."""
    home.keys.home_key()
    path = tmp_path / "vault" / "keys" / "home.key"
    path.write_bytes(content)

    with pytest.raises(StorageFailedError, match="key"):
        home.keys.home_key()

    assert path.read_bytes() == content


@dataclass(frozen=True, slots=True)
class StuckEntropy:
    """The same token every time."""

    def token(self, prefix: str) -> str:
        """Return the only token there is."""
        return f"{prefix}_0"

    def key(self) -> bytes:
        """Return the only key there is."""
        return bytes(range(32))


@pytest.mark.proves("case:FILE-05")
def test_file_05_entropy_that_repeats_itself_for_ever_is_a_failure(tmp_path: Path) -> None:
    """After some attempts it is an error, and never a directory that two stores share."""
    backend = open_vault(tmp_path / "vault", clock=FrozenClock(), entropy=StuckEntropy(), durability=Durability.STRICT)
    scene = open_scene(backend)
    backend.artifacts.make_root(scene.agent_id)
    with pytest.raises(StorageFailedError):
        backend.artifacts.make_root(scene.agent_id)

    backend.close()


@pytest.mark.proves("case:FILE-05")
def test_file_05_a_file_of_another_user_is_not_private(tmp_path: Path) -> None:
    """Modes say nothing about whose a file is."""
    path = tmp_path / "file"
    path.touch(mode=0o600)
    stranger = os.geteuid() + 1

    assert remedy_for(path, owner=os.geteuid()) is None
    assert remedy_for(path, owner=stranger) == f"run `chown {stranger} {path}`"
