"""What is withheld from a session, and with which reason; and what a delegation leaves."""

from dataclasses import replace

import pytest

from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.model.principals import ActorKind, SenderStrength
from privity.policy.view import mountable
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    BOARD,
    BOB,
    CHILD,
    CRON,
    ROOM,
    SOMEBODY,
    STAFF,
    TO_ALICE,
    TO_ALICE_BEFORE,
    TO_CELL,
    USER,
    member,
    person,
)
from tests.policy.views import (
    IN_PRIVATE,
    IN_ROOM,
    LOOK,
    ON_ITS_OWN,
    OUTSIDE,
    OWN,
    PRIVATE_VIEW,
    REVOKED,
    ROOM_VIEW,
    SERVICE_VIEW,
    SHARED_VIEW,
    STALE,
    USE,
    said,
)
from tests.policy.world import AN_HOUR, NOW, World, with_context
from tests.property.bend import with_actor, with_delegation, with_standing
from tests.property.people import joined, lasting, outdated, seen, with_members
from tests.property.permitted import delegated


@pytest.mark.proves("session:user:view", "store:kind:user")
@pytest.mark.parametrize("actor", [person(BOB), person(CRON, ActorKind.SERVICE), person(CHILD, ActorKind.AGENT)])
def test_somebody_else_in_a_private_session_has_only_what_is_shared(actor: object) -> None:
    """The person's stores and their role's are withheld from whoever is not the person."""
    withheld = dict.fromkeys(("alice", "alice_before", "staff", "projected_staff"), OUTSIDE)

    assert said(with_context(IN_PRIVATE, actor=actor)) == SHARED_VIEW | withheld


@pytest.mark.proves("session:user:view", "case:ID-20")
def test_ID_20_an_unattributed_speaker_in_a_private_session_only_looks_at_what_is_shared() -> None:
    """Without an actor there is no authority over anything private."""
    withheld = dict.fromkeys(("alice", "alice_before", "staff", "projected_staff"), OUTSIDE)

    assert said(with_context(IN_PRIVATE, actor=SOMEBODY)) == {"shared": LOOK, "projected_cell": LOOK} | withheld


@pytest.mark.proves("session:user:view")
@pytest.mark.parametrize("actor", [ALICE, ALICE_BEFORE])
@pytest.mark.parametrize("subject", [ALICE, ALICE_BEFORE])
def test_one_person_is_the_same_under_every_id_that_was_merged(actor: PrincipalId, subject: PrincipalId) -> None:
    """Session and actor may each name the head or what was merged into it."""
    here = with_context(IN_PRIVATE, session_subject=replace(USER, principal_id=subject), actor=person(actor))

    assert said(here) == PRIVATE_VIEW


@pytest.mark.proves("session:user:view")
@pytest.mark.parametrize(
    ("strength", "mounted"),
    [
        (SenderStrength.VERIFIED, True),
        (SenderStrength.ASSERTED, True),
        (SenderStrength.UNVERIFIED, False),
        (SenderStrength.MUTABLE, False),
    ],
)
@pytest.mark.parametrize(("here", "own"), [(IN_PRIVATE, "alice"), (ON_ITS_OWN, "cron")], ids=["private", "service"])
def test_private_memory_needs_a_sender_that_is_at_least_asserted(
    here: World, own: str, strength: SenderStrength, mounted: bool
) -> None:
    """A sender that anybody could pretend to be opens nothing private."""
    assert (said(with_actor(here, strength=strength))[own] != OUTSIDE) == mounted


@pytest.mark.proves("session:user:view", "policy:order:context-first")
@pytest.mark.parametrize("gone", [ALICE, ALICE_BEFORE])
def test_a_revoked_person_has_only_what_is_shared(gone: PrincipalId) -> None:
    """Revoked under any of their ids, with the reason."""
    withheld = dict.fromkeys(("alice", "alice_before", "staff", "projected_staff"), REVOKED)

    assert said(with_standing(IN_PRIVATE, revoked_ids=frozenset({gone}))) == SHARED_VIEW | withheld


@pytest.mark.proves("session:conversation:view", "policy:order:context-first")
@pytest.mark.parametrize("gone", [ALICE, ROOM])
def test_a_revoked_speaker_or_room_withholds_the_room(gone: PrincipalId) -> None:
    """The room's store and what was projected to it, and not what is shared."""
    here = with_standing(IN_ROOM, revoked_ids=frozenset({gone}))

    assert said(here) == SHARED_VIEW | {"room": REVOKED, "projected_room": REVOKED}


@pytest.mark.proves("session:user:view", "case:POL-02")
def test_POL_02_evidence_that_ends_now_withholds_what_rests_on_it() -> None:
    """At its very end evidence is over, a moment before it still holds."""
    moment = AN_HOUR / 3600
    withheld = dict.fromkeys(("alice", "alice_before", "staff", "projected_staff"), REVOKED)

    assert said(with_actor(IN_PRIVATE, expires_at=NOW)) == SHARED_VIEW | withheld
    assert said(outdated(IN_PRIVATE, NOW)) == SHARED_VIEW | withheld
    assert said(with_actor(IN_PRIVATE, expires_at=NOW + moment)) == PRIVATE_VIEW
    assert said(outdated(IN_PRIVATE, NOW + moment)) == PRIVATE_VIEW


@pytest.mark.proves("store:kind:role", "enterprise:membership:outage", "case:POL-02")
def test_POL_02_a_role_is_withheld_the_instant_its_membership_ends_or_before_it_was_seen() -> None:
    """Membership holds from the moment it was observed up to, and not including, its end."""
    stale = PRIVATE_VIEW | {"staff": STALE, "projected_staff": STALE}
    moment = AN_HOUR / 3600

    assert said(lasting(IN_PRIVATE, NOW)) == stale
    assert said(seen(IN_PRIVATE, NOW + moment)) == stale
    assert said(lasting(IN_PRIVATE, NOW + moment)) == PRIVATE_VIEW
    assert said(seen(IN_PRIVATE, NOW)) == PRIVATE_VIEW


@pytest.mark.proves("store:kind:role")
def test_a_role_without_any_membership_is_outside_the_view() -> None:
    """What was never seen is not stale."""
    assert "staff" not in said(with_members(IN_PRIVATE))
    assert "board" not in said(IN_PRIVATE)
    assert said(joined(IN_PRIVATE, ALICE_BEFORE, BOARD))["board"] == USE
    assert "board" not in said(joined(IN_PRIVATE, BOB, BOARD))


@pytest.mark.proves("session:conversation:view", "store:kind:conversation")
def test_a_room_is_withheld_from_a_speaker_whose_membership_has_ended() -> None:
    """The room's store and what was projected to it, with the reason."""
    gone = {"room": STALE, "projected_room": STALE}

    assert said(lasting(IN_ROOM, NOW)) == SHARED_VIEW | gone
    assert said(with_members(IN_ROOM, member(BOB, ROOM))) == SHARED_VIEW | gone
    assert said(with_members(IN_ROOM, member(ALICE, STAFF))) == SHARED_VIEW | gone
    assert said(with_members(IN_ROOM, member(ALICE_BEFORE, ROOM))) == ROOM_VIEW


@pytest.mark.proves("case:ID-20", "session:conversation:view")
def test_ID_20_an_unattributed_speaker_in_a_room_looks_on() -> None:
    """The view stays the room's, to look at."""
    assert said(with_context(IN_ROOM, actor=SOMEBODY)) == dict.fromkeys(ROOM_VIEW, LOOK)


@pytest.mark.proves("session:service:view")
def test_another_actor_in_a_service_session_has_only_what_is_shared() -> None:
    """A service's notes are its own."""
    here = with_context(ON_ITS_OWN, actor=person(ALICE))

    assert said(here) == SHARED_VIEW | {"cron": OUTSIDE, "staff": OUTSIDE}


@pytest.mark.proves("delegation:intersection")
def test_a_child_has_its_roots_view_as_far_as_it_was_handed_on() -> None:
    """Operations and audiences both narrow; what is not named is outside."""
    child = delegated(IN_PRIVATE, ALICE)
    words = frozenset({Operation.RETRIEVE, Operation.READ, Operation.APPEND})

    assert said(child) == PRIVATE_VIEW
    assert said(with_delegation(child, allowed_operations=words, maximum_audiences=frozenset({TO_ALICE}))) == {
        "alice": "append read retrieve",
        "alice_before": "append read retrieve",
    }
    assert said(with_delegation(child, maximum_audiences=frozenset({TO_ALICE_BEFORE, TO_CELL}))) == {
        "alice": OWN,
        "alice_before": OWN,
        **SHARED_VIEW,
    }
    assert said(with_delegation(child, allowed_operations=frozenset[Operation]())) == dict.fromkeys(PRIVATE_VIEW, "")


@pytest.mark.proves("delegation:never-wider")
def test_a_child_of_somebody_else_has_only_what_is_shared() -> None:
    """Being a child of Bob opens nothing of Alice's."""
    withheld = dict.fromkeys(("alice", "alice_before", "staff", "projected_staff"), OUTSIDE)

    assert said(delegated(IN_PRIVATE, BOB)) == SHARED_VIEW | withheld
    assert said(delegated(ON_ITS_OWN, CRON)) == SERVICE_VIEW
    assert said(with_standing(delegated(IN_PRIVATE, ALICE), revoked_ids=frozenset({ALICE})))["alice"] == REVOKED
    assert said(with_standing(delegated(IN_ROOM, BOB), revoked_ids=frozenset({BOB})))["room"] == REVOKED


@pytest.mark.proves("case:POL-07", "delegation:every-hop")
@pytest.mark.parametrize(
    ("depth", "mounted"), [(-1, False), (0, False), (1, True), (8, True), (9, False), (10**9, False)]
)
def test_POL_07_a_delegation_of_no_or_too_many_hops_mounts_nothing(depth: int, mounted: bool) -> None:
    """Also a circular one, whose depth only grows."""
    child = with_delegation(delegated(IN_PRIVATE, ALICE), depth=depth)

    assert said(child) == (PRIVATE_VIEW if mounted else {})
    assert bool(mountable(child.context)) == mounted
