"""Files of revisions: only a plain file inside its store, with exactly its bytes, is ever read."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.files import LARGEST, read_exactly
from privity.conformance.storage_artifacts import TEXT, digest
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.records import Artifact
from privity.model.ids import RevisionId
from privity.model.resources import Section
from privity.policy.facts import Integrity
from privity.sdk.errors import InputError

OUTSIDE = Artifact(integrity=Integrity.OUTSIDE_ROOT, content=None)


@pytest.fixture
def scene(home: SqliteBackend) -> Scene:
    """Return a cell with one final artifact."""
    opened = open_scene(home)
    place = opened.add_store("ada")
    staged = home.artifacts.stage(opened.agent_id, place.path_key, Section.NOTE, RevisionId("rev_1"), TEXT)
    home.artifacts.finalize(staged)
    return opened


@pytest.fixture
def file(scene: Scene, tmp_path: Path) -> Path:
    """Return the path of that artifact."""
    assert scene.stores()
    return next(tmp_path.rglob("rev_1.md"))


def load(scene: Scene, name: str = "rev_1", path_key: str | None = None) -> Artifact:
    """Load the artifact as the engine does."""
    key = scene.stores()[0].path_key if path_key is None else path_key
    return scene.backend.artifacts.load(scene.agent_id, key, Section.NOTE, RevisionId(name), digest(TEXT))


def link_to_copy(file: Path) -> None:
    """Put a symbolic link to the same bytes in the file's place."""
    file.rename(file.with_name("moved"))
    file.symlink_to(file.with_name("moved"))


def second_name(file: Path) -> None:
    """Give the file a second name elsewhere."""
    os.link(file, file.parent / "second")


def pipe(file: Path) -> None:
    """Put a named pipe in the file's place, which nobody writes to."""
    file.unlink()
    os.mkfifo(file)


def local_socket(file: Path) -> None:
    """Put a socket in the file's place."""
    file.unlink()
    with socket.socket(socket.AF_UNIX) as bound:
        here = Path.cwd()
        os.chdir(file.parent)
        try:
            bound.bind(file.name)
        finally:
            os.chdir(here)


def directory(file: Path) -> None:
    """Put a directory in the file's place."""
    file.unlink()
    file.mkdir()


def too_large(file: Path) -> None:
    """Make the file a sparse one that is larger than any we write."""
    os.truncate(file, LARGEST + 1)


@pytest.mark.proves("case:FILE-04", "read:files:hostile-paths")
@pytest.mark.parametrize("replace", [link_to_copy, second_name, pipe, local_socket, directory, too_large])
def test_file_04_what_is_no_plain_file_is_refused(scene: Scene, file: Path, replace: Callable[[Path], None]) -> None:
    """Links, pipes, sockets, directories and giants are outside the root, whatever they hold."""
    assert load(scene).integrity is Integrity.VERIFIED

    replace(file)

    assert load(scene) == OUTSIDE


@pytest.mark.proves("case:FILE-04", "read:files:hostile-paths")
@pytest.mark.parametrize("levels", [1, 2])
def test_file_04_a_link_on_the_way_is_not_followed(scene: Scene, file: Path, levels: int) -> None:
    """A section or a store that became a link leads nowhere, even to the same files."""
    directory = file.parents[levels - 1]
    moved = directory.with_name("moved")
    directory.rename(moved)
    directory.symlink_to(moved)

    found = scene.backend.artifacts.load(
        scene.agent_id, file.parents[1].name, Section.NOTE, RevisionId("rev_1"), digest(TEXT)
    )

    assert found == OUTSIDE


@pytest.mark.proves("read:content:hash-verified", "read:content:no-fallback")
@pytest.mark.parametrize("content", [b"", TEXT[:-1], TEXT + b"!", TEXT[::-1], b"x" * len(TEXT)])
def test_changed_bytes_are_never_handed_out(scene: Scene, file: Path, content: bytes) -> None:
    """Shorter, longer or other bytes are a mismatch and no content."""
    file.write_bytes(content)

    assert load(scene) == Artifact(integrity=Integrity.MISMATCHED, content=None)


@pytest.mark.proves("case:FILE-04")
def test_file_04_a_file_that_grows_or_shrinks_while_read_is_refused(tmp_path: Path) -> None:
    """What is read must be as long as it was when looked at."""
    file = tmp_path / "growing"
    file.write_bytes(b"12345")
    found: list[bytes | None] = []
    for size in (4, 5, 6):
        descriptor = os.open(file, os.O_RDONLY)
        found.append(read_exactly(descriptor, size))
        os.close(descriptor)

    assert found == [None, b"12345", None]


@pytest.mark.proves("read:files:hostile-paths")
@pytest.mark.parametrize(
    "name",
    [
        "..", ".", "", "../notes/rev_1", "/etc/passwd", "a/b", "a\\b", "rev_1\x00", "rev_1.", "rev_1 ", "%2e%2e",
        "rev_1.md", "rév", "-rev", "_rev", "." + "x" * 10, "x" * 129, "\u202erev", "/".join("a" * 4_000),
    ],
)  # fmt: skip
def test_a_hostile_name_names_nothing(scene: Scene, name: str) -> None:
    """As a revision it is refused before any file is looked at; as a store it is not there."""
    assert load(scene, name) == OUTSIDE
    assert load(scene, path_key=name) == Artifact(integrity=Integrity.MISSING, content=None)
    scene.backend.artifacts.remove(scene.agent_id, name, Section.NOTE, RevisionId(name))
    with pytest.raises(InputError):
        scene.backend.artifacts.stage(scene.agent_id, scene.stores()[0].path_key, Section.NOTE, RevisionId(name), b"")


@pytest.mark.proves("read:files:hostile-paths")
def test_names_that_differ_in_case_are_different_files(scene: Scene) -> None:
    """A name in other letters names nothing."""
    assert load(scene, "REV_1").integrity is Integrity.MISSING


@pytest.mark.proves("write:crash:simple-order")
def test_staged_bytes_are_under_a_temporary_name_only(home: SqliteBackend, scene: Scene, file: Path) -> None:
    """Until they are final nothing can name them, and afterwards the temporary name is gone."""
    key = scene.stores()[0].path_key
    staged = home.artifacts.stage(scene.agent_id, key, Section.NOTE, RevisionId("rev_2"), b"new")
    names = {path.name for path in file.parent.iterdir()}
    home.artifacts.finalize(staged)
    after = {path.name for path in file.parent.iterdir()}

    assert names == {"rev_1.md", staged.staged_name}
    assert load(scene, staged.staged_name) == OUTSIDE
    assert after == {"rev_1.md", "rev_2.md"}


@pytest.mark.proves("write:crash:simple-order")
def test_content_that_no_reader_would_take_is_not_staged(home: SqliteBackend, scene: Scene) -> None:
    """The bound of a reader is that of a writer."""
    with pytest.raises(InputError, match="content"):
        home.artifacts.stage(
            scene.agent_id, scene.stores()[0].path_key, Section.NOTE, RevisionId("rev_2"), bytes(LARGEST + 1)
        )
