"""The part of our policies that Cedar can say, in Cedar: placement, rules with an end, and audiences by equality."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, Final

from privity.model.operations import Operation
from privity.model.policies import Effect, Rule
from privity.model.principals import PrincipalActor
from privity.policy.facts import Facts

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
BY_NAME_ONLY: Final = frozenset({"publish", "policy-admin"})
REACHES: Final = "context.outputs.isEmpty() == false && resource.reach.containsAll(context.outputs)"


def is_allowed(facts: Facts, needed: Iterable[str]) -> bool:
    """Cedar allows every needed capability."""
    cedarpy: Any = import_module("cedarpy")
    policies = cedarpy.PolicySet.from_str(policies_text(facts))
    entities = cedarpy.Entities.from_json_str(json.dumps(entities_of(facts)))
    return all(cedarpy.is_authorized(request_for(facts, word), policies, entities).allowed for word in needed)


def policies_text(facts: Facts) -> str:
    """Return placement and rules as Cedar policies."""
    rules = (rule for policy in facts.own_policies for rule in policy.rules)
    return "\n".join([*placements(facts), *map(rule_text, rules)])


def placements(facts: Facts) -> list[str]:
    """Return a permit for every mounted store."""
    return [
        f'permit(principal, action in [{actions(words)}], resource in Store::"{store_id}") when {{ {REACHES} }};'
        for store_id, words in facts.view.mounts.items()
        if words - BY_NAME_ONLY
    ]


def actions(words: frozenset[Operation]) -> str:
    """Return the actions that placement gives."""
    return ", ".join(f'Action::"{word}"' for word in sorted(words - BY_NAME_ONLY))


def rule_text(rule: Rule) -> str:
    """Return one rule as a Cedar policy; an allow still has to reach every output."""
    effect = "forbid" if rule.effect is Effect.DENY else "permit"
    who = "principal" if rule.grantee_id is None else f'principal == Principal::"{rule.grantee_id}"'
    lasts = "true" if rule.expires_at is None else f"context.now < {microseconds(rule.expires_at)}"
    reaches = "true" if rule.effect is Effect.DENY else REACHES
    return f'{effect}({who}, action == Action::"{rule.capability}", resource) when {{ {lasts} && {reaches} }};'


def entities_of(facts: Facts) -> list[dict[str, object]]:
    """Return the revision inside its store, with the audiences that every policy names."""
    first, *others = facts.own_policies
    reach = [first.audience.id] if all(other.audience == first.audience for other in others) else []
    return [
        {
            "uid": {"type": "Revision", "id": "asked"},
            "attrs": {"reach": reach},
            "parents": [{"type": "Store", "id": facts.store.store_id}],
        }
    ]


def request_for(facts: Facts, word: str) -> dict[str, object]:
    """Return the question about one capability."""
    actor = facts.context.actor
    who = actor.principal_id if isinstance(actor, PrincipalActor) else "nobody"
    return {
        "principal": {"type": "Principal", "id": who},
        "action": {"type": "Action", "id": word},
        "resource": {"type": "Revision", "id": "asked"},
        "context": {
            "outputs": sorted({output.id for output in facts.context.delivery.audiences}),
            "now": microseconds(facts.now),
        },
    }


def microseconds(at: datetime) -> int:
    """Return a time as Cedar has it: a whole number."""
    return (at - EPOCH) // timedelta(microseconds=1)
