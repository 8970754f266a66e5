"""Rows that share everything else are decided at once, each exactly as it would be by itself."""

from dataclasses import fields, replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privity.policy.case import Case, case_of
from privity.policy.evaluator import CHECKS, decide
from privity.policy.facts import Facts
from privity.policy.prepared import ROW_CHECKS, decide_row, prepare
from tests.policy.failing import FAILING
from tests.policy.garbage import GARBAGE
from tests.property.counts import DIFFERENTIAL, SECONDS
from tests.property.permitted import PERMITTED
from tests.property.worlds import Walk, walks

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

ROW: Final = ("revision", "requirements", "policies")
CASES: Final = (*FAILING.values(), *(here.facts for here in PERMITTED))


def with_row(facts: Facts, row: Facts) -> Facts:
    """Return facts about another row."""
    return replace(facts, **{name: getattr(row, name) for name in ROW})


@pytest.mark.proves("policy:order:eleven-steps", "policy:no-cache")
def test_every_row_under_every_failing_case_is_decided_as_by_itself() -> None:
    """Whichever check fails first of the shared ones, and whichever of the row's."""
    for shared in CASES:
        prepared = prepare(shared)
        for row in CASES:
            facts = with_row(shared, row)
            assert decide_row(prepared, facts) == decide(facts)


@pytest.mark.proves("policy:order:eleven-steps", "policy:no-cache")
def test_what_was_prepared_for_other_facts_decides_nothing() -> None:
    """However alike two cases are, unless they share all but the row each is decided whole."""
    for shared in CASES:
        prepared = prepare(shared)
        for facts in CASES:
            assert decide_row(prepared, facts) == decide(facts)


@pytest.mark.proves("policy:tests:generated", "policy:no-cache")
@DIFFERENTIAL
@given(one=walks(), other=walks())
def test_generated_rows_are_decided_as_by_themselves(one: Walk, other: Walk) -> None:
    """The rows of one world under the context of another, and the whole of it."""
    prepared = prepare(one.world.facts)
    for facts in (one.world.facts, other.world.facts, with_row(one.world.facts, other.world.facts)):
        assert decide_row(prepared, facts) == decide(facts)


@pytest.mark.proves("policy:deny:on-error")
@DIFFERENTIAL
@given(
    walk=walks(), name=st.sampled_from([field.name for field in fields(Facts)]), junk=st.integers(0, len(GARBAGE) - 1)
)
def test_garbage_is_decided_alike(walk: Walk, name: str, junk: int) -> None:
    """In the row or in what is shared, on either side."""
    good = walk.world.facts
    bad = replace(good, **{name: GARBAGE[junk]})
    for shared, facts in ((good, bad), (bad, good), (bad, bad)):
        assert decide_row(prepare(shared), facts) == decide(facts)


class Rowless:
    """Facts that have no row: to look for one is a fault of ours."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def __getattr__(self, name: str) -> object:
        assert name not in ROW, name
        return getattr(self.facts, name)


@pytest.mark.proves("policy:pure", "policy:no-cache")
def test_no_shared_check_looks_at_a_row() -> None:
    """A check that does belongs to the row's own, or its answer for one row would stand for all."""
    for facts in CASES:
        case = case_of(facts)
        rowless = Case(
            facts=Rowless(facts),  # pyright: ignore[reportArgumentType]
            context=case.context,
            evidence=case.evidence,
            question=case.question,
        )
        for _, _, holds in CHECKS:
            if holds not in ROW_CHECKS:
                try:
                    alike = holds(rowless) == holds(case)
                except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                    continue
                assert alike
