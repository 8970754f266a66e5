"""What every layer is given rather than takes: the time, and randomness from the system's CSPRNG."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The current time as an aware UTC datetime. It never goes back, also over a restart."""

    def now(self) -> datetime:
        """Return the time now."""
        ...


class Entropy(Protocol):
    """Unpredictable ids and keys."""

    def token(self, prefix: str) -> str:
        """Return `prefix`, an underscore and at least 128 random bits in lower-case base 32."""
        ...

    def key(self) -> bytes:
        """Return 32 random bytes."""
        ...
