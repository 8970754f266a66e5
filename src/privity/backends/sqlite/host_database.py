"""The one database of a host: one connection, one thread at a time, a sync with each commit."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from privity.backends.sqlite import host_queries
from privity.backends.sqlite.database import Database, Kind, Sync, make_database
from privity.backends.sqlite.failures import storage_failures

HOST: Final = Kind(schema=host_queries.SCHEMA, version=host_queries.VERSION, sync=Sync.EACH)


@dataclass(kw_only=True)
class HostDatabase:
    """A host's database, where it is, and how often a write to it was tried."""

    path: Path
    database: Database
    changes: int = 0

    @contextmanager
    def reading(self) -> Generator[Database]:
        """Use the connection, one thread at a time."""
        self.database.ownership.require()
        with storage_failures(self.path), self.database.lock:
            yield self.database

    @contextmanager
    def writing(self) -> Generator[Database]:
        """Use the connection inside one durable transaction."""
        with self.reading() as database:
            try:
                with database.transaction():
                    yield database
            finally:
                self.changes += 1

    def close(self) -> None:
        """Close the database."""
        with storage_failures(self.path):
            self.database.close()


def open_host_database(path: Path, *, vfs: str | None) -> HostDatabase:
    """Open a host's database, made if it is new.

    Raises:
        HomeVersionError: a newer privity wrote it.
        StorageFailedError: the disk fails.
    """
    with storage_failures(path):
        return HostDatabase(path=path, database=make_database(path, HOST, vfs=vfs))
