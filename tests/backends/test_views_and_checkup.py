"""What people look at and what the doctor finds: both derived, neither ever read back."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.checkup import Problem, inspect_vault
from privity.backends.sqlite.views import Views, render_views
from privity.conformance import storage_samples as samples
from privity.conformance.storage_artifacts import digest
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.records import IndexRow, RevisionRecord, StoreRecord
from privity.model.resources import Lifetime, Section
from privity.model.stores import StoreKind
from tests.backends.doubles import open_home


def remember(scene: Scene, place: StoreRecord, name: str, text: str, **fields: object) -> RevisionRecord:
    """Write one revision whole: its file, its row in the catalog and its row in the index."""
    content = text.encode()
    row = replace(
        samples.revision(place, name),
        content_hash=digest(content),
        lifetime=Lifetime(recorded_at=samples.NOON, expires_at=None),
        **fields,
    )
    artifacts, index = scene.backend.artifacts, scene.backend.index
    staged = artifacts.stage(scene.agent_id, place.path_key, row.section, row.revision_id, content)
    artifacts.finalize(staged)
    active = scene.activate(row)
    put = IndexRow(revision_id=row.revision_id, class_id=row.class_id, text=text, expires_at=None)
    index.apply(scene.agent_id, place, [put], [], active.change)
    return active


def render(home: SqliteBackend, place: StoreRecord, hours: int = 0) -> tuple[str, ...]:
    """Render the views of a store some hours after noon."""
    views = Views(revisions=home.revisions, artifacts=home.artifacts)
    return render_views(views, place, at=samples.NOON + hours * samples.HOUR)


@pytest.mark.proves("store:markdown:source-of-truth")
@pytest.mark.parametrize(
    ("kind", "card"), [(StoreKind.USER, "PROFILE.md"), (StoreKind.CONVERSATION, "CONVERSATION.md")]
)
def test_views_show_what_is_in_force(home: SqliteBackend, tmp_path: Path, kind: StoreKind, card: str) -> None:
    """Notes and card apart, oldest first, under the name of the kind of store, private like the rest."""
    scene = open_scene(home)
    place = scene.add_store("ada", kind=kind)
    later = Lifetime(recorded_at=samples.NOON + samples.HOUR, expires_at=None)
    for name, text, section in (("1", "likes tea", Section.NOTE), ("2", "Ада\n", Section.CARD)):
        remember(scene, place, name, text, section=section)
    first = remember(scene, place, "3", "moved to Köln")
    assert first.lifetime != later

    assert render(home, place) == ("MEMORY.md", card)
    notes, entries = (next(tmp_path.rglob(name)) for name in ("MEMORY.md", card))
    assert notes.read_text().split("\n\n")[1:] == ["likes tea", "moved to Köln", ""]
    assert entries.read_text().split("\n\n")[1:] == ["Ада", ""]
    assert {path.stat().st_mode & 0o777 for path in (notes, entries)} == {0o600}


@pytest.mark.proves("lifecycle:delete:symmetric", "store:markdown:source-of-truth")
def test_what_is_out_of_force_leaves_the_view(home: SqliteBackend, tmp_path: Path) -> None:
    """Forgotten, derived from what was forgotten, expired and changed on disk: none of it is rendered."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    forgotten = remember(scene, place, "1", "forgotten secret")
    remember(scene, place, "2", "derived secret", parents=(forgotten.revision_id,))
    remember(scene, place, "3", "changed secret")
    expiring = Lifetime(recorded_at=samples.NOON, expires_at=samples.NOON + samples.HOUR)
    row = samples.revision(place, "4")
    remember(scene, place, "5", "kept")
    staged = home.artifacts.stage(scene.agent_id, place.path_key, row.section, row.revision_id, b"expired secret")
    home.artifacts.finalize(staged)
    scene.activate(replace(row, content_hash=digest(b"expired secret"), lifetime=expiring))
    render(home, place)
    view = next(tmp_path.rglob("MEMORY.md"))
    assert view.read_text().count("secret") == 4
    scene.tombstone(forgotten)
    next(tmp_path.rglob("rev_3.md")).write_text("something else")

    render(home, place, hours=1)

    assert "secret" not in view.read_text()
    assert "kept" in view.read_text()


@pytest.mark.proves("lifecycle:delete:symmetric")
def test_a_view_with_nothing_to_show_is_removed(home: SqliteBackend, tmp_path: Path) -> None:
    """The last note forgotten takes the file with it, and no temporary file stays."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    only = remember(scene, place, "1", "secret")
    render(home, place)
    scene.tombstone(only)

    assert render(home, place) == ()
    assert not list(tmp_path.rglob("MEMORY.md"))
    assert not list(tmp_path.rglob(".view*"))


@pytest.mark.proves("store:markdown:source-of-truth")
def test_views_are_never_read_back(home: SqliteBackend, tmp_path: Path) -> None:
    """What somebody writes into one reaches nothing and is gone at the next rendering."""
    scene = open_scene(home)
    place = scene.add_store("ada")
    remember(scene, place, "1", "likes tea")
    render(home, place)
    view = next(tmp_path.rglob("MEMORY.md"))
    before = scene.observed()
    view.write_text("planted")
    render(home, place)

    assert "planted" not in view.read_text()
    assert scene.observed() == before


def put_back(path: Path, content: bytes) -> None:
    """Write a file anew with the mode of a vault."""
    path.write_bytes(content)
    path.chmod(0o600)


def stray_file(vault: Path) -> None:
    """Leave a file that nothing names."""
    put_back(next(vault.rglob("notes")) / ".staged_1", b"x")


def stray_store(vault: Path) -> None:
    """Leave a store directory that no catalog names."""
    (next(vault.rglob("v1")) / "scp_stray").mkdir(mode=0o700)


def stray_cell(vault: Path) -> None:
    """Leave an agent directory that the registry does not name."""
    (vault / "agents" / "cel_stray").mkdir(mode=0o700)


def lost_file(vault: Path) -> None:
    """Lose the file of a revision."""
    next(vault.rglob("rev_1.md")).unlink()


def changed_file(vault: Path) -> None:
    """Change the file of a revision."""
    put_back(next(vault.rglob("rev_1.md")), b"changed")


def linked_file(vault: Path) -> None:
    """Give the file of a revision a second name outside."""
    os.link(next(vault.rglob("rev_1.md")), vault.parent / "outside")


def lost_index(vault: Path) -> None:
    """Lose an index."""
    next(vault.rglob("index.db")).unlink()


def damaged_index(vault: Path) -> None:
    """Overwrite the middle of an index."""
    file = next(vault.rglob("index.db"))
    content = bytearray(file.read_bytes())
    content[4_096:12_288] = b"\xff" * 8_192
    put_back(file, bytes(content))


def lost_catalog(vault: Path) -> None:
    """Lose a catalog."""
    next(vault.rglob("agent.db")).unlink()


def open_note(vault: Path) -> None:
    """Let others read a note."""
    next(vault.rglob("rev_1.md")).chmod(0o644)


@pytest.mark.proves("store:index:derived", "case:FILE-05")
@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (stray_file, Problem.UNKNOWN_FILE),
        (stray_store, Problem.UNREGISTERED_STORE),
        (stray_cell, Problem.UNREGISTERED_CELL),
        (lost_file, Problem.MISSING_FILE),
        (changed_file, Problem.CHANGED_FILE),
        (linked_file, Problem.CHANGED_FILE),
        (lost_index, Problem.UNINDEXED),
        (damaged_index, Problem.DAMAGED_DATABASE),
        (lost_catalog, Problem.MISSING_DATABASE),
        (open_note, Problem.OPEN_TO_OTHERS),
    ],
)
def test_the_checkup_finds_what_is_wrong(tmp_path: Path, damage: Callable[[Path], None], problem: Problem) -> None:
    """A sound vault has no findings; a damaged one has the one that names the damage, and stays as it is."""
    vault = tmp_path / "vault"
    assert inspect_vault(vault) == ()
    backend = open_home(tmp_path)
    scene = open_scene(backend)
    remember(scene, scene.add_store("ada"), "1", "likes tea")
    backend.close()
    assert inspect_vault(vault) == ()

    damage(vault)
    present = sorted(vault.rglob("*"))
    found = inspect_vault(vault)

    assert problem in {finding.problem for finding in found}
    assert all(finding.remedy and finding.count >= 1 for finding in found)
    assert sorted(vault.rglob("*")) == present
