"""Measurements beside peers and floors: `python -m bench`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement. `other` is the peer's or the floor's figure in the same unit, where there is one."""

    name: str
    ours: float
    other: float | None
    other_name: str
    unit: str

    @property
    def beside(self) -> str:
        """What the other is: the least that the same work takes, or another program."""
        return "floor" if self.other_name in {"", "floor"} else "peer"

    @property
    def ratio(self) -> float | None:
        """Ours by the other's."""
        return None if not self.other else self.ours / self.other
