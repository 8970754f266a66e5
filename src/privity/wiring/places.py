"""Where a home is: what somebody writes, as a path that this machine can look at."""

from pathlib import Path
from typing import Final

from privity.sdk.errors import InputError
from privity.sdk.strict import conform
from privity.wiring.settings import FILE

HOST: Final = "host"
VAULT: Final = "vault"
KEYS: Final = "keys"
FOLDER: Final = "name a folder that can be looked at"


def parse_home(path: str | Path) -> Path:
    """Return the path that `path` stands for, whether or not anything is there.

    Raises:
        InputError: it is empty, or no path that this machine can look at.
    """
    conform(str | Path, path, "home")
    if not str(path).strip():
        raise InputError("is empty", where="home", remedy=FOLDER)
    try:
        home = Path(path).expanduser()
        home.resolve().exists()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError("is no path here", where="home", remedy=FOLDER) from error
    return home


def is_home(path: Path) -> bool:
    """There is a home at `path`, if only one that lost its keys: no folder of other files."""
    return (path / HOST / KEYS).is_dir() or ((path / VAULT).is_dir() and (path / FILE).is_file())
