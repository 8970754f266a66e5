"""Key material, in memory."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InMemoryKeys:
    """Implement `privity.engine.ports.Keys`."""

    key: bytes

    def home_key(self) -> bytes:
        """Return the 32-byte key of this vault."""
        return self.key
