"""The laws of the evaluator, each over generated worlds."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privity.model.decisions import Allow, Deny
from privity.model.operations import MUTATIONS, Operation
from privity.model.policies import Effect
from privity.model.principals import PrincipalActor
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from privity.policy.facts import Facts, View
from privity.policy.lattice import required
from tests.policy.samples import ALICE, AUDIENCES, BOB, CHILD, CRON, rule
from tests.policy.world import World, with_context
from tests.property.bend import with_operation, with_own, with_rule
from tests.property.counts import LAW, SECONDS
from tests.property.worlds import worlds

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

Member = TypeVar("Member")
GRANTEES = st.sampled_from((None, ALICE, BOB, CRON, CHILD))
WORDS = st.sampled_from(Operation)
OUTPUTS = st.sampled_from(AUDIENCES)


def allows(facts: Facts) -> bool:
    """The evaluator permits."""
    return isinstance(decide(facts), Allow)


def shuffled(members: Sequence[Member], data: st.DataObject) -> tuple[Member, ...]:
    """Return the members in another order, some of them twice."""
    again = data.draw(st.lists(st.sampled_from(members), max_size=2)) if members else []
    return tuple(data.draw(st.permutations([*members, *again])))


@pytest.mark.proves("policy:deny:beats-allow", "case:POL-01")
@LAW
@given(world=worlds(), word=st.data())
def test_POL_01_a_live_deny_on_any_required_capability_beats_everything(world: World, word: st.DataObject) -> None:
    """Whatever else a world says, one deny about the actor denies it."""
    actor = world.context.actor
    capability = word.draw(st.sampled_from(sorted(required(world.operation))))
    grantee = actor.principal_id if isinstance(actor, PrincipalActor) and word.draw(st.booleans()) else None
    denied = with_rule(world, replace(rule(Effect.DENY, capability, grantee, name="law"), expires_at=None))

    assert not allows(denied.facts)


@pytest.mark.proves("policy:deny:default")
@LAW
@given(world=worlds())
def test_what_neither_placement_nor_a_rule_gives_is_denied(world: World) -> None:
    """With no capability mounted and no rule there is nothing left that could allow."""
    bare = with_own(world, *(replace(p, rules=()) for p in world.own_policies)).facts
    empty = View(mounts=dict.fromkeys(bare.view.mounts, frozenset[Operation]()), withheld=bare.view.withheld)

    assert not allows(replace(bare, view=empty))


@pytest.mark.proves("policy:deny:default", "policy:admin:no-ambient-read")
@LAW
@given(world=worlds(), words=st.frozensets(WORDS))
def test_every_required_capability_is_needed_and_no_other_helps(world: World, words: frozenset[Operation]) -> None:
    """A mount without rules allows only what it has every required capability for."""
    bare = with_own(world, *(replace(p, rules=()) for p in world.own_policies)).facts
    mounts = dict.fromkeys(bare.view.mounts, words)
    allowed = allows(replace(bare, view=View(mounts=mounts, withheld=bare.view.withheld)))

    assert not allowed or required(world.operation) <= words - {Operation.PUBLISH, Operation.POLICY_ADMIN}


@pytest.mark.proves("policy:deny:beats-allow", "case:POL-01")
@LAW
@given(world=worlds(), data=st.data())
def test_POL_01_order_and_duplicates_do_not_matter(world: World, data: st.DataObject) -> None:
    """Rules, policies, audiences, members, people, requirements and stores are sets."""
    facts, context = world.facts, world.context
    mixed = replace(
        with_context(
            world,
            verified_principals=shuffled(context.verified_principals, data),
            verified_memberships=shuffled(context.verified_memberships, data),
            delivery=replace(context.delivery, audiences=shuffled(context.delivery.audiences, data)),
        ),
        own_policies=shuffled([replace(p, rules=shuffled(p.rules, data)) for p in world.own_policies], data),
        requirements=shuffled(world.requirements, data),
        stores=shuffled(world.stores, data),
    )

    assert decide(mixed.facts) == decide(facts)


@pytest.mark.proves("policy:lattice:implications")
@LAW
@given(world=worlds())
def test_who_may_derive_may_read_and_who_may_read_may_retrieve(world: World) -> None:
    """The lattice holds through every step, for the same revision, plan and output."""
    for wider, narrower in (
        (Operation.DERIVE, Operation.READ),
        (Operation.EXPORT, Operation.READ),
        (Operation.READ, Operation.RETRIEVE),
    ):
        assume(world.revision is not None)
        assert not allows(with_operation(world, wider).facts) or allows(with_operation(world, narrower).facts)


@pytest.mark.proves("policy:lattice:independent", "case:WRITE-01")
@LAW
@given(world=worlds())
def test_WRITE_01_what_is_independent_follows_from_nothing(world: World) -> None:
    """With one capability mounted and no rules, only what that capability alone is for is allowed."""
    bare = with_own(world, *(replace(p, rules=()) for p in world.own_policies)).facts
    for word in Operation:
        mounts = {store_id: frozenset({word}) for store_id in bare.view.mounts}
        alone = replace(bare, view=View(mounts=mounts, withheld={}))
        assert not allows(alone) or required(world.operation) == {word}


@pytest.mark.proves("case:API-11", "policy:pure", "policy:no-cache")
@LAW
@given(batch=st.lists(worlds(), min_size=2, max_size=5), data=st.data())
def test_API_11_a_batch_is_decided_as_each_alone_in_every_order(batch: list[World], data: st.DataObject) -> None:
    """No decision leaves anything behind that another could see."""
    alone = [decide(world.facts) for world in batch]
    order = data.draw(st.permutations(range(len(batch))))
    together = {place: decide(batch[place].facts) for place in order}

    assert [together[place] for place in range(len(batch))] == alone


@pytest.mark.proves("session:ambiguous:view", "session:incognito:narrows", "case:ID-20")
@LAW
@given(world=worlds())
def test_ID_20_nobody_in_particular_changes_anything(world: World) -> None:
    """Without an actor, without a subject or without a trace there is no mutation, whatever rules say."""
    for word in sorted(MUTATIONS):
        asked = with_operation(world, word)
        decision = decide(asked.facts)
        if isinstance(decision, Allow):
            assert isinstance(asked.context.actor, PrincipalActor)
            assert asked.context.visibility == "normal"
            assert type(asked.context.session_subject).__name__ != "AmbiguousSubject"


@pytest.mark.proves("policy:reasons:closed", "policy:trace")
@LAW
@given(world=worlds())
def test_every_denial_has_a_reason_of_the_closed_set(world: World) -> None:
    """Whatever the facts, the reason is one of ours and the step one of eleven."""
    decision = decide(world.facts)

    assert isinstance(decision, Allow | Deny)
    if isinstance(decision, Deny):
        assert decision.reason in Reason
        assert 1 <= decision.step <= 10
