"""Denials that are made outside the evaluator."""

from privity.model.decisions import Deny
from privity.model.reasons import Reason


def deny_at(reason: Reason, step: int) -> Deny:
    """Return a denial made outside the evaluator, at the step of the seed it belongs to."""
    return Deny(reason=reason, step=step, determining_rules=(), trace=())
