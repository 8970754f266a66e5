"""A bounded number of open databases, each used by one thread at a time."""

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition

from privity.backends.sqlite.database import Database
from privity.backends.sqlite.ownership import Ownership


@dataclass(slots=True)
class Lease:
    """An open database and how many threads use it or wait for it."""

    database: Database
    users: int


class Pool:
    """Open databases by key. Beyond `limit`, those that nobody uses are closed, oldest use first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.leases: OrderedDict[tuple[str, ...], Lease] = OrderedDict()
        self.changed: Condition = Condition()
        self.ownership: Ownership = Ownership()

    @contextmanager
    def lease(self, key: tuple[str, ...], opener: Callable[[], Database]) -> Generator[Database]:
        """Lend the database of `key`, opened if it is not open; nothing is opened once the pool is closed."""
        self.ownership.require()
        with self.changed:
            lease = self.leases.get(key) or self.leases.setdefault(key, Lease(opener(), 0))
            self.leases.move_to_end(key)
            lease.users += 1
            self.trim()
        try:
            with lease.database.lock:
                yield lease.database
        finally:
            with self.changed:
                lease.users -= 1
                self.trim()
                self.changed.notify_all()

    def trim(self) -> None:
        """Close what is idle and too much."""
        idle = [key for key, lease in self.leases.items() if not lease.users]
        for key in idle[: max(len(self.leases) - self.limit, 0)]:
            self.leases.pop(key).database.close()

    @contextmanager
    def exclusive(self, key: tuple[str, ...]) -> Generator[None]:
        """Close the database of `key` and keep everybody out meanwhile."""
        with self.changed:
            self.changed.wait_for(lambda: key not in self.leases or not self.leases[key].users)
            if key in self.leases:
                self.leases.pop(key).database.close()
            yield

    def close(self) -> None:
        """Close everything, each once its last user is done."""
        if not self.ownership.end():
            return
        for key in list(self.leases):
            with self.exclusive(key):
                pass
