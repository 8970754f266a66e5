"""Who may look into a vault: its owner, and nobody else."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from privity.backends.sqlite.files import DIRECTORY_MODE, FILE_MODE
from privity.sdk.errors import UnavailableError

SECTION_DEPTH = 5
"""`agents/<opaque>/scopes/v1/<opaque>`: what is deeper is shut off by what is above."""


def require_private(vault: Path) -> None:
    """Refuse a vault that others may look into.

    Raises:
        UnavailableError: something in it has another mode or owner; the remedy names the command.
    """
    for path in walk(vault, depth=SECTION_DEPTH):
        remedy = remedy_for(path, owner=os.geteuid())
        if remedy is not None:
            raise UnavailableError(f"`{path}` is open to others", remedy=remedy)


def remedy_for(path: Path, *, owner: int) -> str | None:
    """Return the command that makes `path` private to `owner`, or `None` where it is."""
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        return f"remove the link `{path}`"
    if status.st_uid != owner:
        return f"run `chown {owner} {path}`"
    wanted = DIRECTORY_MODE if stat.S_ISDIR(status.st_mode) else FILE_MODE
    return None if stat.S_IMODE(status.st_mode) == wanted else f"run `chmod {wanted:04o} {path}`"


def walk(root: Path, *, depth: int) -> Iterator[Path]:
    """Yield `root` and what is in it, so many levels down, following no link."""
    yield root
    if depth < 0 or not root.is_dir() or root.is_symlink():
        return
    for path in sorted(root.iterdir()):
        yield from walk(path, depth=depth - 1)
