"""Alice under rules: she reads her own note, or publishes."""

from dataclasses import replace
from datetime import datetime

from privity.model.decisions import Deny
from privity.model.operations import Operation
from privity.model.policies import Effect, Rule
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from tests.policy.samples import (
    ALICE,
    ALICES,
    SHARED,
    asks,
    rule,
    world,
)
from tests.policy.world import World
from tests.property.permitted import new


def read_under(*rules: Rule) -> World:
    """Return the world in which Alice reads her own note under these rules."""
    return world(asks(Operation.READ), ALICES, *rules)


def publish_under(*rules: Rule) -> World:
    """Return the world in which Alice publishes under these rules."""
    return new(world(asks(Operation.PUBLISH), SHARED, *rules))


def outcome(here: World) -> Reason | None:
    """Return why the decision denies, or nothing."""
    decision = decide(here.facts)
    return decision.reason if isinstance(decision, Deny) else None


def until(end: datetime | None, effect: Effect, capability: Operation) -> Rule:
    """Return a rule about Alice that ends at a time."""
    return replace(rule(effect, capability, ALICE), expires_at=end)
