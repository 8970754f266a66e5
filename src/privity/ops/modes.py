"""File modes of a home: nobody but its owner may open anything in it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from privity.ops.findings import Finding, fine, problem

TOPIC: Final = "modes"
FOLDER: Final = 0o700
FILE: Final = 0o600
SHOWN: Final = 5


def mode_findings(home: Path) -> tuple[Finding, ...]:
    """Return what is wrong with the modes in a home, the first few by name."""
    links = [path for path in everything(home) if path.is_symlink()]
    open_ones = list(misplaced(home))
    found = (
        *(problem(TOPIC, f"{inside(home, path)} is a symbolic link", "remove it") for path in links[:SHOWN]),
        *(open_finding(home, path) for path in open_ones[:SHOWN]),
    )
    return found or (fine(TOPIC, "folders are 0700 and files 0600"),)


def open_finding(home: Path, path: Path) -> Finding:
    """Return the finding about a path whose mode is too wide."""
    found = stat.S_IMODE(path.lstat().st_mode)
    return problem(TOPIC, f"{inside(home, path)} is {found:04o}", "run `privity doctor --fix`, or chmod it")


def narrow_modes(home: Path) -> int:
    """Give every file and folder of a home its mode; return how many needed it."""
    wide = list(misplaced(home))
    for path in wide:
        path.chmod(FOLDER if path.is_dir() else FILE)
    return len(wide)


def misplaced(home: Path) -> Iterator[Path]:
    """Yield the paths of a home that have another mode than their kind has here."""
    for path in everything(home):
        if is_misplaced(path):
            yield path


def is_misplaced(path: Path) -> bool:
    """The path is there and has another mode than its kind has. Files come and go while their home is in use."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    wanted = FOLDER if stat.S_ISDIR(mode) else FILE
    return not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != wanted


def everything(home: Path) -> Iterator[Path]:
    """Yield a home and everything below it, without following links."""
    yield home
    for folder, folders, files in os.walk(home):
        yield from (Path(folder, name) for name in sorted((*folders, *files)))


def inside(home: Path, path: Path) -> str:
    """Return the place of a path in its home, as it is said to a person."""
    return f"`{path.relative_to(home)}`" if path != home else "the home"
