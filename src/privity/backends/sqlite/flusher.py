"""Group commit: what was committed without a sync is synced soon after, many commits at a time."""

import os
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from threading import Condition, Thread
from typing import Final

GATHER_SECONDS: Final = 0.02
"""How long commits gather before one sync. With the sync itself it stays below 50 ms (decision 37)."""


class Durability(StrEnum):
    """When an access or exposure record is safe from a power cut. Writes always are at once."""

    GROUPED = "grouped"
    STRICT = "strict"


class Flusher:
    """A thread that syncs the write-ahead logs it was told of, once a gathering time."""

    def __init__(self, sync: Callable[[Path], None]) -> None:
        self.sync = sync
        self.changed: Condition = Condition()
        self.waiting: set[Path] = set()
        self.failure: OSError | None = None
        self.closed: bool = False
        self.thread: Thread = Thread(target=self.run, name="privity-flusher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self.thread.start()

    def note(self, log: Path) -> None:
        """Have `log` synced within the gathering time.

        Raises:
            OSError: an earlier sync failed; what it should have made durable may be lost.
        """
        with self.changed:
            failure, self.failure = self.failure, None
            self.waiting.add(log)
            self.changed.notify()
        if failure is not None:
            raise failure

    def run(self) -> None:
        """Sync what gathers, until closed."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.closed)
                if self.closed and not self.waiting:
                    return
                self.changed.wait_for(lambda: self.closed, timeout=GATHER_SECONDS)
                logs, self.waiting = self.waiting, set()
            for log in logs:
                self.flush(log)

    def flush(self, log: Path) -> None:
        """Sync one log, or keep the failure for the next commit."""
        try:
            self.sync(log)
        except OSError as error:
            with self.changed:
                self.failure = error

    def close(self) -> None:
        """Sync what is left and stop."""
        with self.changed:
            self.closed = True
            self.changed.notify()
        self.thread.join()


def sync_log(log: Path) -> None:
    """Sync the data of a log; one that is gone was folded into its database, which was synced."""
    try:
        descriptor = os.open(log, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
