"""Facts of wrong shapes: the evaluator never raises, and where it looks at garbage it denies."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.decisions import Allow, Deny
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, Rule
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from privity.policy.facts import Facts
from privity.policy.first_step import refuse_context
from tests.policy.garbage import GARBAGE, Odd, paths, put
from tests.policy.samples import ALICE, ALICES, BOB, TO_CELL, asks, policy, rule, world
from tests.property.permitted import delegated, depending_on

FACTS: Final = delegated(
    depending_on(world(asks(Operation.READ), ALICES, rule(Effect.DENY, Operation.READ, BOB)), policy("cell", TO_CELL)),
    ALICE,
).facts

LOOKED_AT: Final = [
    "agent_id",
    "authority_revision",
    "context",
    "context.actor",
    "context.actor.expires_at",
    "context.agent_id",
    "context.collaboration",
    "context.delegation",
    "context.delegation.allowed_operations",
    "context.delegation.depth",
    "context.delivery",
    "context.delivery.audiences",
    "context.delivery.audiences.0",
    "context.delivery.audiences.0.id",
    "context.delivery.audiences.0.kind",
    "context.delivery.delivery_revision",
    "context.delivery.egress_registry_revision",
    "context.expires_at",
    "context.host_facts_revision",
    "context.issued_at",
    "context.operation",
    "context.session_identity_revision",
    "context.session_subject",
    "context.subject_revision",
    "context.verified_principals",
    "context.verified_principals.0",
    "context.verified_principals.0.expires_at",
    "context.verified_principals.0.merged_ids",
    "context.verified_principals.1",
    "context.verified_principals.1.expires_at",
    "context.verified_principals.1.merged_ids",
    "context.version",
    "fingerprint",
    "now",
    "operation",
    "own_policies",
    "own_policies.0",
    "own_policies.0.audience",
    "own_policies.0.audience.id",
    "own_policies.0.audience.kind",
    "own_policies.0.rules",
    "own_policies.0.rules.0",
    "own_policies.0.rules.0.grantee_id",
    "own_policies.0.state",
    "plan",
    "plan.agent_id",
    "plan.authority_revision",
    "plan.context_fingerprint",
    "plan.delivery_revision",
    "plan.expires_at",
    "plan.operation",
    "policies",
    "requirements",
    "requirements.0",
    "requirements.0.expected_epoch",
    "requirements.0.expected_revision",
    "requirements.0.policy_id",
    "revision",
    "revision.agent_id",
    "revision.expires_at",
    "revision.integrity",
    "revision.lineage",
    "revision.state",
    "revision.store_id",
    "section",
    "standing",
    "standing.authenticity",
    "standing.delivery_revision",
    "standing.egress_registry_revision",
    "standing.host_facts_revision",
    "standing.revoked_ids",
    "standing.session_identity_revision",
    "standing.subject_revision",
    "store",
    "store.agent_id",
    "store.state",
    "store.store_id",
    "view",
    "view.mounts",
    "view.withheld",
]


@pytest.mark.proves("policy:deny:on-error", "policy:pure")
@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda value: f"{type(value).__name__}-{value!s:.12}")
def test_garbage_anywhere_in_the_facts_is_decided_and_never_raises(garbage: object) -> None:
    """Whatever stands wherever, the answer is a decision."""
    for path in paths(FACTS):
        assert isinstance(decide(put(FACTS, path, garbage)), Allow | Deny)
        assert isinstance(refuse_context(put(FACTS, path, garbage)), Deny | None)


@pytest.mark.proves("policy:deny:on-error")
@pytest.mark.parametrize("place", LOOKED_AT)
def test_garbage_where_the_evaluator_looks_denies(place: str) -> None:
    """Nothing that a decision depends on can be left out, or be of another kind."""
    path = tuple(int(name) if name.isdigit() else name for name in place.split("."))

    assert isinstance(decide(FACTS), Allow)
    assert isinstance(decide(put(FACTS, path, Odd())), Deny)


@pytest.mark.proves("policy:deny:on-error", "case:POL-05")
@pytest.mark.parametrize("facts", [None, 3, "facts", object(), Odd(), object.__new__(Facts), (), {}])
def test_POL_05_what_are_no_facts_at_all_is_denied_as_nonconforming(facts: Facts) -> None:
    """Not even the context can be found, so the first step denies."""
    decision = decide(facts)

    assert isinstance(decision, Deny)
    assert (decision.reason, decision.step) == (Reason.BACKEND_NONCONFORMING, 1)
    assert [(entry.check, entry.outcome.value) for entry in decision.trace] == [("case_of", "failed")]
    assert decision == refuse_context(facts)


@pytest.mark.proves("policy:deny:on-error", "case:POL-05")
@pytest.mark.parametrize(
    "mess",
    [
        (None,),
        ("rule",),
        (object.__new__(Rule),),
        (object.__new__(Policy),),
        None,
        7,
    ],
)
def test_POL_05_rules_that_are_no_rules_deny_as_nonconforming(mess: tuple[Rule, ...]) -> None:
    """A member of a policy that is no rule might have forbidden."""
    own = (replace(FACTS.own_policies[0], rules=mess),)

    decision = decide(replace(FACTS, own_policies=own))

    assert isinstance(decision, Deny)
    assert (decision.reason, decision.step) == (Reason.BACKEND_NONCONFORMING, 7)


@pytest.mark.proves("policy:deny:on-error")
@pytest.mark.parametrize("mess", [(None,), (object.__new__(Policy),), None, 7])
def test_policies_that_are_no_policies_deny_as_nonconforming(mess: tuple[Policy, ...]) -> None:
    """What stands where a policy should be might have forbidden."""
    decision = decide(replace(FACTS, own_policies=mess))

    assert isinstance(decision, Deny)
    assert (decision.reason, decision.step) == (Reason.BACKEND_NONCONFORMING, 7)


@pytest.mark.proves("policy:deny:on-error")
def test_ids_of_rules_that_cannot_be_put_in_order_deny() -> None:
    """An allowance that cannot be explained is none."""
    mixed = (
        replace(rule(Effect.ALLOW, Operation.PUBLISH, ALICE), rule_id=3),
        rule(Effect.ALLOW, Operation.PUBLISH, ALICE),
    )
    asked = world(asks(Operation.PUBLISH), ALICES, *mixed)

    decision = decide(replace(asked, revision=None).facts)

    assert isinstance(decision, Deny)
    assert decision.reason is Reason.BACKEND_NONCONFORMING


@pytest.mark.proves("policy:pure")
def test_a_fault_that_is_no_fact_about_the_case_is_not_swallowed() -> None:
    """Exhausted memory or an interrupt reaches the edge of the process, where it means unavailable."""

    class Exhausted:
        """Facts whose context cannot be loaded for want of memory."""

        @property
        def context(self) -> object:
            raise MemoryError

    with pytest.raises(MemoryError):
        decide(Exhausted())  # pyright: ignore[reportArgumentType]
