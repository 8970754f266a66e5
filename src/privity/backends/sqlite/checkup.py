"""What is wrong with a vault that nobody has open: for `privity doctor`, which reads and repairs nothing."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import apsw

from privity.backends.sqlite import queries
from privity.backends.sqlite.cells import AGENT, CELLS
from privity.backends.sqlite.database import Kind, Row, open_database
from privity.backends.sqlite.failures import DAMAGED, storage_failures
from privity.backends.sqlite.files import load_verified, open_directory
from privity.backends.sqlite.index_file import INDEX
from privity.backends.sqlite.layout import SECTIONS, Layout, artifact_name
from privity.backends.sqlite.lock import VaultLock
from privity.backends.sqlite.modes import remedy_for, walk
from privity.model.ids import ContentHash
from privity.model.resources import Integrity, RevisionState, Section

DEEP: Final = 64
WHOLE: Final = [("ok",)]
REINDEX: Final = "search finds them meanwhile; the next write to that store brings its index up to date"
ANEW: Final = "the next search or write in that store makes it anew; find out who moved it"
CLEARED: Final = "nobody can read it here; the next start of an agent's process, or the next forgetting, removes it"
UNUSED: Final = "nothing refers to it; it can be removed"


class Problem(StrEnum):
    """What a finding is about."""

    OPEN_TO_OTHERS = "open-to-others"
    DAMAGED_DATABASE = "damaged-database"
    MISSING_DATABASE = "missing-database"
    UNREGISTERED_CELL = "unregistered-cell"
    UNREGISTERED_STORE = "unregistered-store"
    UNKNOWN_FILE = "unknown-file"
    FORGOTTEN_FILE = "forgotten-file"
    MISSING_FILE = "missing-file"
    CHANGED_FILE = "changed-file"
    UNINDEXED = "unindexed"
    FOREIGN_INDEX = "foreign-index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong, where, and what to do. `count` is how many rows it concerns."""

    problem: Problem
    place: Path
    remedy: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """A store of a catalog, where it is on disk, and its last change number."""

    agent_id: str
    store_id: str
    directory: Path
    change: int


def inspect_vault(path: Path) -> tuple[Finding, ...]:
    """Return what is wrong with the vault at `path`; nothing of it is changed.

    Raises:
        HomeInUseError: a process owns the vault; ask that process.
    """
    layout = Layout(vault=path.resolve())
    with storage_failures(layout.vault), ExitStack() as opened:
        if not layout.cells.exists():
            return ()
        opened.callback(VaultLock(layout.lock).close)
        return (*inspect_modes(layout), *inspect_databases(layout), *inspect_cells(layout))


def inspect_modes(layout: Layout) -> Iterator[Finding]:
    """Find what others may look into."""
    for path in walk(layout.vault, depth=DEEP):
        remedy = remedy_for(path, owner=os.geteuid())
        if remedy is not None:
            yield Finding(problem=Problem.OPEN_TO_OTHERS, place=path, remedy=remedy, count=1)


def inspect_databases(layout: Layout) -> Iterator[Finding]:
    """Find databases that are not whole."""
    kinds = {"cells.db": CELLS, "agent.db": AGENT, "index.db": INDEX}
    for path in walk(layout.vault, depth=DEEP):
        kind = kinds.get(path.name)
        if kind is not None and read(path, kind, queries.INTEGRITY) != WHOLE:
            yield Finding(problem=Problem.DAMAGED_DATABASE, place=path, remedy=DAMAGED, count=1)


def inspect_cells(layout: Layout) -> Iterator[Finding]:
    """Find what is wrong with the registry and with each cell."""
    cells = read(layout.cells, CELLS, queries.LIST_CELLS)
    for agent_id, directory in cells:
        yield from inspect_cell(layout, agent_id, directory)
    yield from inspect_names(layout.agents, {directory for _, directory in cells}, Problem.UNREGISTERED_CELL)


def inspect_cell(layout: Layout, agent_id: str, directory: str) -> Iterator[Finding]:
    """Find what is wrong with one cell and its stores."""
    catalog, scopes = layout.agent_database(directory), layout.scopes(directory)
    if not catalog.exists():
        yield Finding(problem=Problem.MISSING_DATABASE, place=catalog, remedy=DAMAGED, count=1)
        return
    stores = read(catalog, AGENT, queries.LIST_STORES, agent_id=agent_id)
    for store_id, _, path_key, change in stores:
        place = StorePlace(agent_id=agent_id, store_id=store_id, directory=scopes / path_key, change=change)
        yield from inspect_index(place)
        yield from inspect_files(catalog, place)
    yield from inspect_names(scopes, {path_key for _, _, path_key, _ in stores}, Problem.UNREGISTERED_STORE)


def inspect_names(directory: Path, known: set[str], problem: Problem) -> Iterator[Finding]:
    """Find what is in a directory and not known."""
    present = {path.name for path in directory.iterdir()} if directory.is_dir() else set[str]()
    for name in sorted(present - known):
        yield Finding(problem=problem, place=directory / name, remedy=UNUSED, count=1)


def inspect_index(place: StorePlace) -> Iterator[Finding]:
    """Find whether an index is its store's, and how far it lags behind its catalog."""
    index = place.directory / "index.db"
    owner = read(index, INDEX, queries.FIND_OWNER)
    if owner and owner[0][0] not in {"", place.directory.name}:
        yield Finding(problem=Problem.FOREIGN_INDEX, place=index, remedy=ANEW, count=1)
    found = read(index, INDEX, queries.LOAD_WATERMARK)
    watermark = found[0][0] if found else 0
    if watermark < place.change:
        yield Finding(problem=Problem.UNINDEXED, place=index, remedy=REINDEX, count=place.change - watermark)


def inspect_files(catalog: Path, place: StorePlace) -> Iterator[Finding]:
    """Find files that no revision in force names, and revisions in force whose file is missing or changed."""
    rows = read(catalog, AGENT, queries.LIST_FILES, agent_id=place.agent_id, store_id=place.store_id)
    for section in Section:
        named = {artifact_name(row[1]): row for row in rows if row[0] == section}
        directory = place.directory / SECTIONS[section]
        yield from inspect_names(directory, set(named), Problem.UNKNOWN_FILE)
        for name, (_, _, state, content_hash) in sorted(named.items()):
            if state == RevisionState.ACTIVE:
                yield from inspect_file(directory / name, content_hash)
            elif (directory / name).exists():
                yield Finding(problem=Problem.FORGOTTEN_FILE, place=directory / name, remedy=CLEARED, count=1)


def inspect_file(path: Path, content_hash: ContentHash) -> Iterator[Finding]:
    """Find whether the file of a revision in force is there, plain and unchanged."""
    try:
        with open_directory(path.parent) as directory:
            integrity = load_verified(path.name, content_hash, directory=directory).integrity
    except FileNotFoundError:
        yield Finding(problem=Problem.MISSING_FILE, place=path, remedy=DAMAGED, count=1)
    except OSError:
        yield Finding(problem=Problem.CHANGED_FILE, place=path, remedy=DAMAGED, count=1)
    else:
        if integrity is not Integrity.VERIFIED:
            yield Finding(problem=Problem.CHANGED_FILE, place=path, remedy=DAMAGED, count=1)


def read(path: Path, kind: Kind, sql: str, **bindings: str) -> list[Row]:
    """Return the rows of a statement, none where the database is missing or damaged."""
    try:
        with closing(open_database(path, kind, vfs=None)) as database:
            return database.rows(sql, bindings)
    except (apsw.CorruptError, apsw.NotADBError, apsw.CantOpenError, apsw.SQLError):
        return []
