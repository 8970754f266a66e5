"""Planted security faults: for each there is a near-permitted world in which it lets something out."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

import pytest

from privity.model.decisions import Allow, Decision, Deny
from privity.policy.evaluator import climb, decide, ladder_of
from privity.policy.facts import Facts
from tests.policy.failing import FAILING
from tests.policy.faults import FAULTY_CHECKS
from tests.policy.faulty_views import FAULTY_VIEWS, FaultyView, seen_by
from tests.policy.reference import Verdict, judge
from tests.policy.world import World
from tests.property.permitted import PERMITTED
from tests.property.worlds import STEPS

BACKED: Final = {
    "without identity_withholds_nothing",
    "without membership_withholds_nothing",
    "without nothing_withholds",
    "without store_is_mounted",
}
"""Faults that let nothing out, because another check stands behind them: only the reason tells."""


def verdict(decision: Decision) -> Verdict:
    """Return a decision in the words of the reference."""
    return (decision.reason, decision.step) if isinstance(decision, Deny) else None


def judged(facts: Facts) -> Verdict | str:
    """Return what the reference says; where it chokes on garbage, that is a denial of another kind."""
    try:
        return judge(facts)
    except TypeError:
        return "choked"


@cache
def denied_worlds() -> tuple[World, ...]:
    """Return the worlds one step from permitted that the reference denies."""
    near = (step.apply(start) for start in PERMITTED for step in STEPS)
    return tuple(world for world in near if judged(world.facts) is not None)


@cache
def denied_facts() -> tuple[Facts, ...]:
    """Return the facts of those worlds, and of the cases that a single check denies."""
    return (*FAILING.values(), *(world.facts for world in denied_worlds()))


def lets_out(decides: Callable[[Facts], Decision]) -> Iterator[Facts]:
    """Yield the facts that should be denied and are allowed."""
    return (facts for facts in denied_facts() if isinstance(decides(facts), Allow))


@pytest.mark.timeout(60)
@pytest.mark.proves("policy:tests:generated")
def test_the_evaluator_as_it_is_lets_nothing_out() -> None:
    """The worlds in which the faults show are all denied by the real one."""
    assert next(lets_out(decide), None) is None


@pytest.mark.timeout(60)
@pytest.mark.proves("policy:tests:generated")
@pytest.mark.parametrize("fault", sorted(FAULTY_CHECKS))
def test_a_faulty_check_is_caught(fault: str) -> None:
    """In some world it allows what the second evaluator denies, or denies with another reason."""
    ladder = ladder_of(FAULTY_CHECKS[fault])

    if fault in BACKED:
        facts = FAILING[fault.removeprefix("without ")]
        assert verdict(climb(ladder, facts)) != judged(facts)
    else:
        assert next(lets_out(lambda facts: climb(ladder, facts)), None) is not None


@pytest.mark.timeout(60)
@pytest.mark.proves("policy:tests:generated", "policy:view:intersection")
@pytest.mark.parametrize("fault", FAULTY_VIEWS.values(), ids=lambda fault: fault.__name__)
def test_a_faulty_view_is_caught(fault: FaultyView) -> None:
    """In some world what it mounts is allowed, and the second evaluator denies it."""
    assert any(isinstance(decide(seen_by(fault, world)), Allow) for world in denied_worlds())
