"""Time and randomness of this machine: the only place that reads the clock.

INVARIANT: the clock never goes back, also over a restart (case:POL-11). Every time handed out
is later than the one before and lies at or below a mark on disk, where the next process starts.
"""

import base64
import os
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Final

from privity.backends.sqlite.ownership import Ownership
from privity.sdk.errors import StorageFailedError

LEASE: Final = timedelta(seconds=5)
"""How far ahead of the machine's clock the mark is written: by so much may a restarted clock lead."""

CREEP: Final = timedelta(milliseconds=10)
"""How far ahead the mark is written while the machine's clock lags behind."""

TICK: Final = timedelta(microseconds=1)

TOKEN_BYTES: Final = 16
KEY_BYTES: Final = 32


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time now."""
        return datetime.now(tz=UTC)


class FlooredClock:
    """A clock that creeps rather than go back. Satisfies `Clock`."""

    def __init__(self, path: Path, source: SystemClock) -> None:
        self._path = path
        self._source = source
        self._lock = Lock()
        self._ownership = Ownership()
        self._mark: datetime = read_mark(path)
        self._last: datetime = self._mark

    def now(self) -> datetime:
        """Return the time now, later than any returned before.

        Raises:
            HomeInUseError, HomeClosedError: the home is not, or no longer, this process's.
        """
        self._ownership.require()
        with self._lock:
            machine = self._source.now()
            self._last = max(self._last + TICK, machine)
            if self._last > self._mark:
                self._mark = write_mark(self._path, max(self._last + CREEP, machine + LEASE))
            return self._last

    def close(self) -> None:
        """Lower the mark to the last time handed out, so that an orderly restart leads by nothing."""
        if self._ownership.end():
            with self._lock:
                self._mark = write_mark(self._path, self._last)


def read_mark(path: Path) -> datetime:
    """Return the mark on disk; a new home has the beginning of time."""
    try:
        return datetime.fromisoformat(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return datetime.min.replace(tzinfo=UTC)
    except (OSError, ValueError) as error:
        raise StorageFailedError(f"`{path}` cannot be read", remedy="restore it from a backup") from error


def write_mark(path: Path, mark: datetime) -> datetime:
    """Write the mark, whole and durably, and return it."""
    fresh = path.with_suffix(".new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(mark.isoformat())
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise StorageFailedError(f"`{path}` cannot be written", remedy="free or mount the disk") from error
    return mark


class SystemEntropy:
    """The system's CSPRNG. Satisfies `Entropy`."""

    def token(self, prefix: str) -> str:
        """Return `prefix`, an underscore and 128 random bits in lower-case base 32."""
        encoded = base64.b32encode(secrets.token_bytes(TOKEN_BYTES)).decode("ascii")
        return f"{prefix}_{encoded.rstrip('=').lower()}"

    def key(self) -> bytes:
        """Return 32 random bytes."""
        return secrets.token_bytes(KEY_BYTES)
