"""A third opinion, from an engine with a proven core, on what it can say of our policies."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privity.model.audiences import Audience
from privity.model.decisions import Allow
from privity.model.ids import PrincipalId, RuleId
from privity.model.operations import Operation
from privity.model.policies import Effect, Rule
from privity.policy.evaluator import decide
from privity.policy.facts import View
from privity.policy.lattice import ON_EXISTING
from tests.policy.cedar import is_allowed
from tests.policy.reference import needs
from tests.policy.samples import (
    ALICE,
    ALICES,
    BOB,
    CRON,
    TO_ALICE,
    TO_BOB,
    TO_ROOM,
    USER,
    context,
    person,
    policy,
    world,
)
from tests.policy.world import NOW
from tests.property.counts import SECONDS, tried

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

WORDS = st.sampled_from(Operation)
PEOPLE = st.sampled_from((ALICE, BOB, CRON))
ENDS = st.sampled_from((None, NOW - timedelta(seconds=1), NOW, NOW + timedelta(microseconds=1)))
OUTPUTS = st.lists(st.sampled_from((TO_ALICE, TO_ALICE, TO_ALICE, TO_BOB, TO_ROOM)), max_size=3).map(tuple)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Draw a rule that makes sense."""
    effect = draw(st.sampled_from(Effect))
    grantee: PrincipalId | None = draw(PEOPLE)
    if effect is Effect.DENY and draw(st.booleans()):
        grantee = None
    return Rule(
        rule_id=RuleId(f"rul_{draw(st.integers(0, 9))}"),
        effect=effect,
        capability=draw(WORDS),
        grantee_id=grantee,
        grantor_id=BOB,
        expires_at=draw(ENDS),
    )


@pytest.mark.proves("policy:tests:generated", "policy:deny:beats-allow", "policy:deny:default")
@tried(300, 10_000)
@given(
    operation=st.sampled_from((Operation.READ, Operation.READ, *Operation)),
    actor=st.sampled_from((ALICE, ALICE, BOB)),
    outputs=OUTPUTS,
    words=st.frozensets(WORDS) | st.just(frozenset(Operation)),
    first=st.lists(rules(), max_size=4),
    second=st.none() | st.sampled_from((TO_ALICE, TO_BOB)),
)
def test_cedar_agrees_about_placement_rules_and_equal_audiences(
    operation: Operation,
    actor: PrincipalId,
    outputs: tuple[Audience, ...],
    words: frozenset[Operation],
    first: list[Rule],
    second: Audience | None,
) -> None:
    """An operation is allowed exactly if Cedar allows each capability that it needs."""
    asked = world(context(USER, person(actor), operation, *outputs), ALICES, *first)
    own = (*asked.own_policies, *(policy("second", audience) for audience in (second,) if audience))
    facts = replace(
        asked.facts,
        revision=asked.revision if operation in ON_EXISTING else None,
        view=View(mounts={ALICES.store_id: words}, withheld={}),
        own_policies=own,
    )

    assert isinstance(decide(facts), Allow) == is_allowed(facts, needs(operation))
