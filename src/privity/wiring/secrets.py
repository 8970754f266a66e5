"""Secrets by reference: a setting names where one is, and this reads it there."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from privity.sdk.errors import InputError


def resolve_secret(reference: str, *, where: str, environ: Mapping[str, str]) -> str:
    """Return the secret that `env:NAME` or `file:/path` names. It is never part of an error.

    Raises:
        InputError: the reference leads to nothing, or to a file that others may read.
    """
    kind, _, name = reference.partition(":")
    match kind:
        case "env" if environ.get(name):
            return environ[name]
        case "file":
            return read_secret(Path(name), where)
        case _:
            raise InputError("leads to no secret", where=where, remedy="use `env:NAME` or `file:/path`")


def read_secret(path: Path, where: str) -> str:
    """Return the one line of a private file."""
    try:
        with path.open(encoding="ascii") as file:
            private = not stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077
            secret = file.read(4096).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("names a file that cannot be read", where=where, remedy="check the path") from error
    if not private or not secret:
        raise InputError("names a file that is empty or open to others", where=where, remedy="chmod it to 0600")
    return secret
