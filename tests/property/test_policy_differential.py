"""The evaluator against a second one written in another style, over worlds near to permitted."""

from collections import Counter

import pytest
from hypothesis import assume, given

from privity.model.decisions import Allow, Decision
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from privity.policy.facts import Facts
from tests.policy.reference import Verdict, judge
from tests.policy.reference_view import Standing, stand
from tests.policy.world import World
from tests.property.counts import DIFFERENTIAL, SECONDS
from tests.property.permitted import PERMITTED
from tests.property.worlds import STEPS, Walk, walks

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

SHARE_ALLOWED = 0.3


def verdict(decision: Decision) -> Verdict:
    """Return a decision in the words of the reference."""
    return None if isinstance(decision, Allow) else (decision.reason, decision.step)


def judged(facts: Facts) -> Verdict:
    """Return what the reference says; it may choke on times without a zone, and that denies."""
    try:
        return judge(facts)
    except TypeError:
        return (Reason.BACKEND_NONCONFORMING, 7)


def standings(world: World) -> dict[str, Standing]:
    """Return the view of a world in the words of the reference."""
    view = world.facts.view
    found: dict[str, Standing] = dict.fromkeys((store.store_id for store in world.stores), None)
    found |= {store_id: {str(word) for word in words} for store_id, words in view.mounts.items()}
    return {**found, **view.withheld}


def reference_standings(world: World) -> dict[str, Standing]:
    """Return the view of a world as the reference sees it."""
    return {s.store_id: stand(world.context, s, world.standing, world.now) for s in world.stores}


@pytest.mark.proves("policy:tests:generated", "policy:order:eleven-steps")
def test_every_permitted_world_is_permitted() -> None:
    """What the generated worlds start from is allowed by both."""
    for world in PERMITTED:
        assert (verdict(decide(world.facts)), judge(world.facts)) == (None, None)


@pytest.mark.proves("policy:tests:generated", "policy:order:eleven-steps")
def test_every_world_one_step_from_permitted_is_decided_alike() -> None:
    """No single step from any permitted world makes the two differ, in reason and step."""
    for start in PERMITTED:
        for step in STEPS:
            facts = step.apply(start).facts

            assert verdict(decide(facts)) == judged(facts), (start.operation, start.store.store_id, step)


@pytest.mark.proves("policy:tests:generated", "policy:order:eleven-steps")
def test_generated_worlds_are_decided_alike_and_enough_of_them_allowed() -> None:
    """Two steps from permitted the two still agree, and the worlds are near enough to say something."""
    tally = Counter[bool]()

    @DIFFERENTIAL
    @given(walks())
    def compare(walk: Walk) -> None:
        facts = walk.world.facts
        decision = decide(facts)
        tally[isinstance(decision, Allow)] += 1
        assert verdict(decision) == judged(facts)

    compare()

    assert tally[True] >= SHARE_ALLOWED * tally.total()


@pytest.mark.proves("policy:tests:generated", "policy:view:intersection")
def test_generated_views_are_alike() -> None:
    """Mounts, capabilities and reasons for withholding agree over every store of the cell."""

    @DIFFERENTIAL
    @given(walks())
    def compare(walk: Walk) -> None:
        assume(judged(walk.world.facts) != (Reason.INVALID_CONTEXT, 1))  # such a context has no view
        assert standings(walk.world) == reference_standings(walk.world)

    compare()
