"""Rules that make no sense: where one could apply, it denies."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.operations import Operation
from privity.model.policies import Effect, PolicyState, Rule
from privity.model.reasons import Reason
from tests.policy.ruled import outcome, publish_under, read_under
from tests.policy.samples import (
    ALICE,
    BOB,
    rule,
)
from tests.policy.world import NOW
from tests.property.bend import with_policy

NAIVE: Final = NOW.replace(tzinfo=None)
MALFORMED: Final[dict[str, dict[str, object]]] = {
    "effect of another language": {"effect": "perhaps"},
    "effect that is only a string": {"effect": "deny"},
    "no effect": {"effect": None},
    "capability of another language": {"capability": "peek"},
    "capability that is only a string": {"capability": "read"},
    "no capability": {"capability": None},
    "end without a zone": {"expires_at": NAIVE},
    "end that is a number": {"expires_at": 0},
    "end that is not a number": {"expires_at": float("nan")},
    "end that is text": {"expires_at": "2099-01-01"},
    "grantee that is a number": {"grantee_id": 7},
    "grantees": {"grantee_id": (ALICE, BOB)},
}


@pytest.mark.proves("case:POL-04", "case:POL-05", "policy:deny:on-error")
@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("malformation", MALFORMED)
def test_POL_04_POL_05_a_rule_that_could_apply_and_makes_no_sense_denies_as_nonconforming(
    malformation: str, effect: Effect
) -> None:
    """Allow or deny, about the actor: what is not understood might forbid."""
    bent = replace(rule(effect, Operation.READ, ALICE), **MALFORMED[malformation])
    allow = rule(Effect.ALLOW, Operation.READ, ALICE, name="allow")

    for rules in ((bent,), (allow, bent), (bent, allow)):
        assert outcome(read_under(*rules)) is Reason.BACKEND_NONCONFORMING


@pytest.mark.proves("case:POL-05", "policy:deny:on-error")
def test_POL_05_an_allow_for_everybody_denies_as_nonconforming() -> None:
    """Only a deny may name nobody in particular."""
    assert outcome(read_under(rule(Effect.ALLOW, Operation.READ, None))) is Reason.BACKEND_NONCONFORMING
    assert outcome(read_under(rule(Effect.DENY, Operation.READ, None))) is Reason.EXPLICIT_DENY


@pytest.mark.proves("case:POL-05", "policy:deny:on-error")
@pytest.mark.parametrize(
    "harmless",
    [
        {"effect": "perhaps", "capability": Operation.DELETE},
        {"expires_at": NAIVE, "capability": Operation.DELETE},
        {"grantee_id": None, "effect": Effect.ALLOW, "capability": Operation.DELETE},
        {"effect": "perhaps", "grantee_id": BOB},
        {"capability": "peek", "grantee_id": BOB},
        {"expires_at": NAIVE, "grantee_id": BOB},
    ],
    ids=str,
)
def test_POL_05_a_rule_that_certainly_does_not_apply_may_make_no_sense(harmless: dict[str, object]) -> None:
    """About something else or somebody else for certain, it decides nothing here."""
    assert outcome(read_under(replace(rule(Effect.DENY, Operation.READ, ALICE), **harmless))) is None


@pytest.mark.proves("case:POL-05", "policy:deny:on-error")
def test_POL_05_a_rule_that_could_apply_in_a_revoked_policy_denies_as_nonconforming() -> None:
    """Whether such a rule still holds cannot be told; a revoked policy without one reaches nobody."""
    revoked = with_policy(read_under(rule(Effect.ALLOW, Operation.READ, ALICE)), state=PolicyState.REVOKED)
    others = with_policy(read_under(rule(Effect.ALLOW, Operation.READ, BOB)), state=PolicyState.REVOKED)

    assert outcome(revoked) is Reason.BACKEND_NONCONFORMING
    assert outcome(others) is Reason.AUDIENCE_WIDENED


@pytest.mark.proves("case:POL-08", "policy:deny:on-error")
def test_POL_08_a_condition_that_nobody_evaluated_grants_nothing() -> None:
    """A rule has no conditions but its end; one that carries more is no rule of ours."""

    class ConditionalRule(Rule):
        """A rule as another product might store it."""

        condition = "office-hours"

    plain = rule(Effect.ALLOW, Operation.PUBLISH, ALICE)
    conditional = ConditionalRule(
        rule_id=plain.rule_id,
        effect=plain.effect,
        capability=plain.capability,
        grantee_id=plain.grantee_id,
        grantor_id=plain.grantor_id,
        expires_at=plain.expires_at,
    )

    assert outcome(publish_under(plain)) is None
    assert outcome(publish_under(conditional)) is Reason.BACKEND_NONCONFORMING
    assert (
        outcome(publish_under(plain, replace(conditional, capability=Operation.READ))) is Reason.BACKEND_NONCONFORMING
    )
    assert outcome(publish_under(plain, replace(conditional, grantee_id=BOB))) is Reason.BACKEND_NONCONFORMING
