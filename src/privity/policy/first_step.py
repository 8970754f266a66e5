"""Step 1 by itself: whether the context holds at all, before any plan or store is at hand."""

from typing import Final

from privity.model.decisions import Deny
from privity.policy.case import case_of
from privity.policy.evaluator import BROKEN_FACTS, CHECKS, find_denial, ladder_of
from privity.policy.facts import Facts

FIRST_STEP: Final = ladder_of(tuple(check for check in CHECKS if check[0] == 1))


def refuse_context(facts: Facts) -> Deny | None:
    """Say why the context of `facts` does not hold. Their plan and store are not looked at."""
    try:
        case = case_of(facts)
    except BROKEN_FACTS:
        return FIRST_STEP.unreadable
    return find_denial(FIRST_STEP.rungs, case)
