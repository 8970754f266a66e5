"""The eleven steps in order: which check fails first, at which step, with which reason and trace."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.context import CollaborationMode, CollaborationRole
from privity.model.decisions import Allow, Deny, Outcome, TraceEntry
from privity.model.ids import AuthorityRevision, DeliveryRevision, Fingerprint, HostFactsRevision, StoreId
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.resources import Lineage, RevisionState
from privity.model.standing import Authenticity
from privity.policy.evaluator import CHECKS, decide
from privity.policy.facts import Facts, View
from tests.policy.samples import (
    AGENT,
    ALICE,
    ALICES,
    BOB,
    BOBS,
    FOREIGN,
    INSIDE,
    ROOMS,
    SHARED,
    STAFFS,
    TO_ALICE,
    TO_BOB,
    TO_CELL,
    asks,
    nobody_asks,
    person,
    room_asks,
    rule,
    verified,
    world,
)
from tests.policy.world import NOW, World, with_context
from tests.property.bend import with_actor, with_delegation, with_plan, with_policy, with_revision, with_standing
from tests.property.engine_steps import derived_from
from tests.property.people import lasting, sent_to, with_people
from tests.property.permitted import collaborating, new, on_card

READ: Final = world(asks(Operation.READ), ALICES)
APPEND: Final = new(world(asks(Operation.APPEND), ALICES))
ROOM: Final = world(room_asks(Operation.READ), ROOMS)
CARD: Final = on_card(new(world(room_asks(Operation.APPEND), ROOMS)))
NAMELESS: Final = rule(Effect.ALLOW, Operation.READ, None)


def withholding(here: World, reason: Reason) -> Facts:
    """Return facts whose view withholds the store."""
    return replace(here.facts, view=View(mounts={}, withheld={here.store.store_id: reason}))


FAILING: Final[dict[str, Facts]] = {
    "words_are_known": replace(READ.facts, section="note"),
    "context_is_genuine": with_standing(READ, authenticity=Authenticity.FORGED).facts,
    "context_is_in_time": with_context(READ, expires_at=NOW).facts,
    "merges_are_coherent": with_people(READ, verified(ALICE, BOB), verified(BOB)).facts,
    "session_is_current": with_standing(READ, subject_revision=None).facts,
    "delivery_is_current": with_standing(READ, delivery_revision=DeliveryRevision("der_2")).facts,
    "host_facts_are_current": with_standing(READ, host_facts_revision=HostFactsRevision(6)).facts,
    "identities_are_current": with_actor(READ, expires_at=NOW).facts,
    "delegation_permits": with_delegation(READ, depth=9).facts,
    "plan_is_bound": with_plan(READ, context_fingerprint=Fingerprint("0" * 64)).facts,
    "plan_delivers_there": with_plan(READ, delivery_revision=DeliveryRevision("der_2")).facts,
    "plan_is_current": with_plan(READ, authority_revision=AuthorityRevision(8)).facts,
    "identity_withholds_nothing": withholding(READ, Reason.IDENTITY_REVOKED),
    "membership_withholds_nothing": lasting(ROOM, NOW).facts,
    "nothing_withholds": with_context(READ, actor=person(BOB)).facts,
    "store_is_mounted": world(asks(Operation.READ), BOBS).facts,
    "store_is_inside": replace(READ.facts, agent_id=FOREIGN),
    "revision_is_inside": with_revision(READ, store_id=StoreId("sto_room")).facts,
    "somebody_is_known": world(nobody_asks(Operation.READ), SHARED).facts,
    "revision_is_readable": with_revision(READ, state=RevisionState.TOMBSTONED).facts,
    "session_is_visible": collaborating(READ, CollaborationMode.DRAFT, CollaborationRole.VIEWER).facts,
    "mutation_is_permitted": collaborating(APPEND, CollaborationMode.READ_ONLY, CollaborationRole.OWNER).facts,
    "card_is_its_owners": with_context(CARD, conversation=None).facts,
    "rules_are_understood": with_policy(READ, rules=(NAMELESS,)).facts,
    "nothing_denies": with_policy(READ, rules=(rule(Effect.DENY, Operation.RETRIEVE, ALICE),)).facts,
    "everything_is_granted": new(world(asks(Operation.APPEND), STAFFS)).facts,
    "audiences_are_covered": sent_to(READ, TO_ALICE, TO_BOB).facts,
    "lineage_is_intact": with_revision(READ, lineage=Lineage.BROKEN).facts,
    "requirements_are_live": derived_from(READ, TO_BOB).facts,
    "inherited_rules_are_understood": derived_from(READ, TO_CELL, NAMELESS).facts,
    "inherited_rules_deny_nothing": derived_from(READ, TO_CELL, rule(Effect.DENY, Operation.READ, ALICE)).facts,
    "derivation_has_an_audience": derived_from(
        sent_to(new(world(asks(Operation.DERIVE), ALICES)), INSIDE), TO_BOB
    ).facts,
}
"""For each check a case in which it is the first that fails."""

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
