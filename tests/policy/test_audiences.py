"""Who covers whom, and what is left of several audiences: the whole table."""

from dataclasses import replace
from functools import reduce
from typing import Final

import pytest

from privity.model.audiences import NOBODY, Audience, AudienceBound, AudienceKind
from privity.model.operations import Operation
from privity.policy.algebra import bound_covers, bound_of, canonical, canonical_bound, covers, evidence_of, meet
from privity.policy.sets import canonical_set, ephemeral_set, placement_set, set_covers, unite
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    AUDIENCES,
    BOARD,
    CRON,
    INSIDE,
    INSIDE_FOREIGN,
    STAFF,
    TO_ALICE,
    TO_ALICE_BEFORE,
    TO_BOARD,
    TO_BOB,
    TO_CELL,
    TO_CRON,
    TO_FOREIGN_CELL,
    TO_LOBBY,
    TO_ROOM,
    TO_STAFF,
    asks,
    member,
    policy,
    verified,
)
from tests.policy.world import AN_HOUR, NOW

CONTEXT: Final = asks(Operation.READ)
EVIDENCE: Final = evidence_of(CONTEXT, NOW)
OWN: Final = set(AUDIENCES) - {TO_FOREIGN_CELL, INSIDE_FOREIGN}

COVERED: Final[dict[Audience, set[Audience]]] = {
    TO_ALICE: {TO_ALICE, TO_ALICE_BEFORE, INSIDE},
    TO_ALICE_BEFORE: {TO_ALICE, TO_ALICE_BEFORE, INSIDE},
    TO_BOB: {TO_BOB, INSIDE},
    TO_ROOM: {TO_ROOM, INSIDE},
    TO_LOBBY: {TO_LOBBY, INSIDE},
    TO_STAFF: {TO_STAFF, TO_ALICE, TO_ALICE_BEFORE, TO_CRON, INSIDE},
    TO_BOARD: {TO_BOARD, INSIDE},
    TO_CRON: {TO_CRON, INSIDE},
    TO_CELL: OWN,
    TO_FOREIGN_CELL: set(),
    INSIDE: {INSIDE},
    INSIDE_FOREIGN: set(),
}


@pytest.mark.proves("policy:order:audience-covers")
@pytest.mark.parametrize("audience", AUDIENCES, ids=lambda a: f"{a.kind}:{a.id}")
def test_an_audience_covers_exactly_these_outputs(audience: Audience) -> None:
    """All pairs of twelve audiences: people under every id, members of a role, the inside, and the cell."""
    assert {output for output in AUDIENCES if covers(audience, output, EVIDENCE)} == COVERED[audience]


@pytest.mark.proves("enterprise:membership:outage", "store:kind:role", "case:POL-02")
def test_POL_02_a_role_covers_its_members_while_membership_lasts() -> None:
    """From the moment it was observed until, and not at, its end; and under every id of the member."""
    moment = AN_HOUR / 3600
    for observed, end, covered in (
        (NOW, NOW + moment, True),
        (NOW, NOW, False),
        (NOW + moment, NOW + AN_HOUR, False),
        (NOW - AN_HOUR, NOW - moment, False),
    ):
        for who in (ALICE, ALICE_BEFORE):
            seen = replace(member(who, STAFF), observed_at=observed, expires_at=end)
            evidence = replace(EVIDENCE, memberships=(seen,))
            assert covers(TO_STAFF, TO_ALICE, evidence) == covered
            assert covers(TO_STAFF, TO_ALICE_BEFORE, evidence) == covered
            assert not covers(TO_BOARD, TO_ALICE, evidence)


@pytest.mark.proves("policy:order:audience-covers")
def test_a_role_never_covers_a_conversation_or_another_role() -> None:
    """Even where the same id was seen as a member."""
    evidence = replace(EVIDENCE, memberships=(member(ALICE, STAFF), member(CRON, STAFF)))

    assert not covers(TO_STAFF, Audience(kind=AudienceKind.CONVERSATION, id=ALICE), evidence)
    assert not covers(TO_STAFF, Audience(kind=AudienceKind.ROLE, id=ALICE), evidence)
    assert covers(TO_STAFF, TO_CRON, evidence)


@pytest.mark.proves("policy:deny:on-error", "case:POL-04")
def test_POL_04_an_output_of_unknown_kind_is_covered_by_nobody_and_an_unknown_audience_covers_nothing() -> None:
    """Not even by the whole cell."""
    odd = Audience(kind="everybody", id="agt_cell")  # pyright: ignore[reportArgumentType]

    assert not any(covers(audience, odd, EVIDENCE) for audience in AUDIENCES)
    with pytest.raises(KeyError):
        covers(odd, TO_ALICE, EVIDENCE)


@pytest.mark.proves("identity:principal:merge-needs-proof")
def test_a_person_is_named_by_the_merge_head_and_nobody_else_is() -> None:
    """Only people are merged; every other audience keeps its id."""
    assert canonical(TO_ALICE_BEFORE, EVIDENCE) == TO_ALICE
    assert all(canonical(audience, EVIDENCE) == audience for audience in AUDIENCES if audience != TO_ALICE_BEFORE)
    assert canonical(Audience(kind=AudienceKind.ROLE, id=ALICE_BEFORE), EVIDENCE).id == ALICE_BEFORE


@pytest.mark.proves("identity:principal:merge-needs-proof")
def test_evidence_is_what_the_context_shows_and_no_more() -> None:
    """Heads come from verified merges, memberships and cell from the context, time from the caller."""
    about = replace(CONTEXT, verified_principals=(verified(ALICE, ALICE_BEFORE),))
    evidence = evidence_of(about, NOW)

    assert evidence.heads == {ALICE_BEFORE: ALICE}
    assert evidence.merge_class(ALICE_BEFORE) == evidence.merge_class(ALICE) == {ALICE, ALICE_BEFORE}
    assert evidence.merge_class(CRON) == {CRON}
    assert (evidence.memberships, evidence.agent_id, evidence.now) == (about.verified_memberships, "agt_cell", NOW)


LEFT: Final[tuple[tuple[tuple[Audience, ...], bool], ...]] = (
    ((TO_ALICE, TO_BOB), False),
    ((TO_ALICE, TO_ROOM), False),
    ((TO_ALICE, TO_CRON), False),
    ((TO_ROOM, TO_LOBBY), False),
    ((TO_ROOM, TO_STAFF), False),
    ((TO_ROOM, TO_CRON), False),
    ((TO_CELL, TO_FOREIGN_CELL), False),
    ((TO_CELL, INSIDE_FOREIGN), False),
    ((INSIDE, INSIDE_FOREIGN), False),
    ((TO_ALICE, TO_CELL, TO_BOB), False),
    ((TO_ALICE, INSIDE, TO_BOB), False),
    ((TO_ALICE, TO_ALICE), True),
    ((TO_ALICE, TO_STAFF), True),
    ((TO_ALICE, TO_STAFF, TO_BOARD), True),
    ((TO_CRON, TO_STAFF), True),
    ((TO_STAFF, TO_BOARD), True),
    ((TO_ALICE, TO_CELL), True),
    ((TO_ROOM, TO_CELL), True),
    ((TO_STAFF, TO_CELL), True),
    ((TO_CRON, TO_CELL), True),
    ((TO_CELL, INSIDE), True),
    ((TO_ALICE, INSIDE), True),
    ((TO_ROOM, INSIDE, TO_CELL), True),
)


@pytest.mark.proves("derive:audience:intersection", "case:DER-04")
@pytest.mark.parametrize(("audiences", "left"), LEFT)
def test_DER_04_of_these_audiences_something_or_nothing_is_left(audiences: tuple[Audience, ...], left: bool) -> None:
    """One cell, one place, and no conversation with a role: that can be placed, and nothing else."""
    met = reduce(meet, map(bound_of, audiences))

    assert met == (AudienceBound(members=frozenset(audiences)) if left else NOBODY)


@pytest.mark.proves("derive:audience:intersection", "case:DER-04")
def test_DER_04_private_and_shared_sources_give_a_private_result() -> None:
    """What is left of a person and the cell reaches that person."""
    met = meet(bound_of(TO_ALICE), bound_of(TO_CELL))

    assert {output for output in AUDIENCES if bound_covers(met, output, EVIDENCE)} == COVERED[TO_ALICE]


@pytest.mark.proves("derive:audience:intersection")
def test_a_person_and_a_role_are_placed_with_the_person_while_they_belong() -> None:
    """The role stays as a live requirement beside the placement."""
    met = meet(bound_of(TO_ALICE), bound_of(TO_STAFF))
    left = replace(EVIDENCE, memberships=(member(ALICE, BOARD),))

    assert bound_covers(met, TO_ALICE, EVIDENCE)
    assert not bound_covers(met, TO_ALICE, left)
    assert not bound_covers(met, TO_STAFF, EVIDENCE)


@pytest.mark.proves("policy:deny:empty-means-nothing")
def test_nobody_covers_nothing_and_stays_nobody() -> None:
    """A conjunction without members would mean everybody, so it means nobody."""
    assert not any(bound_covers(NOBODY, output, EVIDENCE) for output in AUDIENCES)
    assert meet(NOBODY, bound_of(TO_CELL)) == meet(bound_of(TO_CELL), NOBODY) == NOBODY
    assert canonical_bound(NOBODY, EVIDENCE) == NOBODY


@pytest.mark.proves("derive:inherits-set", "identity:principal:merge-needs-proof")
def test_sets_of_one_person_under_two_ids_unite_once_both_are_named_by_the_head() -> None:
    """Left as they were captured they clash; under the head they are one person."""
    old, new = placement_set(policy("old", TO_ALICE_BEFORE)), placement_set(policy("new", TO_ALICE))
    renamed = unite(canonical_set(old, EVIDENCE), canonical_set(new, EVIDENCE))

    assert unite(old, new).bound == NOBODY
    assert renamed.bound == bound_of(TO_ALICE)
    assert [r.policy_id for r in renamed.requirements] == ["pol_new", "pol_old"]


@pytest.mark.proves("derive:inherits-set", "policy:deny:empty-means-nothing")
def test_a_set_whose_parts_have_nothing_in_common_covers_nothing_though_all_are_live() -> None:
    """Two people's notes in one run may go nowhere, not even inside."""
    alices, bobs = policy("alice", TO_ALICE), policy("bob", TO_BOB)
    both = unite(placement_set(alices), placement_set(bobs))
    live = {alices.policy_id: alices, bobs.policy_id: bobs}

    assert not any(set_covers(both, output, live, EVIDENCE) for output in AUDIENCES)
    assert set_covers(placement_set(alices), TO_ALICE, live, EVIDENCE)


@pytest.mark.proves("derive:audience:never-broader")
def test_a_policy_that_reaches_fewer_now_counts_as_it_is_now() -> None:
    """The bound remembers the audience that was captured, the catalog knows the one that holds."""
    shared = policy("shared", TO_CELL)
    narrowed = replace(shared, audience=TO_BOB)

    assert set_covers(placement_set(shared), TO_ALICE, {shared.policy_id: shared}, EVIDENCE)
    assert not set_covers(placement_set(shared), TO_ALICE, {shared.policy_id: narrowed}, EVIDENCE)
    assert not set_covers(placement_set(narrowed), TO_ALICE, {shared.policy_id: shared}, EVIDENCE)


@pytest.mark.proves("policy:class:interned")
def test_the_name_of_a_set_is_the_same_on_every_machine() -> None:
    """It is the digest of what the set holds, and no part of it is left to chance."""
    assert ephemeral_set(()).policy_set_id == "pst_4a0db72ac139c1efb1dcd8fc7764f272"
    assert placement_set(policy("shared", TO_CELL)).policy_set_id == "pst_9eb7df463d377b1d96aa8d813ca29971"
