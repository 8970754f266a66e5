"""The key of the home, made once and kept in a private file."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from privity.backends.sqlite.failures import storage_failures
from privity.backends.sqlite.files import READ_FLAGS, open_directory, rename_new, write_new
from privity.sdk.ambient import Entropy
from privity.sdk.errors import StorageFailedError

KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteKeys:
    """Implement `privity.engine.ports.Keys`."""

    path: Path
    entropy: Entropy

    def home_key(self) -> bytes:
        """Return the 32-byte key of this home's vault, made when first asked for."""
        with storage_failures(self.path), open_directory(self.path.parent) as directory:
            if not self.path.exists():
                self.make(directory)
            descriptor = os.open(self.path.name, READ_FLAGS, dir_fd=directory)
            try:
                key = os.read(descriptor, KEY_BYTES + 1)
            finally:
                os.close(descriptor)
        if len(key) != KEY_BYTES:
            raise StorageFailedError("the key of the home is damaged", remedy="restore `vault/keys` from a backup")
        return key

    def make(self, directory: int) -> None:
        """Write a new key; one that another call wrote meanwhile stays."""
        temporary = f".{self.entropy.token('key')}"
        write_new(temporary, self.entropy.key(), directory=directory)
        try:
            rename_new(temporary, self.path.name, directory=directory)
        except FileExistsError:
            os.unlink(temporary, dir_fd=directory)
