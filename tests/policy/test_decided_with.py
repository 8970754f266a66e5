"""What may be decided under a context beside its own operation: what goes with it, and nothing else."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.decisions import Allow, Deny
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from tests.policy.samples import ALICES, asks, world

WITH: Final = {
    Operation.APPEND: {Operation.DERIVE},
    Operation.REPLACE: {Operation.DERIVE},
    Operation.PUBLISH: {Operation.DERIVE},
    Operation.DELETE: {Operation.READ},
}


@pytest.mark.proves("policy:order:plan-bound")
@pytest.mark.parametrize("asked", list(Operation))
@pytest.mark.parametrize("decided", list(Operation))
def test_only_what_goes_with_an_operation_is_decided_under_its_context(asked: Operation, decided: Operation) -> None:
    """Writing may derive, and deleting may look at what goes along; every other mixture is no context for it."""
    decision = decide(replace(world(asks(asked), ALICES), operation=decided).facts)
    refused = isinstance(decision, Deny) and (decision.reason, decision.step) == (Reason.INVALID_CONTEXT, 2)

    assert refused == (decided is not asked and decided not in WITH.get(asked, set()))


@pytest.mark.proves("policy:order:plan-bound")
def test_somebody_who_may_delete_their_note_may_be_told_that_they_can_read_it() -> None:
    """The decision is the one that reading makes."""
    assert isinstance(decide(replace(world(asks(Operation.DELETE), ALICES), operation=Operation.READ).facts), Allow)
