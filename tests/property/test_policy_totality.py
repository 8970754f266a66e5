"""Totality over generated worlds: garbage put anywhere is decided, and never raises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privity.model.decisions import Allow, Deny
from privity.policy.evaluator import decide
from tests.policy.garbage import GARBAGE, paths, put
from tests.policy.world import World
from tests.property.counts import LAW, SECONDS
from tests.property.worlds import worlds

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]


@pytest.mark.proves("policy:pure", "policy:deny:on-error")
@LAW
@given(world=worlds(), data=st.data())
def test_the_evaluator_cannot_raise(world: World, data: st.DataObject) -> None:
    """Two pieces of garbage anywhere in any world are one decision."""
    facts = world.facts
    for _ in range(2):
        places = tuple(paths(facts))
        place = places[data.draw(st.integers(0, len(places) - 1))]
        facts = put(facts, place, GARBAGE[data.draw(st.integers(0, len(GARBAGE) - 1))])

        assert isinstance(decide(facts), Allow | Deny)
