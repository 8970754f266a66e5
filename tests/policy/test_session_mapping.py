"""Which stores each kind of session mounts, word for word from the specification."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.audiences import Audience
from privity.model.context import AccessContext, Visibility
from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.stores import StoreKind
from privity.model.subjects import AutonomousKind
from privity.policy.algebra import evidence_of
from privity.policy.claims import own_audiences, role_audiences
from privity.policy.view import mountable
from tests.policy.samples import (
    ALICE,
    ALICES,
    AMBIGUOUS,
    CONVERSATION,
    ROOM,
    SERVICE,
    SOMEBODY,
    TO_ALICE,
    TO_ALICE_BEFORE,
    TO_CELL,
    TO_CRON,
    TO_ROOM,
    TO_STAFF,
    asks,
    context,
    cron_asks,
    nobody_asks,
    person,
    room_asks,
    world,
)
from tests.policy.views import (
    IN_PRIVATE,
    IN_ROOM,
    LOOK,
    NOBODYS,
    ON_ITS_OWN,
    PRIVATE_VIEW,
    ROOM_VIEW,
    SERVICE_VIEW,
    said,
)
from tests.policy.world import NOW, World, with_context
from tests.property.people import lasting


@pytest.mark.proves("session:user:view", "store:kind:user", "store:kind:role", "store:kind:projection")
def test_a_private_session_mounts_its_person_their_roles_and_the_shared_store() -> None:
    """Their own stores under every id, roles of fresh membership, projections to those, and no one else's."""
    assert said(IN_PRIVATE) == PRIVATE_VIEW


@pytest.mark.proves("session:conversation:view", "session:conversation:no-private", "store:kind:conversation")
def test_a_room_mounts_its_own_store_projections_to_it_and_the_shared_store() -> None:
    """Nobody's private or role memory comes along."""
    assert said(IN_ROOM) == ROOM_VIEW


@pytest.mark.proves("session:service:view", "store:kind:agent", "case:WRITE-01")
def test_WRITE_01_a_service_mounts_its_own_store_without_replace_and_delete() -> None:
    """It adds to its notes, reads what is shared and its role's memory, and retires nothing."""
    assert said(ON_ITS_OWN) == SERVICE_VIEW


@pytest.mark.proves("session:service:view")
@pytest.mark.parametrize("kind", AutonomousKind)
def test_the_system_and_agents_have_no_more_than_a_service(kind: AutonomousKind) -> None:
    """Which kind of autonomous run it is widens nothing."""
    assert said(with_context(ON_ITS_OWN, session_subject=replace(SERVICE, kind=kind))) == SERVICE_VIEW


@pytest.mark.proves("session:ambiguous:view")
def test_an_ambiguous_session_mounts_the_shared_store_to_look_at() -> None:
    """Where nobody in particular is known there is nothing else."""
    assert said(NOBODYS) == {"shared": LOOK}
    assert said(with_context(NOBODYS, actor=person(ALICE))) == {"shared": LOOK}


@pytest.mark.proves("session:incognito:narrows")
@pytest.mark.parametrize(
    "here", [IN_PRIVATE, IN_ROOM, ON_ITS_OWN, NOBODYS], ids=["private", "room", "service", "nobody"]
)
def test_an_incognito_session_mounts_the_shared_store_to_look_at(here: World) -> None:
    """Whoever the session is with."""
    assert said(with_context(here, visibility=Visibility.INCOGNITO)) == {"shared": LOOK}


@pytest.mark.proves("policy:order:boundary-holds")
def test_quarantined_retired_and_foreign_stores_are_never_mounted() -> None:
    """Not even for the person they are about."""
    assert not {"postbox", "retired", "elsewhere"} & set(said(IN_PRIVATE))


PLACES: Final[dict[str, tuple[AccessContext, list[tuple[StoreKind, Audience]]]]] = {
    "private": (
        asks(Operation.READ),
        [
            (StoreKind.USER, TO_ALICE),
            (StoreKind.USER, TO_ALICE_BEFORE),
            (StoreKind.AGENT_SHARED, TO_CELL),
            (StoreKind.PROJECTION, TO_CELL),
            (StoreKind.ROLE, Audience(kind=TO_STAFF.kind, id=ROOM)),
            (StoreKind.ROLE, TO_STAFF),
            (StoreKind.PROJECTION, Audience(kind=TO_STAFF.kind, id=ROOM)),
            (StoreKind.PROJECTION, TO_STAFF),
        ],
    ),
    "room": (
        room_asks(Operation.READ),
        [
            (StoreKind.CONVERSATION, TO_ROOM),
            (StoreKind.PROJECTION, TO_ROOM),
            (StoreKind.AGENT_SHARED, TO_CELL),
            (StoreKind.PROJECTION, TO_CELL),
        ],
    ),
    "service": (
        cron_asks(Operation.READ),
        [
            (StoreKind.AGENT, TO_CRON),
            (StoreKind.AGENT_SHARED, TO_CELL),
            (StoreKind.PROJECTION, TO_CELL),
            (StoreKind.ROLE, Audience(kind=TO_STAFF.kind, id=ROOM)),
            (StoreKind.ROLE, TO_STAFF),
        ],
    ),
    "nobody": (nobody_asks(Operation.READ), [(StoreKind.AGENT_SHARED, TO_CELL)]),
}


@pytest.mark.proves("policy:view:intersection")
@pytest.mark.parametrize("kind", PLACES)
def test_the_mountable_places_are_these_in_this_order(kind: str) -> None:
    """What an engine may look up at all; it never asks for anything foreign."""
    about, places = PLACES[kind]

    assert list(mountable(about)) == places


@pytest.mark.proves("policy:view:intersection")
def test_a_stale_membership_stays_mountable_so_that_its_store_can_be_withheld_with_the_reason() -> None:
    """An ended role is looked up, and then withheld."""
    ended = lasting(IN_PRIVATE, NOW)

    assert (StoreKind.ROLE, TO_STAFF) in mountable(ended.context)
    assert ended.facts.view.withheld["sto_staff"] is Reason.MEMBERSHIP_STALE  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("session:conversation:view")
def test_a_session_of_another_room_has_nothing_of_this_one() -> None:
    """Two rooms share no store but the shared one."""
    lobby = world(
        context(replace(CONVERSATION, conversation_id=PrincipalId("cnv_x")), SOMEBODY, Operation.READ), ALICES
    )

    assert set(said(lobby)) == {"shared", "projected_cell"}


@pytest.mark.proves("session:ambiguous:no-private-mount", "policy:deny:empty-means-nothing")
def test_whom_nobody_knows_has_no_audience_of_their_own() -> None:
    """Asked by itself, without the session mapping in front: no place, and no role of anybody's memberships."""
    ambiguous = with_context(world(asks(Operation.READ), ALICES), session_subject=AMBIGUOUS).context
    evidence = evidence_of(ambiguous, NOW)

    assert ambiguous.verified_memberships
    assert [given(ambiguous, evidence) for given in (own_audiences, role_audiences)] == [(), ()]
