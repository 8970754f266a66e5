"""Generated worlds, at most two steps from one in which the evaluator permits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

from hypothesis import strategies as st

from tests.policy.world import World
from tests.property.engine_steps import ENGINE_STEPS
from tests.property.host_steps import HOST_STEPS
from tests.property.permitted import PERMITTED
from tests.property.step import Step

STEPS: Final[tuple[Step, ...]] = (*HOST_STEPS, *ENGINE_STEPS)


@dataclass(frozen=True, slots=True)
class Walk:
    """Which permitted world it began with, and the steps that were taken."""

    start: int
    steps: tuple[Step, ...]

    @property
    def world(self) -> World:
        """Where the steps lead."""
        return walked(PERMITTED[self.start], self.steps)


def walked(start: World, steps: Sequence[Step]) -> World:
    """Return where steps lead from a world."""
    return reduce(lambda here, step: step.apply(here), steps, start)


def walks(most: int = 2) -> st.SearchStrategy[Walk]:
    """Return walks of at most `most` steps."""
    return st.builds(
        Walk,
        st.integers(min_value=0, max_value=len(PERMITTED) - 1),
        st.lists(st.sampled_from(STEPS), max_size=most).map(tuple),
    )


def worlds(most: int = 2) -> st.SearchStrategy[World]:
    """Return worlds at most `most` steps from permitted."""
    return walks(most).map(lambda walk: walk.world)
