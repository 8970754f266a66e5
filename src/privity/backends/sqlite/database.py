"""One SQLite database: how it is opened, and how a transaction runs."""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import RLock
from typing import Any, Final, Protocol

import apsw

from privity.backends.sqlite import queries
from privity.backends.sqlite.files import make_file
from privity.backends.sqlite.ownership import Ownership
from privity.sdk.errors import HomeVersionError, UnavailableError

Bindings = Mapping[str, str | int | None]
Row = tuple[Any, ...]

BUSY_MS: Final = 5_000
SAFE_SQLITE: Final = (3, 51, 3)
PRAGMAS: Final = """
PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
"""


class Sync(StrEnum):
    """When a commit reaches the disk: before it returns, or with the next commit that does."""

    EACH = "FULL"
    GROUPED = "NORMAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of database: its tables, the version of them, and how its commits are synced."""

    schema: str
    version: int
    sync: Sync


class Cursor(Protocol):
    """What a statement returns; without being asked it only runs to its first row."""

    def fetchall(self) -> list[Row]:
        """Run the statement to its end and return its rows."""
        ...


class Connection(Protocol):
    """What this backend asks of `apsw.Connection`."""

    @property
    def in_transaction(self) -> bool:
        """A transaction is open."""
        ...

    def execute(self, statements: str, bindings: Bindings | None = None) -> Cursor:
        """Start to run statements."""
        ...

    def set_busy_timeout(self, milliseconds: int) -> None:
        """Wait this long for a lock of another connection."""
        ...

    def close(self) -> None:
        """Close it; its log is folded into the database."""
        ...


class Database:
    """A connection and the lock under which one thread at a time uses it.

    With `after_group`, grouped commits are not synced and it is called after each.
    """

    def __init__(self, connection: Connection, after_group: Callable[[], None] | None) -> None:
        self.connection = connection
        self.after_group = after_group
        self.lock: RLock = RLock()
        self.ownership: Ownership = Ownership()

    def rows(self, sql: str, bindings: Bindings | None = None) -> list[Row]:
        """Return all rows of a statement."""
        return self.execute(sql, bindings).fetchall()

    def row(self, sql: str, bindings: Bindings | None = None) -> Row | None:
        """Return the first row of a statement that has at most one that matters."""
        found = self.execute(sql, bindings).fetchall()
        return found[0] if found else None

    def run(self, sql: str, bindings: Bindings | None = None) -> None:
        """Run a statement that returns nothing."""
        self.execute(sql, bindings)

    def execute(self, sql: str, bindings: Bindings | None) -> Cursor:
        """Start to run a statement, in the process that opened the database and until it is closed."""
        self.ownership.require()
        return self.connection.execute(sql, bindings)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Commit what is done inside, whole, or nothing of it."""
        self.run(queries.BEGIN)
        try:
            yield
            self.run(queries.COMMIT)
        finally:
            if self.connection.in_transaction:
                self.run(queries.ROLLBACK)

    @contextmanager
    def grouped_transaction(self) -> Generator[None]:
        """Commit as `transaction` does, and leave the sync to whom `after_group` tells."""
        if self.after_group is None:
            with self.transaction():
                yield
            return
        self.run(queries.GROUP_COMMITS)
        try:
            with self.transaction():
                yield
        finally:
            self.run(queries.SYNC_COMMITS)
        self.after_group()

    def close(self) -> None:
        """Close the connection, once; its log is folded into the database."""
        if self.ownership.end():
            self.connection.close()


def make_database(
    path: Path, kind: Kind, *, vfs: str | None, after_group: Callable[[], None] | None = None
) -> Database:
    """Open the database at `path`, made with its tables if it is new."""
    make_file(path)
    return open_database(path, kind, vfs=vfs, after_group=after_group)


def open_database(
    path: Path, kind: Kind, *, vfs: str | None, after_group: Callable[[], None] | None = None
) -> Database:
    """Open the database at `path`, which is there; an empty file gets its tables."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW | apsw.SQLITE_OPEN_PRIVATECACHE
    connection = apsw.Connection(str(path), flags=flags, vfs=vfs)
    with ExitStack() as unless_ready:
        unless_ready.callback(connection.close)
        prepare(connection, kind)
        unless_ready.pop_all()
    return Database(connection, after_group)


def prepare(connection: Connection, kind: Kind) -> None:
    """Set a connection up, and make the tables of a new database."""
    connection.set_busy_timeout(BUSY_MS)
    found = version_of(connection)
    if found not in {0, kind.version}:
        other = "a newer" if found > kind.version else "the older"
        raise HomeVersionError(
            f"the home has databases of version {found}, this privity knows version {kind.version}",
            remedy=f"install {other} privity, which wrote it",
        )
    connection.execute(f"{PRAGMAS}PRAGMA synchronous = {kind.sync};").fetchall()
    if found == 0:
        connection.execute(f"BEGIN IMMEDIATE; {kind.schema} PRAGMA user_version = {kind.version}; COMMIT;").fetchall()


def version_of(connection: Connection) -> int:
    """Return the version of the tables, 0 for a database without any."""
    return int(connection.execute(queries.READ_VERSION).fetchall()[0][0])


def require_safe_sqlite(version: str) -> None:
    """Refuse an SQLite that can corrupt a write-ahead log that several connections use.

    Raises:
        UnavailableError: the library is older than 3.51.3.
    """
    if tuple(int(part) for part in version.split(".")[:3]) < SAFE_SQLITE:
        raise UnavailableError(
            f"SQLite {version} can corrupt a write-ahead log",
            remedy="install `apsw-sqlite3mc` 3.51.3 or newer",
        )


def open_scratch(kind: Kind) -> Database:
    """Return an empty database of this kind in memory."""
    connection = apsw.Connection(":memory:")
    prepare(connection, kind)
    return Database(connection, None)
