"""The eleven steps in order: which check fails first, at which step, with which reason and trace."""

from typing import Final

import pytest

from privity.model.decisions import Allow, Deny, Outcome, TraceEntry
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.policy.evaluator import CHECKS, decide
from privity.policy.first_step import refuse_context
from tests.policy.failing import FAILING, READ
from tests.policy.samples import (
    AGENT,
    ALICE,
    BOB,
    SHARED,
    asks,
    rule,
    world,
)
from tests.policy.world import NOW, with_context
from tests.property.bend import with_policy
from tests.property.permitted import new

ORDER: Final = (
    "1 backend-nonconforming words_are_known",
    "1 invalid-context context_is_genuine",
    "1 invalid-context context_is_in_time",
    "1 invalid-context merges_are_coherent",
    "1 session-rebound session_is_current",
    "1 delivery-rebound delivery_is_current",
    "1 identity-revoked host_facts_are_current",
    "1 identity-revoked identities_are_current",
    "1 default-deny delegation_permits",
    "2 invalid-context plan_is_bound",
    "2 delivery-rebound plan_delivers_there",
    "2 plan-expired plan_is_current",
    "3 identity-revoked identity_withholds_nothing",
    "3 membership-stale membership_withholds_nothing",
    "3 outside-view nothing_withholds",
    "4 outside-view store_is_mounted",
    "4 outside-view store_is_inside",
    "4 outside-view revision_is_inside",
    "4 outside-view somebody_is_known",
    "5 revision-stale revision_is_readable",
    "6 default-deny session_is_visible",
    "6 default-deny mutation_is_permitted",
    "6 default-deny card_is_its_owners",
    "7 backend-nonconforming rules_are_understood",
    "7 explicit-deny nothing_denies",
    "8 default-deny everything_is_granted",
    "9 audience-widened audiences_are_covered",
    "10 lineage-deny lineage_is_intact",
    "10 lineage-deny requirements_are_live",
    "10 backend-nonconforming inherited_rules_are_understood",
    "10 lineage-deny inherited_rules_deny_nothing",
    "10 lineage-deny derivation_has_an_audience",
)


@pytest.mark.proves("policy:order:eleven-steps", "policy:order:context-first")
def test_the_checks_stand_in_the_order_of_the_specification() -> None:
    """The order, the steps and the reasons are fixed: a change of any of them shows here."""
    assert tuple(f"{step} {reason} {holds.__name__}" for step, reason, holds in CHECKS) == ORDER


@pytest.mark.proves("policy:order:eleven-steps", "policy:trace")
@pytest.mark.parametrize("row", ORDER)
def test_each_check_denies_a_case_that_only_it_objects_to(row: str) -> None:
    """Every check is the first to fail somewhere, and its denial names step, reason and check."""
    step, reason, check = row.split()

    decision = decide(FAILING[check])

    assert isinstance(decision, Deny)
    assert f"{decision.step} {decision.reason} {decision.trace[-1].check}" == f"{step} {reason} {check}"


@pytest.mark.proves("policy:trace")
@pytest.mark.parametrize("row", ORDER)
def test_a_denial_carries_the_checks_that_passed_and_the_one_that_failed(row: str) -> None:
    """The trace ends with the failure, and everything before it passed."""
    check = row.split()[2]

    decision = decide(FAILING[check])

    names = [line.split()[2] for line in ORDER]
    steps = [int(line.split()[0]) for line in ORDER]
    last = names.index(check)
    passed = [
        TraceEntry(step=step, check=name, outcome=Outcome.PASSED)
        for step, name in zip(steps[:last], names[:last], strict=True)
    ]
    assert list(decision.trace) == [
        *passed,
        TraceEntry(step=steps[last], check=check, outcome=Outcome.FAILED),
    ]


@pytest.mark.proves("policy:trace")
def test_an_allowance_carries_every_check_as_passed() -> None:
    """The trace of an allowed operation is the whole order."""
    decision = decide(READ.facts)

    assert isinstance(decision, Allow)
    assert [f"{entry.step} {entry.check} {entry.outcome}" for entry in decision.trace] == [
        f"{row.split()[0]} {row.split()[2]} passed" for row in ORDER
    ]


@pytest.mark.proves("policy:trace")
def test_determining_rules_are_those_that_deny_each_once_and_in_order() -> None:
    """A denial by rules names the live rules about this actor and no others."""
    rules = (
        rule(Effect.DENY, Operation.READ, ALICE, name="b"),
        rule(Effect.DENY, Operation.RETRIEVE, None, name="a"),
        rule(Effect.DENY, Operation.READ, ALICE, name="b"),
        rule(Effect.DENY, Operation.READ, BOB, name="c"),
        rule(Effect.DENY, Operation.DELETE, ALICE, name="d"),
        rule(Effect.ALLOW, Operation.READ, ALICE, name="e"),
    )

    decision = decide(with_policy(READ, rules=rules).facts)

    assert decision.determining_rules == ("rul_a", "rul_b")


@pytest.mark.proves("policy:trace")
def test_determining_rules_of_an_allowance_are_those_that_placement_lacked() -> None:
    """Where placement is enough no rule determines; where it is not, the needed allows do."""
    rules = (
        rule(Effect.ALLOW, Operation.PUBLISH, ALICE, name="b"),
        rule(Effect.ALLOW, Operation.PUBLISH, ALICE, name="a"),
        rule(Effect.ALLOW, Operation.READ, ALICE, name="c"),
    )

    published = decide(new(world(asks(Operation.PUBLISH), SHARED, *rules)).facts)
    read = decide(world(asks(Operation.READ), SHARED, *rules).facts)

    assert published.determining_rules == ("rul_a", "rul_b")
    assert read.determining_rules == ()


@pytest.mark.proves("policy:trace")
def test_a_denial_for_another_reason_names_no_rules() -> None:
    """Only an explicit deny has rules to show."""
    denied = with_policy(READ, rules=(rule(Effect.DENY, Operation.READ, ALICE),))

    decision = decide(with_context(denied, agent_id=AGENT, expires_at=NOW).facts)

    assert decision.determining_rules == ()


@pytest.mark.proves("policy:order:context-first")
@pytest.mark.parametrize("row", ORDER)
def test_the_first_step_alone_objects_exactly_to_what_it_is_about(row: str) -> None:
    """It denies as the whole order does where a check of step 1 fails, and is silent otherwise."""
    step, _, check = row.split()
    facts = FAILING[check]

    assert refuse_context(facts) == (decide(facts) if step == "1" else None)
