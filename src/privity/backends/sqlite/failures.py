"""What SQLite and the operating system report when a disk fails, in the words of the contract."""

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from privity.sdk.errors import StorageFailedError

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
FAILING_DISK: Final = "check the disk and the system log, then run `privity doctor`"
DAMAGED: Final = "stop, copy the home away, then run `privity doctor` or restore a backup"


@contextmanager
def storage_failures(place: Path) -> Generator[None]:
    """Turn a failing disk or database at `place` into `StorageFailedError`."""
    try:
        yield
    except apsw.Error as error:
        raise database_failure(error, place) from error
    except OSError as error:
        raise system_failure(error, place) from error


def database_failure(error: apsw.Error, place: Path) -> StorageFailedError:
    """Say what a database error means for the operator."""
    match error:
        case apsw.FullError():
            return disk_full(place)
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError() | apsw.CantOpenError():
            return not_writable(place)
        case apsw.CorruptError() | apsw.NotADBError():
            return StorageFailedError(f"a database in `{place}` is damaged", remedy=DAMAGED)
        case apsw.BusyError() | apsw.LockedError():
            return StorageFailedError(
                f"a database in `{place}` is locked by another program", remedy="stop that program and try again"
            )
        case _:
            return StorageFailedError(f"a database in `{place}` failed", remedy=FAILING_DISK)


def system_failure(error: OSError, place: Path) -> StorageFailedError:
    """Say what an error of the operating system means for the operator."""
    if error.errno in FULL:
        return disk_full(place)
    if error.errno in READ_ONLY:
        return not_writable(place)
    reason = os.strerror(error.errno).lower() if error.errno else "input/output error"
    return StorageFailedError(f"`{place}` failed: {reason}", remedy=FAILING_DISK)


def disk_full(place: Path) -> StorageFailedError:
    """Name the place that is full and how much is free there."""
    return StorageFailedError(
        f"the disk of `{place}` is full ({free_bytes(place)} bytes free)", remedy="free space there and try again"
    )


def not_writable(place: Path) -> StorageFailedError:
    """Name the place that cannot be written."""
    return StorageFailedError(
        f"`{place}` cannot be written", remedy="mount it writable and give it to the user that runs privity"
    )


def free_bytes(place: Path) -> int:
    """Return how many bytes are free at `place`, 0 where nobody can tell."""
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0
