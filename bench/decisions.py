"""Decisions a second beside Cedar and Casbin, on one case: 12 mounts and 6 rules, none of them about the actor.

The peers answer one question about one capability; ours answers the whole case, with its view at
hand. Each is measured as a caller has it who asks once, and with all made ready that stays the same
over many questions: for Cedar the parsed policies and entities, for ours the context, the plan, the
view, the store and its policies, as a search has them for all of its rows.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import Final

import cedarpy
from casbin import Enforcer, Model

from bench import Row
from privity.model.decisions import Allow
from privity.model.ids import StoreId
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.policy.evaluator import decide
from privity.policy.facts import Facts, View
from privity.policy.prepared import decide_row, prepare
from tests.policy.cedar import entities_of, policies_text, request_for
from tests.policy.samples import ALICE, ALICES, BOB, asks, rule, world

MOUNTS: Final = 12
READING: Final = frozenset({Operation.RETRIEVE, Operation.READ, Operation.DERIVE})
RULED: Final = (Operation.READ, Operation.RETRIEVE, Operation.DELETE, Operation.EXPORT, Operation.DERIVE)
SECONDS: Final = 0.5
ROUNDS: Final = 5
BATCH: Final = 200
CASBIN_MODEL: Final = """
[request_definition]
r = sub, store, act
[policy_definition]
p = sub, store, act, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = (p.sub == "*" || r.sub == p.sub) && (p.store == "*" || r.store == p.store) && r.act == p.act
"""


def measure() -> Iterator[Row]:
    """Measure ours and each peer that is installed."""
    facts = case()
    prepared, another = prepare(facts), another_row(facts)
    once = a_second(lambda: isinstance(decide(facts), Allow))
    ready = a_second(lambda: isinstance(decide_row(prepared, another), Allow))
    parsed, text, enforced = a_second(cedar(facts)), a_second(cedar_from_text(facts)), a_second(casbin(facts))
    yield row("decisions", ready, parsed, "cedarpy, both made ready beforehand")
    yield row("decisions", once, text, "cedarpy, both asked once")
    yield row("decisions", once, parsed, "cedarpy, only Cedar made ready beforehand")
    yield row("decisions", ready, enforced, "casbin, both made ready beforehand")
    yield row("decisions", once, enforced, "casbin, only casbin made ready beforehand")


def rows() -> list[dict[str, object]]:
    """Return what was measured as plain rows."""
    return [{"name": r.name, "ours": r.ours, "peer": r.other, "ratio": r.ratio} for r in measure()]


def row(name: str, ours: float, other: float, other_name: str) -> Row:
    """Return a row in decisions a second."""
    what = f"{name} a second ({MOUNTS} mounts, 6 rules) beside {other_name}"
    return Row(name=what, ours=ours, other=other, other_name=other_name, unit="1/s")


def case() -> Facts:
    """Return the case: Alice reads her own note; five allows and a deny are about Bob."""
    allows = (rule(Effect.ALLOW, word, BOB, name=str(word)) for word in RULED)
    facts = world(asks(Operation.READ), ALICES, *allows, rule(Effect.DENY, Operation.READ, BOB, name="deny")).facts
    others = {StoreId(f"sto_{n}"): READING for n in range(MOUNTS - 1)}
    return replace(facts, view=View(mounts={**others, ALICES.store_id: READING}, withheld={}))


def another_row(facts: Facts) -> Facts:
    """Return the same case about another row, which is equal and not the same."""
    assert facts.revision is not None
    return replace(facts, revision=replace(facts.revision))


def cedar(facts: Facts) -> Callable[[], bool]:
    """Return the same question to Cedar, with policies and entities parsed beforehand."""
    policies = cedarpy.PolicySet.from_str(policies_text(facts))
    entities = cedarpy.Entities.from_json_str(json.dumps(entities_of(facts)))
    request = request_for(facts, Operation.READ)
    return lambda: cedarpy.is_authorized(request, policies, entities).allowed


def cedar_from_text(facts: Facts) -> Callable[[], bool]:
    """Return the same question to Cedar, with policies and entities as text."""
    policies, entities, request = policies_text(facts), entities_of(facts), request_for(facts, Operation.READ)
    return lambda: cedarpy.is_authorized(request, policies, entities).allowed


def casbin(facts: Facts) -> Callable[[], bool]:
    """Return the same question to Casbin."""
    model = Model()
    model.load_model_from_text(CASBIN_MODEL)
    enforcer = Enforcer(model)
    for store_id, words in facts.view.mounts.items():
        for word in words:
            enforcer.add_policy("*", store_id, str(word), "allow")
    for found in facts.own_policies[0].rules:
        enforcer.add_policy(str(found.grantee_id), "*", str(found.capability), str(found.effect))
    return lambda: enforcer.enforce(ALICE, facts.store.store_id, "read")


def a_second(asks_once: Callable[[], bool]) -> float:
    """Return how often a second a question is answered, in the best of some rounds."""
    assert asks_once()
    return max(rate(asks_once) for _ in range(ROUNDS))


def rate(asks_once: Callable[[], bool]) -> float:
    """Return how often a second a question is answered, over one round."""
    start, times = perf_counter(), 0
    while perf_counter() - start < SECONDS:
        for _ in range(BATCH):
            asks_once()
        times += BATCH
    return times / (perf_counter() - start)
