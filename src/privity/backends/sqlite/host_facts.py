"""What was read from a host's database, kept until the next write to it."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from privity.backends.sqlite.database import Database
from privity.backends.sqlite.host_database import HostDatabase

Name = TypeVar("Name")
Fact = TypeVar("Fact")

MOST: Final = 4_096
"""How many facts of one kind are kept, so that a crowd does not fill the memory."""


class KnownFacts(Generic[Name, Fact]):
    """Facts of one kind by their names.

    One process owns the database, and one thread at a time uses it: between two writes nothing
    changes, and a read of what is kept sees what a read of the database would.
    """

    def __init__(self) -> None:
        self._changes = -1
        self._facts: dict[Name, Fact] = {}

    def load(self, host: HostDatabase, name: Name, read: Callable[[Database], Fact]) -> Fact:
        """Return the fact of this name, loaded if it is not known since the last write."""
        with host.reading() as database:
            if self._changes != host.changes or len(self._facts) >= MOST:
                self._facts.clear()
                self._changes = host.changes
            if name not in self._facts:
                self._facts[name] = read(database)
            return self._facts[name]
