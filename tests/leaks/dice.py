"""Dice that fall the same way again under the same seed."""

from collections.abc import Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")

MULTIPLIER: Final = 6364136223846793005
INCREMENT: Final = 1442695040888963407
MASK: Final = (1 << 64) - 1


class Dice:
    """A linear congruential generator (Knuth, MMIX), of which the upper bits are used."""

    def __init__(self, seed: int) -> None:
        self._state = seed & MASK
        for _ in range(4):
            self.roll(2)

    def roll(self, sides: int) -> int:
        """Return a number from 0 up to, not including, `sides`."""
        self._state = (self._state * MULTIPLIER + INCREMENT) & MASK
        return (self._state >> 24) % sides

    def chance(self, percent: int) -> bool:
        """Return true so many times in a hundred."""
        return self.roll(100) < percent

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of `items`."""
        return items[self.roll(len(items))]
