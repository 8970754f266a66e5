"""The laws of audiences: meeting bounds, and covering outputs."""

from functools import reduce

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privity.model.audiences import NOBODY, Audience, AudienceBound, AudienceKind
from privity.model.reasons import Reason
from privity.policy.algebra import (
    Evidence,
    bound_covers,
    bound_of,
    canonical,
    canonical_bound,
    covers,
    evidence_of,
    meet,
)
from tests.policy.reference import judge
from tests.policy.reference_reach import clash, reach
from tests.policy.samples import AUDIENCES, TO_CELL
from tests.policy.world import World
from tests.property.counts import LAW, SECONDS
from tests.property.worlds import worlds

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

REACHES = st.sampled_from(AUDIENCES)
BOUNDS = st.lists(REACHES, max_size=4).map(
    lambda audiences: reduce(meet, map(bound_of, audiences)) if audiences else NOBODY
)
EVIDENCE = worlds().map(lambda world: evidence_of(world.context, world.now))


@pytest.mark.proves("derive:audience:intersection")
@LAW
@given(one=BOUNDS, other=BOUNDS, third=BOUNDS)
def test_bounds_meet_in_whatever_order_and_number(
    one: AudienceBound, other: AudienceBound, third: AudienceBound
) -> None:
    """Meeting is associative, commutative and idempotent, and nobody stays nobody."""
    assert meet(one, meet(other, third)) == meet(meet(one, other), third)
    assert meet(one, other) == meet(other, one)
    assert meet(one, one) == one
    assert meet(one, NOBODY) == NOBODY


@pytest.mark.proves("derive:audience:never-broader", "derive:audience:intersection")
@LAW
@given(one=BOUNDS, other=BOUNDS, output=REACHES, evidence=EVIDENCE)
def test_what_two_bounds_leave_is_never_broader_than_either(
    one: AudienceBound, other: AudienceBound, output: Audience, evidence: Evidence
) -> None:
    """A met bound covers an output only where both do, and unless nothing is left, wherever both do."""
    both = bound_covers(one, output, evidence) and bound_covers(other, output, evidence)
    met = meet(one, other)

    assert bound_covers(met, output, evidence) == (both and not met.is_nobody)


@pytest.mark.proves("derive:audience:intersection")
@LAW
@given(audiences=st.lists(REACHES, min_size=1, max_size=4), world=worlds())
def test_nobody_is_left_exactly_where_two_audiences_clash(audiences: list[Audience], world: World) -> None:
    """The reference, which looks at pairs, finds a clash exactly where the conjunction is empty."""
    assume(judge(world.facts) != (Reason.INVALID_CONTEXT, 1))
    evidence = evidence_of(world.context, world.now)
    bounds = [bound_of(canonical(audience, evidence)) for audience in audiences]

    clashes = any(clash(world.context, a, b) for a in audiences for b in audiences)
    assert reduce(meet, bounds).is_nobody == clashes


@pytest.mark.proves("policy:order:audience-covers")
@LAW
@given(audience=REACHES, output=REACHES, world=worlds())
def test_an_audience_covers_what_the_reference_says_it_reaches(
    audience: Audience, output: Audience, world: World
) -> None:
    """Every pair of audiences agrees with the second evaluator."""
    assume(judge(world.facts) != (Reason.INVALID_CONTEXT, 1))
    evidence = evidence_of(world.context, world.now)

    assert covers(audience, output, evidence) == (output in reach(world.facts, audience, (output,)))


@pytest.mark.proves("policy:order:audience-covers")
@LAW
@given(audience=REACHES, evidence=EVIDENCE)
def test_every_audience_of_the_cell_covers_the_inside_and_itself(audience: Audience, evidence: Evidence) -> None:
    """What stays inside the cell is covered by whatever belongs to the cell."""
    foreign = audience.kind in (AudienceKind.AGENT_SHARED, AudienceKind.INTERNAL) and audience.id != evidence.agent_id
    inside = Audience(kind=AudienceKind.INTERNAL, id=evidence.agent_id)

    assert covers(audience, inside, evidence) == (not foreign)
    assert covers(audience, audience, evidence) == (not foreign)


@pytest.mark.proves("store:kind:agent-shared", "policy:order:audience-covers")
@LAW
@given(output=REACHES, evidence=EVIDENCE)
def test_the_inside_reaches_nothing_but_itself_and_the_cell_reaches_its_own(
    output: Audience, evidence: Evidence
) -> None:
    """Internal is the narrowest audience and agent-shared the widest."""
    inside = Audience(kind=AudienceKind.INTERNAL, id=evidence.agent_id)
    cell = Audience(kind=AudienceKind.AGENT_SHARED, id=evidence.agent_id)
    foreign = output.kind in (AudienceKind.AGENT_SHARED, AudienceKind.INTERNAL) and output.id != evidence.agent_id

    assert covers(inside, output, evidence) == (output == inside)
    assert covers(cell, output, evidence) == (not foreign)


@pytest.mark.proves("derive:audience:intersection")
@LAW
@given(one=BOUNDS, evidence=EVIDENCE, output=REACHES)
def test_naming_people_by_their_merge_head_changes_nothing_they_cover(
    one: AudienceBound, evidence: Evidence, output: Audience
) -> None:
    """Under the head the same outputs are covered, by the same people or fewer names of them."""
    assert bound_covers(canonical_bound(one, evidence), output, evidence) == bound_covers(one, output, evidence)


@pytest.mark.proves("case:POL-13")
@LAW
@given(audience=REACHES, evidence=EVIDENCE)
def test_POL_13_ids_that_differ_only_in_case_are_never_equal(audience: Audience, evidence: Evidence) -> None:
    """No audience but the whole cell's covers the same id in capitals."""
    loud = Audience(kind=audience.kind, id=audience.id.upper())

    assert not covers(audience, loud, evidence) or audience == TO_CELL
    assert not covers(loud, audience, evidence)
