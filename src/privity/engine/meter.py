"""Counts of what an operator should see: denials, drift and lag, by closed names, without labels."""

import threading
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum


class Count(StrEnum):
    """What is counted."""

    CONTEXT_REFUSED = "context-refused"
    DENIAL = "denial"
    PREFILTER_DRIFT = "prefilter-drift"
    INDEX_LAGGING = "index-lagging"
    ARTIFACT_LEFT = "artifact-left"
    AUTHORITY_MOVED = "authority-moved"


class Meter:
    """Counters of one process, from its start."""

    def __init__(self) -> None:
        self._counts: Counter[Count] = Counter()
        self._lock = threading.Lock()

    def count(self, what: Count) -> None:
        """Count one more."""
        with self._lock:
            self._counts[what] += 1

    def read(self) -> Mapping[str, int]:
        """Return every count, those that are zero too."""
        with self._lock:
            return {str(what): self._counts[what] for what in Count}
