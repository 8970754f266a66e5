"""What the session itself forbids: by mode and role, on the front card, without a trace, without an actor."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.context import CollaborationMode, CollaborationRole, Visibility
from privity.model.decisions import Deny
from privity.model.ids import PrincipalId
from privity.model.operations import MUTATIONS, Operation
from privity.model.principals import Actor, ActorKind
from privity.model.resources import Section
from privity.model.subjects import AutonomousKind, AutonomousSubject
from privity.policy.collaboration import is_mutable, is_visible
from privity.policy.evaluator import decide
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    ALICES,
    BOB,
    CHILD,
    CRONS,
    LOBBY,
    ROOMS,
    SHARED,
    SOMEBODY,
    asks,
    cron_asks,
    nobody_asks,
    person,
    room_asks,
    world,
)
from tests.policy.world import World, with_context
from tests.property.bend import with_room
from tests.property.permitted import anonymous, collaborating, delegated, granted, new, on_card

MODES: Final = {
    "shared": {"admin": "sees changes", "owner": "sees changes", "member": "sees changes", "viewer": "sees"},
    "suggest": {"admin": "sees changes", "owner": "sees changes", "member": "sees", "viewer": "sees"},
    "read-only": {"admin": "sees", "owner": "sees", "member": "sees", "viewer": "sees"},
    "draft": {"admin": "sees changes", "owner": "sees changes", "member": "", "viewer": ""},
}
PAIRS: Final = [(mode, role) for mode in CollaborationMode for role in CollaborationRole]


def refused(here: World) -> str:
    """Return the step and check that denied, or nothing."""
    decision = decide(here.facts)
    return f"{decision.step} {decision.trace[-1].check}" if isinstance(decision, Deny) else ""


@pytest.mark.proves("session:collaboration:modes-and-roles", "session:collaboration:view")
@pytest.mark.parametrize(("mode", "role"), PAIRS)
def test_each_mode_and_role_sees_and_changes_what_the_table_says(
    mode: CollaborationMode, role: CollaborationRole
) -> None:
    """All sixteen pairs, for a read and for a write."""
    said = MODES[mode][role].split()
    reading = collaborating(world(room_asks(Operation.READ), ROOMS), mode, role)
    writing = collaborating(new(world(room_asks(Operation.APPEND), ROOMS)), mode, role)

    assert refused(reading) == ("" if "sees" in said else "6 session_is_visible")
    assert refused(writing) == (
        "" if "changes" in said else "6 mutation_is_permitted" if "sees" in said else "6 session_is_visible"
    )


@pytest.mark.proves("session:collaboration:modes-and-roles", "policy:deny:on-error")
def test_a_decision_of_another_kind_lets_nobody_see_or_change_anything() -> None:
    """Neither shared nor plainly not collaborative: what it is cannot be told."""
    assert not is_visible(None)  # pyright: ignore[reportArgumentType]
    assert not is_mutable(None)  # pyright: ignore[reportArgumentType]
    assert not is_visible("shared")  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("session:incognito:narrows", "session:ambiguous:view", "case:ID-20")
@pytest.mark.parametrize("operation", sorted(MUTATIONS))
def test_ID_20_no_mutation_leaves_a_trace_where_none_may_be_left(operation: Operation) -> None:
    """Incognito, ambiguous, unattributed: denied at step 6, though a rule would allow it."""
    asked = granted(operation)
    nobody = anonymous(replace(world(nobody_asks(operation), SHARED), own_policies=asked.own_policies))
    named = with_context(nobody, actor=person(ALICE))
    incognito = with_context(asked, visibility=Visibility.INCOGNITO)
    unattributed = with_context(new(world(room_asks(operation), SHARED)), actor=SOMEBODY)

    for here in (nobody, named, incognito):
        assert refused(here) == "6 mutation_is_permitted"
    assert refused(unattributed) in {"6 mutation_is_permitted", "5 revision_is_readable"}


OWNERS: Final[tuple[tuple[Actor, PrincipalId | None, bool], ...]] = (
    (person(ALICE), ALICE, True),
    (person(ALICE), ALICE_BEFORE, True),
    (person(ALICE_BEFORE), ALICE, True),
    (person(BOB), BOB, True),
    (person(BOB), ALICE, False),
    (person(ALICE), BOB, False),
    (person(ALICE), None, False),
)


@pytest.mark.proves("session:conversation:view", "store:kind:conversation")
@pytest.mark.parametrize(("actor", "owner", "allowed"), OWNERS)
def test_a_rooms_card_is_written_by_the_owner_the_operator_named(
    actor: Actor, owner: PrincipalId | None, allowed: bool
) -> None:
    """Under any of the owner's ids; without a named owner nobody writes it."""
    note = with_context(new(world(room_asks(Operation.APPEND), ROOMS)), actor=actor)

    assert refused(with_room(on_card(note), owner_id=owner)) == ("" if allowed else "6 card_is_its_owners")
    assert refused(with_room(note, owner_id=owner)) == ""


@pytest.mark.proves("session:conversation:view")
def test_the_owner_of_another_room_is_nobody_here() -> None:
    """What the host states about a conversation counts for that conversation only."""
    card = on_card(new(world(room_asks(Operation.APPEND), ROOMS)))

    assert refused(with_room(card, conversation_id=LOBBY)) == "6 card_is_its_owners"
    assert refused(with_context(card, conversation=None)) == "6 card_is_its_owners"


@pytest.mark.proves("session:user:view", "store:kind:user")
def test_a_persons_card_is_written_by_the_person_and_no_child_of_theirs() -> None:
    """A child agent may take notes for the person, and leaves the card alone."""
    note = new(world(asks(Operation.APPEND), ALICES))

    assert refused(on_card(note)) == ""
    assert refused(with_context(on_card(note), actor=person(ALICE_BEFORE))) == ""
    assert refused(delegated(note, ALICE)) == ""
    assert refused(delegated(on_card(note), ALICE)) == "6 card_is_its_owners"


@pytest.mark.proves("session:service:view", "store:kind:agent")
def test_a_service_has_no_card_to_write() -> None:
    """Autonomous runs keep notes only."""
    note = new(world(cron_asks(Operation.APPEND), CRONS))

    assert refused(note) == ""
    assert refused(on_card(note)) == "6 card_is_its_owners"


@pytest.mark.proves("session:conversation:view")
def test_a_card_is_read_like_a_note() -> None:
    """Whose card it is matters to changes only."""
    for here in (world(room_asks(Operation.READ), ROOMS), world(cron_asks(Operation.READ), CRONS)):
        assert refused(replace(here, section=Section.CARD)) == ""


@pytest.mark.proves("session:ambiguous:view", "share:publish:anonymous-mark")
def test_where_nobody_is_known_only_what_is_safe_for_that_is_seen() -> None:
    """An ambiguous session, and an unattributed speaker in anything but a room."""
    nobody = world(nobody_asks(Operation.READ), SHARED)
    somebody = with_context(world(asks(Operation.READ), SHARED), actor=SOMEBODY)
    on_its_own = with_context(world(cron_asks(Operation.READ), SHARED), actor=SOMEBODY)
    in_room = with_context(world(room_asks(Operation.READ), SHARED), actor=SOMEBODY)

    for here in (nobody, with_context(nobody, actor=person(ALICE)), somebody, on_its_own):
        assert refused(here) == "4 somebody_is_known"
        assert refused(anonymous(here)) == ""
    assert refused(in_room) == ""


@pytest.mark.proves("session:service:view")
def test_an_agent_that_is_its_own_subject_is_somebody() -> None:
    """A service or agent with an actor is known."""
    own = AutonomousSubject(kind=AutonomousKind.AGENT, principal_id=CHILD)
    about = replace(cron_asks(Operation.READ), session_subject=own, actor=person(CHILD, ActorKind.AGENT))

    assert refused(world(about, SHARED)) == ""
