"""The laws of policy sets: uniting, naming, and looking up again."""

from dataclasses import replace
from functools import reduce
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privity.model.audiences import Audience
from privity.model.ids import PolicyId, PolicyRevision, RevocationEpoch
from privity.model.policies import Policy, PolicySet, PolicyState, Requirement
from privity.policy.algebra import Evidence, bound_covers, covers, evidence_of, meet
from privity.policy.sets import ephemeral_set, live_requirement, make_set, placement_set, set_covers, unite
from tests.policy.samples import AUDIENCES, policy
from tests.property.counts import LAW, SECONDS
from tests.property.worlds import worlds

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

REACHES = st.sampled_from(AUDIENCES)
EVIDENCE = worlds(1).map(lambda world: evidence_of(world.context, world.now))


def captured_at(name: str, audience: Audience, revision: int, epoch: int) -> Policy:
    """Return a policy at some revision and epoch."""
    found = policy(name, audience)
    return replace(found, policy_revision=PolicyRevision(revision), revocation_epoch=RevocationEpoch(epoch))


POLICIES = st.builds(captured_at, st.sampled_from("abc"), REACHES, st.integers(1, 3), st.integers(1, 3))
SETS = st.lists(POLICIES.map(placement_set) | st.lists(REACHES, max_size=2).map(ephemeral_set), min_size=1, max_size=4)


def current(policies: list[Policy]) -> dict[PolicyId, Policy]:
    """Return policies as a catalog holds them: one for each id."""
    return {found.policy_id: found for found in policies}


@pytest.mark.proves("derive:inherits-set", "derive:compaction:deterministic-output")
@LAW
@given(sets=SETS, data=st.data())
def test_sets_unite_in_whatever_order_grouping_and_number(sets: list[PolicySet], data: st.DataObject) -> None:
    """Equal sources give one set with one name on every machine."""
    mixed = data.draw(st.permutations([*sets, *data.draw(st.lists(st.sampled_from(sets), max_size=2))]))
    cut = data.draw(st.integers(1, len(mixed)))
    left = reduce(unite, mixed[:cut])
    grouped = unite(left, reduce(unite, mixed[cut:])) if mixed[cut:] else left

    assert grouped == reduce(unite, sets)
    assert unite(grouped, grouped) == grouped


@pytest.mark.proves("policy:class:interned", "derive:compaction:deterministic-output")
@LAW
@given(sets=SETS)
def test_a_set_is_named_by_what_it_holds(sets: list[PolicySet]) -> None:
    """Two sets have one name exactly if they hold the same."""
    for one in sets:
        for other in sets:
            same = (one.requirements, one.bound) == (other.requirements, other.bound)
            assert (one.policy_set_id == other.policy_set_id) == same
        assert make_set(tuple(reversed(one.requirements)), one.bound) == one
        assert len(one.policy_set_id) == len("pst_") + 32


@pytest.mark.proves("policy:revision:never-a-standing-allow", "case:POL-10")
@LAW
@given(one=POLICIES, other=POLICIES)
def test_POL_10_of_one_policy_captured_twice_the_older_capture_stays(one: Policy, other: Policy) -> None:
    """A policy that has moved on since it was first captured denies, however often it was captured."""
    united = unite(placement_set(one), placement_set(replace(other, policy_id=one.policy_id)))
    captures = [(p.policy_revision, p.revocation_epoch) for p in (one, other)]

    assert [(r.expected_revision, r.expected_epoch) for r in united.requirements] == [min(captures)]


@pytest.mark.proves("derive:audience:never-broader", "policy:revision:never-a-standing-allow")
@LAW
@given(sets=SETS, catalog=st.lists(POLICIES), output=REACHES, evidence=EVIDENCE)
def test_a_united_set_covers_no_more_than_each_of_its_parts(
    sets: list[PolicySet], catalog: list[Policy], output: Audience, evidence: Evidence
) -> None:
    """What depends on everything may go only where each part may."""
    policies = current(catalog)
    newest = all(
        r.expected_revision <= policies[r.policy_id].policy_revision
        and r.expected_epoch <= policies[r.policy_id].revocation_epoch
        for part in sets
        for r in part.requirements
        if r.policy_id in policies
    )
    united = set_covers(reduce(unite, sets), output, policies, evidence)

    assert not united or not newest or all(set_covers(part, output, policies, evidence) for part in sets)


@pytest.mark.proves("derive:inherits-set", "derive:descendants:denied")
@LAW
@given(policies=st.lists(POLICIES, min_size=1, max_size=3), output=REACHES, evidence=EVIDENCE, data=st.data())
def test_a_set_covers_exactly_while_everything_in_it_is_as_captured(
    policies: list[Policy], output: Audience, evidence: Evidence, data: st.DataObject
) -> None:
    """Every policy live, every audience and the bound covering: then, and only then."""
    catalog = current(policies)
    united = reduce(unite, map(placement_set, catalog.values()))
    covered = all(covers(p.audience, output, evidence) for p in catalog.values())
    bound = reduce(meet, (placement_set(p).bound for p in catalog.values()))

    assert set_covers(united, output, catalog, evidence) == (covered and not bound.is_nobody)

    gone = data.draw(st.sampled_from(sorted(catalog)))
    for change in (
        {"state": PolicyState.REVOKED},
        {"policy_revision": catalog[gone].policy_revision + 1},
        {"revocation_epoch": catalog[gone].revocation_epoch + 1},
        {"policy_id": PolicyId("pol_other")},
    ):
        assert not set_covers(united, output, {**catalog, gone: replace(catalog[gone], **change)}, evidence)
    assert not set_covers(united, output, {k: v for k, v in catalog.items() if k != gone}, evidence)


@pytest.mark.proves("policy:revision:never-a-standing-allow")
@LAW
@given(captured=POLICIES, now=POLICIES)
def test_a_requirement_is_live_only_in_the_very_revision_and_epoch_it_was_captured(
    captured: Policy, now: Policy
) -> None:
    """Neither an older nor a newer policy stands in for the one that was captured."""
    requirement = Requirement(
        policy_id=captured.policy_id,
        expected_revision=captured.policy_revision,
        expected_epoch=captured.revocation_epoch,
    )
    same = (captured.policy_id, captured.policy_revision, captured.revocation_epoch) == (
        now.policy_id,
        now.policy_revision,
        now.revocation_epoch,
    )

    assert live_requirement(requirement, {now.policy_id: now}) == same


@pytest.mark.proves("policy:deny:empty-means-nothing")
@LAW
@given(audiences=st.lists(REACHES, max_size=3), output=REACHES, evidence=EVIDENCE)
def test_a_set_without_policies_covers_what_its_bound_covers_and_without_audiences_nothing(
    audiences: list[Audience], output: Audience, evidence: Evidence
) -> None:
    """Content placed nowhere durable is bound by its audiences alone; no audience is nobody."""
    found = ephemeral_set(audiences)
    bounded = bound_covers(found.bound, output, evidence)

    assert found.requirements == ()
    assert set_covers(found, output, {}, evidence) == bounded
    assert all(ephemeral_set(order) == found for order in permutations(audiences))
    assert audiences or found.bound.is_nobody
    assert not bounded or all(covers(a, output, evidence) for a in audiences)
