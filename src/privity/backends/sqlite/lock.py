"""One process owns a vault: a lock that dies with its owner."""

import fcntl
import os
from pathlib import Path

from privity.backends.sqlite.files import make_file
from privity.sdk.errors import HomeInUseError


class VaultLock:
    """An exclusive lock on a vault, held until closed."""

    def __init__(self, path: Path) -> None:
        make_file(path)
        self.descriptor: int = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self.descriptor)
            raise HomeInUseError(
                f"another process owns the vault `{path.parent}`",
                remedy="ask that process, or stop it and try again",
            ) from error

    def close(self) -> None:
        """Let go of the vault."""
        os.close(self.descriptor)
