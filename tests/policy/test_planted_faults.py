"""Planted security faults: for each there is a near-permitted world in which it lets something out."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Final

import pytest
from privity.model.decisions import Allow
from privity.model.reasons import Reason
from privity.policy.evaluator import CHECKS, decide, decide_with

from tests.policy.faults import FAULTY_CHECKS, FAULTY_VIEWS, seen_by
from tests.policy.reference import judge
from tests.policy.test_evaluation_order import FAILING
from tests.policy.world import World
from tests.property.permitted import PERMITTED
from tests.property.worlds import STEPS

INDISTINCT: Final = {
    # Every world without these allows no more: another check, named here, stands behind each.
}
