"""A clock that stands still, entropy that can be foretold, and a VFS that records and fails."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

import apsw

from privity.backends.sqlite.backend import SqliteBackend, open_vault
from privity.backends.sqlite.flusher import Durability

NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)


class FrozenClock:
    """Always noon."""

    def now(self) -> datetime:
        """Return the one time there is."""
        return NOON


@dataclass(slots=True)
class CountedEntropy:
    """Tokens that are numbered, and never repeat within one source."""

    start: int = 0
    numbers: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = count(self.start)

    def token(self, prefix: str) -> str:
        """Return the next token."""
        return f"{prefix}_{next(self.numbers):026d}"

    def key(self) -> bytes:
        """Return the next key."""
        return next(self.numbers).to_bytes(31, "big") + b"k"


@dataclass(slots=True)
class RepeatingEntropy:
    """Every token twice, so that each name is taken the second time."""

    inner: CountedEntropy = field(default_factory=CountedEntropy)
    last: str | None = None

    def token(self, prefix: str) -> str:
        """Return a new token or, every other time, the last one again."""
        if self.last is not None and self.last.startswith(f"{prefix}_"):
            again, self.last = self.last, None
            return again
        self.last = self.inner.token(prefix)
        return self.last

    def key(self) -> bytes:
        """Return the next key."""
        return self.inner.key()


def open_home(
    path: Path,
    *,
    durability: Durability = Durability.GROUPED,
    vfs: str | None = None,
    most_open: int = 64,
    start: int = 0,
) -> SqliteBackend:
    """Open the vault of a home in a directory of a test."""
    return open_vault(
        path / "vault",
        clock=FrozenClock(),
        entropy=CountedEntropy(start),
        durability=durability,
        vfs=vfs,
        most_open=most_open,
    )


@dataclass(slots=True, kw_only=True)
class Disk:
    """What a VFS was asked for, and when it fails: at the n-th write or sync from now, and after."""

    opened: list[str] = field(default_factory=list[str])
    error: Callable[[], Exception] = apsw.FullError
    remaining: int | None = None
    synced: int = 0

    def use(self) -> None:
        """Fail where it is due."""
        if self.remaining is None:
            return
        if self.remaining <= 0:
            raise self.error()
        self.remaining -= 1


class DiskFile(apsw.VFSFile):
    """A file on a disk that can fail."""

    def __init__(self, disk: Disk, filename: str | apsw.URIFilename, flags: list[int]) -> None:
        self.disk = disk
        super().__init__("", filename, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # pyright: ignore[reportImplicitOverride]
        """Write, unless the disk fails."""
        self.disk.use()
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]

    def xSync(self, flags: int) -> None:  # pyright: ignore[reportImplicitOverride]
        """Sync, unless the disk fails."""
        self.disk.use()
        self.disk.synced += 1
        super().xSync(flags)


class DiskVfs(apsw.VFS):
    """A VFS over the system's own that tells a `Disk` of everything."""

    def __init__(self, name: str, disk: Disk) -> None:
        self.disk = disk
        super().__init__(name, "")

    def xOpen(  # pyright: ignore[reportImplicitOverride]
        self, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> apsw.VFSFile:
        """Note the name and open the file."""
        filename = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.disk.opened.append(filename or "")
        return DiskFile(self.disk, name or "", flags)


@contextmanager
def disk_vfs(name: str) -> Generator[Disk]:
    """Register a VFS of this name for the time of a test."""
    disk = Disk()
    vfs = DiskVfs(name, disk)
    try:
        yield disk
    finally:
        vfs.unregister()
