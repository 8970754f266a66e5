"""Sessions opened on the command line: who is at the keyboard, kept in the home until closed."""

import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, cast

from privity.model.ids import PrincipalId
from privity.ops.vouching import Vouched
from privity.sdk.errors import InputError, StorageFailedError

FILE: Final = "sessions.json"
FILE_MODE: Final = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A session under its name, the agent that it is with, and whom it was opened for.

    A name may have another bearer later; the session stays with the first one.
    """

    name: str
    agent: str
    who: Vouched
    principal_id: PrincipalId


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The sessions that are open, and which one counts when none is named."""

    opened: Mapping[str, Opened]
    current: str | None

    def find(self, name: str | None) -> Opened | None:
        """Return the session of this name, or the current one where none is named.

        Raises:
            InputError: no session has this name.
        """
        wanted = self.current if name is None else name
        if wanted is None:
            return None
        if wanted not in self.opened:
            raise InputError("is no open session", where=f"`{wanted}`", remedy="see `privity session list`")
        return self.opened[wanted]

    def opening(self, session: Opened) -> "Credentials":
        """Return the credentials with one more session, which becomes the current one."""
        return replace(self, opened={**self.opened, session.name: session}, current=session.name)

    def closing(self, name: str) -> "Credentials":
        """Return the credentials without a session."""
        left = {key: session for key, session in self.opened.items() if key != name}
        return replace(self, opened=left, current=None if self.current == name else self.current)


def session_name(who: Vouched) -> str:
    """Return the name that a session goes by."""
    return who.sender if who.room is None else f"{who.sender}@{who.room}"


def load_credentials(home: Path) -> Credentials:
    """Return the sessions that are open in a home.

    Raises:
        InputError: the file that keeps them is damaged.
        StorageFailedError: it cannot be read.
    """
    with storage(home):
        path = home / FILE
        content = path.read_bytes() if path.exists() else b"{}"
    try:
        return parse_credentials(json.loads(content.decode("utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(
            "is damaged", where=f"`{FILE}` in the home", remedy="remove it, and open sessions anew"
        ) from None


def parse_credentials(value: Mapping[str, object]) -> Credentials:
    """Return the credentials that a file holds."""
    listed = cast("list[Mapping[str, str | None]]", value.get("sessions", []))
    sessions = (
        Opened(
            name=str(one["name"]),
            agent=str(one["agent"]),
            who=Vouched(sender=str(one["local"]), room=one["room"]),
            principal_id=PrincipalId(str(one["principal_id"])),
        )
        for one in listed
    )
    current = value.get("current")
    return Credentials(
        opened={session.name: session for session in sessions}, current=None if current is None else str(current)
    )


def save_credentials(home: Path, credentials: Credentials) -> None:
    """Keep the sessions that are open, whole or not at all.

    Raises:
        StorageFailedError: the disk is full, read-only or failing.
    """
    sessions = [
        {
            "name": one.name,
            "agent": one.agent,
            "local": one.who.sender,
            "room": one.who.room,
            "principal_id": one.principal_id,
        }
        for one in credentials.opened.values()
    ]
    content = json.dumps({"current": credentials.current, "sessions": sessions}, indent=2) + "\n"
    with storage(home):
        fresh = home / f"{FILE}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(home / FILE)


@contextmanager
def storage(home: Path) -> Generator[None]:
    """Report a failing disk as one.

    Raises:
        StorageFailedError: the disk is full, read-only or failing.
    """
    try:
        yield
    except OSError as error:
        problem = f"`{home / FILE}` cannot be kept: {error.strerror}"
        raise StorageFailedError(problem, remedy="look at the disk and repeat") from error
