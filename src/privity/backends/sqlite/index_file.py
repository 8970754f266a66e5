"""The index files of stores: found only through their store, opened when first asked for."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from privity.backends.sqlite import queries, schema
from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.database import Database, Kind, Sync, make_database, open_scratch
from privity.backends.sqlite.failures import storage_failures
from privity.backends.sqlite.layout import is_safe_name
from privity.backends.sqlite.pool import Pool
from privity.engine.records import StoreRecord
from privity.model.ids import AgentId
from privity.sdk.errors import StorageFailedError

# The index is derived: a commit that a power cut takes back takes its watermark back too.
INDEX: Final = Kind(schema=schema.INDEX, version=schema.INDEX_VERSION, sync=Sync.GROUPED)
COMPANIONS: Final = ("", "-wal", "-shm", "-journal")


class IndexFiles:
    """The open indexes of a vault, a bounded number at a time."""

    def __init__(self, cells: Cells, *, most_open: int, vfs: str | None) -> None:
        self.cells = cells
        self.vfs = vfs
        self.pool: Pool = Pool(most_open)
        self.blank: Database = open_scratch(INDEX)
        self.paths: dict[tuple[AgentId, str], Path] = {}

    @contextmanager
    def reading(self, agent_id: AgentId, store: StoreRecord) -> Generator[Database]:
        """Lend the index of a store, or a blank one where it has none."""
        with storage_failures(self.cells.layout.vault):
            path = self.find(agent_id, store.path_key)
            if path is None or not self.is_there(path):
                with self.blank.lock:
                    yield self.blank
                return
            with self.pool.lease((str(path),), lambda: self.open(path)) as database:
                yield database

    @contextmanager
    def writing(self, agent_id: AgentId, store: StoreRecord) -> Generator[Database]:
        """Lend the index of a store, made if there is none."""
        with storage_failures(self.cells.layout.vault):
            path = self.find(agent_id, store.path_key)
            if path is None or not path.parent.is_dir():
                raise StorageFailedError("the directory of a store is missing", remedy="restore it from a backup")
            with self.pool.lease((str(path),), lambda: self.open(path)) as database:
                yield database

    def remove(self, agent_id: AgentId, store: StoreRecord) -> None:
        """Remove the index of a store, if it has one."""
        with storage_failures(self.cells.layout.vault):
            path = self.find(agent_id, store.path_key)
            if path is not None:
                with self.pool.exclusive((str(path),)):
                    remove_database(path)

    def find(self, agent_id: AgentId, path_key: str) -> Path | None:
        """Return where the index of a store is or will be."""
        known = self.paths.get((agent_id, path_key))
        if known is not None:
            return known
        directory = self.cells.find(agent_id)
        if directory is None or not is_safe_name(path_key):
            return None
        return self.paths.setdefault((agent_id, path_key), self.cells.layout.index(directory, path_key))

    def is_there(self, path: Path) -> bool:
        """The index is open, or can be opened."""
        return (str(path),) in self.pool.leases or path.exists()

    def open(self, path: Path) -> Database:
        """Open an index; one that is damaged, or another store's, starts anew: nothing is lost with it."""
        try:
            database = make_database(path, INDEX, vfs=self.vfs)
            if claim(database, path.parent.name):
                return database
            database.close()
        except (apsw.NotADBError, apsw.CorruptError):
            pass
        remove_database(path)
        database = make_database(path, INDEX, vfs=self.vfs)
        claim(database, path.parent.name)
        return database

    def close(self) -> None:
        """Close all indexes."""
        self.pool.close()
        self.blank.close()


def claim(database: Database, path_key: str) -> bool:
    """Name a new index for its store; say whether the index is that store's."""
    database.run(queries.CLAIM_INDEX, {"path_key": path_key})
    return database.row(queries.FIND_OWNER) == (path_key,)


def remove_database(path: Path) -> None:
    """Remove a closed database and what SQLite left beside it."""
    for suffix in COMPANIONS:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
