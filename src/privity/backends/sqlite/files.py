"""Files and directories as the vault makes them: private, exclusive, synced, never through a link."""

import hashlib
import os
import stat
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from privity.engine.records import Artifact
from privity.model.resources import Integrity

DIRECTORY_MODE: Final = 0o700
FILE_MODE: Final = 0o600
LARGEST: Final = 64 * 1024 * 1024
"""No artifact is larger; a file that is was not written by us."""

ATTEMPTS: Final = 16
READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
WRITE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
DIRECTORY_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_directory(path: Path) -> None:
    """Make a private directory if there is none, and sync the one it is in."""
    try:
        path.mkdir(mode=DIRECTORY_MODE)
    except FileExistsError:
        return
    sync_directory(path.parent)


def make_unique_directory(parent: Path, name: Callable[[], str]) -> str:
    """Make a private directory under the first free name and return the name."""
    for _ in range(ATTEMPTS):
        candidate = name()
        try:
            (parent / candidate).mkdir(mode=DIRECTORY_MODE)
        except FileExistsError:
            continue
        sync_directory(parent)
        return candidate
    raise FileExistsError(f"no free name after {ATTEMPTS} attempts")


def make_file(path: Path) -> None:
    """Make an empty private file if there is none; SQLite gives its logs the same mode."""
    try:
        os.close(os.open(path, WRITE_FLAGS, FILE_MODE))
    except FileExistsError:
        return
    sync_directory(path.parent)


def write_new(name: str, content: bytes, *, directory: int) -> None:
    """Write and sync a new private file in an open directory; one that cannot be written whole is removed."""
    descriptor = os.open(name, WRITE_FLAGS, FILE_MODE, dir_fd=directory)
    with ExitStack() as unless_written:
        unless_written.callback(os.unlink, name, dir_fd=directory)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        unless_written.pop_all()


def rename_new(source: str, target: str, *, directory: int) -> None:
    """Give a file of an open directory another name that nothing has, and sync the directory.

    Raises:
        FileExistsError: the name is taken.
    """
    os.link(source, target, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    os.unlink(source, dir_fd=directory)
    os.fsync(directory)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    with open_directory(path) as directory:
        os.fsync(directory)


@contextmanager
def open_directory(path: Path) -> Generator[int]:
    """Open the directory at `path`, which must not be a link."""
    descriptor = os.open(path, DIRECTORY_FLAGS)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def open_below(root: int, *names: str) -> Generator[int]:
    """Open a directory below an open one, following no link on the way."""
    descriptor = os.dup(root)
    try:
        for name in names:
            below = os.open(name, DIRECTORY_FLAGS, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def load_verified(name: str, content_hash: str, *, directory: int) -> Artifact:
    """Return the bytes of a plain file in an open directory if they have exactly this hash."""
    descriptor = os.open(name, READ_FLAGS, dir_fd=directory)
    try:
        status = os.fstat(descriptor)
        if not is_plain(status):
            return Artifact(integrity=Integrity.OUTSIDE_ROOT, content=None)
        content = read_exactly(descriptor, status.st_size)
    finally:
        os.close(descriptor)
    if content is None or hashlib.sha256(content).hexdigest() != content_hash:
        return Artifact(integrity=Integrity.MISMATCHED, content=None)
    return Artifact(integrity=Integrity.VERIFIED, content=content)


def is_plain(status: os.stat_result) -> bool:
    """The file is a regular one, has no second name, and is of a size we write."""
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size <= LARGEST


def read_exactly(descriptor: int, size: int) -> bytes | None:
    """Return all `size` bytes of a file, or `None` where it is longer or shorter by now."""
    content = b""
    while chunk := os.read(descriptor, size + 1 - len(content)):
        content += chunk
        if len(content) > size:
            return None
    return content if len(content) == size else None
