"""Rules: which apply, until when, and to whom."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pytest

from privity.model.decisions import Allow, Deny
from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from tests.policy.ruled import outcome, publish_under, read_under, until
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    ALICES,
    BOB,
    ROOMS,
    SHARED,
    SOMEBODY,
    TO_CELL,
    asks,
    policy,
    room_asks,
    rule,
    world,
)
from tests.policy.world import NOW, with_context
from tests.property.bend import with_own, with_policy
from tests.property.permitted import depending_on, new

MOMENT: Final = timedelta(microseconds=1)


@pytest.mark.proves("case:POL-01", "policy:deny:beats-allow")
@pytest.mark.parametrize("denials", [1, 2])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_POL_01_deny_wins_in_every_place_and_number(place: int, denials: int) -> None:
    """Before, between and after allows, once or twice."""
    allow = rule(Effect.ALLOW, Operation.READ, ALICE)
    deny = rule(Effect.DENY, Operation.READ, ALICE, name="deny")
    rules = [allow, allow]
    rules[place:place] = [deny] * denials

    assert outcome(read_under(*rules)) is Reason.EXPLICIT_DENY


@pytest.mark.proves("case:POL-01", "policy:deny:beats-allow")
def test_POL_01_a_deny_in_any_own_policy_wins() -> None:
    """The placement policy and a narrowing one are asked alike."""
    deny = rule(Effect.DENY, Operation.READ, None)
    first, second = policy("placement", TO_CELL), policy("second", TO_CELL, deny)

    assert outcome(with_own(read_under(), first, second)) is Reason.EXPLICIT_DENY
    assert outcome(with_own(read_under(), second, first)) is Reason.EXPLICIT_DENY


@pytest.mark.proves("case:POL-01", "policy:lattice:implications")
@pytest.mark.parametrize(
    ("capability", "reason"),
    [
        (Operation.RETRIEVE, Reason.EXPLICIT_DENY),
        (Operation.READ, Reason.EXPLICIT_DENY),
        (Operation.DERIVE, None),
        (Operation.EXPORT, None),
        (Operation.DELETE, None),
    ],
)
def test_POL_01_a_deny_on_any_required_capability_denies(capability: Operation, reason: Reason | None) -> None:
    """Reading needs retrieving; it does not need deriving."""
    assert outcome(read_under(rule(Effect.DENY, capability, ALICE))) is reason


@pytest.mark.proves("case:POL-02", "lifecycle:expire:on-read")
@pytest.mark.parametrize(("end", "denied"), [(None, True), (NOW + MOMENT, True), (NOW, False), (NOW - MOMENT, False)])
def test_POL_02_a_deny_holds_until_and_not_at_the_instant_it_ends(end: datetime | None, denied: bool) -> None:
    """The clock is the time in the facts, and the end itself is no longer inside."""
    reason = outcome(read_under(until(end, Effect.DENY, Operation.READ)))

    assert (reason is Reason.EXPLICIT_DENY) == denied
    assert denied or reason is None


@pytest.mark.proves("case:POL-02", "lifecycle:expire:on-read")
@pytest.mark.parametrize(("end", "allowed"), [(None, True), (NOW + MOMENT, True), (NOW, False), (NOW - MOMENT, False)])
def test_POL_02_an_allow_holds_until_and_not_at_the_instant_it_ends(end: datetime | None, allowed: bool) -> None:
    """A grant that ends now has ended."""
    reason = outcome(publish_under(until(end, Effect.ALLOW, Operation.PUBLISH)))

    assert reason is (None if allowed else Reason.DEFAULT_DENY)


@pytest.mark.proves("case:POL-02")
def test_POL_02_the_time_of_the_facts_is_the_only_clock() -> None:
    """The same rule denies and allows as the stated time moves over its end."""
    here = read_under(until(NOW + MOMENT, Effect.DENY, Operation.READ))

    assert outcome(replace(here, now=NOW)) is Reason.EXPLICIT_DENY
    assert outcome(replace(here, now=NOW + MOMENT)) is None


@pytest.mark.proves("policy:deny:default", "share:publish:capability", "policy:admin:no-ambient-read")
@pytest.mark.parametrize("capability", [Operation.PUBLISH, Operation.POLICY_ADMIN])
def test_publishing_and_administering_come_from_a_rule_that_names_the_actor(capability: Operation) -> None:
    """Not from a mount that would give it, and not from a rule for somebody else."""
    asked = new(world(asks(capability), SHARED))
    mounted = replace(asked.facts.view, mounts={SHARED.store_id: frozenset(Operation)})
    granted = with_policy(asked, rules=(rule(Effect.ALLOW, capability, ALICE),))

    assert outcome(asked) is Reason.DEFAULT_DENY
    assert isinstance(decide(replace(asked.facts, view=mounted)), Deny)
    assert outcome(with_policy(asked, rules=(rule(Effect.ALLOW, capability, BOB),))) is Reason.DEFAULT_DENY
    assert isinstance(decide(granted.facts), Allow)


@pytest.mark.proves("policy:admin:no-ambient-read", "policy:lattice:independent")
def test_who_administers_policy_does_not_thereby_publish_or_delete() -> None:
    """Each of the independent capabilities needs its own grant."""
    admin = rule(Effect.ALLOW, Operation.POLICY_ADMIN, ALICE)

    assert outcome(publish_under(admin)) is Reason.DEFAULT_DENY
    assert outcome(world(asks(Operation.DELETE), SHARED, admin)) is Reason.DEFAULT_DENY


@pytest.mark.proves("policy:deny:default")
@pytest.mark.parametrize("grantee", [ALICE, ALICE_BEFORE])
def test_a_rule_names_a_person_under_any_of_their_ids(grantee: PrincipalId) -> None:
    """Allows and denies follow the merge head."""
    assert outcome(publish_under(rule(Effect.ALLOW, Operation.PUBLISH, grantee))) is None
    assert outcome(read_under(rule(Effect.DENY, Operation.READ, grantee))) is Reason.EXPLICIT_DENY


@pytest.mark.proves("policy:deny:default", "case:ID-20")
def test_ID_20_an_unattributed_speaker_is_named_by_no_rule_but_one_for_everybody() -> None:
    """An allow for somebody is not for nobody; a deny for everybody is."""
    looking = with_context(world(room_asks(Operation.READ), ROOMS), actor=SOMEBODY)
    exporting = with_context(world(room_asks(Operation.EXPORT), ROOMS), actor=SOMEBODY)
    allow = rule(Effect.ALLOW, Operation.EXPORT, ALICE)

    assert outcome(looking) is None
    assert outcome(with_policy(looking, rules=(rule(Effect.DENY, Operation.READ, ALICE),))) is None
    assert outcome(with_policy(looking, rules=(rule(Effect.DENY, Operation.READ, None),))) is Reason.EXPLICIT_DENY
    assert outcome(with_policy(exporting, rules=(allow,))) is Reason.DEFAULT_DENY


@pytest.mark.proves("case:POL-13")
@pytest.mark.parametrize("loud", ["USR_ALICE", "usr_Alice", "usr_alice ", " usr_alice", "usr_alic", "usr_alice_", ""])
def test_POL_13_a_rule_for_an_id_that_only_looks_alike_is_for_somebody_else(loud: str) -> None:
    """Ids are compared exactly: not without case, spaces, or as prefixes."""
    allow = rule(Effect.ALLOW, Operation.PUBLISH, PrincipalId(loud))

    assert outcome(publish_under(allow)) is Reason.DEFAULT_DENY


@pytest.mark.proves("case:POL-10", "policy:revision:never-a-standing-allow", "derive:inherits-set")
def test_POL_10_a_new_deny_on_a_stable_policy_beats_an_old_captured_allow() -> None:
    """What was derived while the source allowed is denied once the source denies."""
    allowing = policy("source", TO_CELL, rule(Effect.ALLOW, Operation.READ, ALICE))
    denying = replace(allowing, rules=(rule(Effect.DENY, Operation.READ, ALICE),))
    derived = depending_on(read_under(), allowing)

    next_revision = replace(denying, policy_revision=allowing.policy_revision + 1)
    amended = replace(derived, policies={allowing.policy_id: next_revision})
    rewritten = replace(derived, policies={allowing.policy_id: denying})

    assert outcome(derived) is None
    assert outcome(amended) is Reason.LINEAGE_DENY
    assert outcome(rewritten) is Reason.LINEAGE_DENY


@pytest.mark.proves("policy:order:inherited-requirements", "derive:audience:never-broader")
@pytest.mark.parametrize("capability", Operation)
def test_a_deny_on_a_source_follows_its_content_and_nothing_else(capability: Operation) -> None:
    """Who may not read the source may not read what came of it; deleting that is another matter."""
    source = policy("source", TO_CELL, rule(Effect.DENY, capability, ALICE))
    about_content = {Operation.RETRIEVE, Operation.READ}

    assert outcome(depending_on(read_under(), source)) is (Reason.LINEAGE_DENY if capability in about_content else None)
    assert outcome(depending_on(world(asks(Operation.DELETE), ALICES), source)) is None
