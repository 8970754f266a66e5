"""What can only take away: a deny, a lost mount, an end, a raised epoch, one output or parent more."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privity.model.audiences import Audience
from privity.model.decisions import Allow
from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.model.principals import PrincipalActor
from privity.policy.evaluator import decide
from privity.policy.facts import Facts, View
from tests.policy.samples import ALICE, AUDIENCES, BOB, CHILD, CRON, policy, rule
from tests.policy.world import World, with_context
from tests.property.bend import with_own, with_revision, with_rule
from tests.property.counts import LAW, SECONDS
from tests.property.people import also_sent_to
from tests.property.permitted import depending_on
from tests.property.worlds import worlds

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

Member = TypeVar("Member")
GRANTEES = st.sampled_from((None, ALICE, BOB, CRON, CHILD))
WORDS = st.sampled_from(Operation)
OUTPUTS = st.sampled_from(AUDIENCES)


def allows(facts: Facts) -> bool:
    """The evaluator permits."""
    return isinstance(decide(facts), Allow)


def narrows(before: World, after: World) -> bool:
    """What was denied before is denied after."""
    return allows(before.facts) or not allows(after.facts)


@pytest.mark.proves("policy:deny:beats-allow")
@LAW
@given(world=worlds(), capability=WORDS, grantee=GRANTEES)
def test_adding_a_deny_only_takes_away(world: World, capability: Operation, grantee: PrincipalId | None) -> None:
    """No deny makes anything possible."""
    assert narrows(world, with_rule(world, rule(Effect.DENY, capability, grantee, name="law")))


@pytest.mark.proves("policy:view:intersection", "policy:order:boundary-holds")
@LAW
@given(world=worlds(), words=st.frozensets(WORDS))
def test_removing_a_mount_or_a_capability_only_takes_away(world: World, words: frozenset[Operation]) -> None:
    """No view makes anything possible that a wider one denies."""
    facts = world.facts
    smaller = {store_id: has & words for store_id, has in facts.view.mounts.items()}
    without = replace(facts, view=View(mounts={}, withheld=facts.view.withheld))
    narrower = replace(facts, view=View(mounts=smaller, withheld=facts.view.withheld))

    assert not allows(without)
    assert allows(facts) or not allows(narrower)


@pytest.mark.proves("case:POL-02", "lifecycle:expire:on-read")
@LAW
@given(world=worlds(), ended=st.sampled_from(("actor", "people", "members", "revision", "plan", "context")))
def test_POL_02_passing_an_expiry_only_takes_away(world: World, ended: str) -> None:
    """Whatever ends now denies as if it had ended long ago, and nothing gains by it."""
    assert narrows(world, ENDINGS[ended](world))


def with_ended_actor(world: World) -> World:
    """Return the world in which the evidence for the actor has just ended."""
    actor = world.context.actor
    ended = replace(actor, expires_at=world.now) if isinstance(actor, PrincipalActor) else actor
    return with_context(world, actor=ended)


def with_ended_people(world: World) -> World:
    """Return the world in which the evidence for everybody has just ended."""
    people = world.context.verified_principals
    return with_context(world, verified_principals=tuple(replace(p, expires_at=world.now) for p in people))


def with_ended_members(world: World) -> World:
    """Return the world in which every membership has just ended."""
    members = world.context.verified_memberships
    return with_context(world, verified_memberships=tuple(replace(m, expires_at=world.now) for m in members))


ENDINGS: dict[str, Callable[[World], World]] = {
    "actor": with_ended_actor,
    "people": with_ended_people,
    "members": with_ended_members,
    "revision": lambda world: with_revision(world, expires_at=world.now),
    "plan": lambda world: replace(world, plan=replace(world.plan, expires_at=world.now)),
    "context": lambda world: with_context(world, expires_at=world.now),
}


@pytest.mark.proves("case:POL-11")
@LAW
@given(world=worlds(), minutes=st.integers(min_value=0, max_value=240))
def test_POL_11_time_that_passes_gives_nothing_but_the_end_of_a_deny(world: World, minutes: int) -> None:
    """Without denies and with evidence from the past, a later instant allows no more than an earlier one."""
    without_denies = with_own(
        world, *(replace(p, rules=tuple(r for r in p.rules if r.effect is Effect.ALLOW)) for p in world.own_policies)
    )
    plain = replace(without_denies, requirements=())
    begun = all(m.observed_at <= world.now for m in world.context.verified_memberships)
    assume(begun and world.context.issued_at <= world.now)

    assert narrows(plain, replace(plain, now=world.now + timedelta(minutes=minutes)))


@pytest.mark.proves("policy:revision:never-a-standing-allow", "derive:inherits-set")
@LAW
@given(world=worlds(), raised=st.integers(min_value=1, max_value=3))
def test_raising_a_revocation_epoch_denies_whatever_depends_on_it(world: World, raised: int) -> None:
    """A text that inherits any policy is denied the moment that policy's epoch moves."""
    source = policy("law", AUDIENCES[8])
    dependent = depending_on(world, source)
    moved = replace(source, revocation_epoch=source.revocation_epoch + raised)
    revoked = replace(dependent, policies={**dependent.policies, source.policy_id: moved})

    assert not allows(revoked.facts)
    assert narrows(dependent, revoked)


@pytest.mark.proves("policy:order:audience-covers", "case:READ-23", "transcript:label:actor-is-not-audience")
@LAW
@given(world=worlds(), output=OUTPUTS)
def test_adding_an_output_audience_only_takes_away(world: World, output: Audience) -> None:
    """Whoever else receives the reply can only make it impossible."""
    assert narrows(world, also_sent_to(world, output)) or len(world.context.delivery.audiences) == 0


@pytest.mark.proves("policy:deny:empty-means-nothing")
@LAW
@given(world=worlds())
def test_an_output_to_nowhere_is_denied(world: World) -> None:
    """An empty list of audiences means nobody, never everybody."""
    silent = with_context(world, delivery=replace(world.context.delivery, audiences=()))

    assert not allows(silent.facts)


@pytest.mark.proves("policy:order:inherited-requirements", "derive:audience:never-broader")
@LAW
@given(world=worlds(), reaches=OUTPUTS)
def test_adding_a_parent_only_takes_away(world: World, reaches: Audience) -> None:
    """One source more can only make a derived text reach fewer."""
    assert narrows(world, depending_on(world, policy("law", reaches)))
