"""Where each session writes: trusted facts choose it, and no argument does."""

from dataclasses import replace
from typing import Final

import pytest

from privity.model.audiences import Audience
from privity.model.context import AccessContext, Visibility
from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.model.resources import Section
from privity.model.stores import StoreKind
from privity.policy.view import write_target
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    ALICES,
    SOMEBODY,
    TO_ALICE,
    TO_CELL,
    TO_CRON,
    TO_ROOM,
    USER,
    asks,
    cron_asks,
    nobody_asks,
    person,
    room_asks,
    world,
)
from tests.property.bend import with_delegation

OWN_WRITES: Final = (Operation.APPEND, Operation.REPLACE, Operation.DERIVE, Operation.DELETE)
SHARED_WRITES: Final = (Operation.PUBLISH, Operation.POLICY_ADMIN)
NO_WRITES: Final = tuple(word for word in Operation if word not in (*OWN_WRITES, *SHARED_WRITES))
OWN: Final[tuple[tuple[AccessContext, tuple[StoreKind, Audience]], ...]] = (
    (asks(Operation.APPEND), (StoreKind.USER, TO_ALICE)),
    (room_asks(Operation.APPEND), (StoreKind.CONVERSATION, TO_ROOM)),
    (cron_asks(Operation.APPEND), (StoreKind.AGENT, TO_CRON)),
)


@pytest.mark.proves("session:user:view", "session:conversation:view", "session:service:view", "case:ID-01")
@pytest.mark.parametrize(("about", "own"), OWN, ids=["private", "room", "service"])
@pytest.mark.parametrize("section", Section)
@pytest.mark.parametrize("operation", OWN_WRITES)
def test_a_session_writes_notes_and_cards_to_its_own_store(
    about: AccessContext, own: tuple[StoreKind, Audience], section: Section, operation: Operation
) -> None:
    """The session subject decides, whichever of the four writes it is."""
    assert write_target(about, operation, section) == own


@pytest.mark.proves("write:target:publisher-only", "share:publish:capability")
@pytest.mark.parametrize("about", [row[0] for row in OWN], ids=["private", "room", "service"])
@pytest.mark.parametrize("operation", SHARED_WRITES)
def test_publishing_and_administering_are_about_the_shared_store(about: AccessContext, operation: Operation) -> None:
    """Only notes are published; the shared store has no front card."""
    assert write_target(about, operation, Section.NOTE) == (StoreKind.AGENT_SHARED, TO_CELL)
    assert write_target(about, operation, Section.CARD) is None


@pytest.mark.proves("write:target:publisher-only")
@pytest.mark.parametrize("about", [row[0] for row in OWN], ids=["private", "room", "service"])
@pytest.mark.parametrize("operation", NO_WRITES)
def test_what_is_no_such_write_has_no_target(about: AccessContext, operation: Operation) -> None:
    """Reading, exporting, depositing, projecting, importing and syncing choose no store here."""
    assert write_target(about, operation, Section.NOTE) is None


@pytest.mark.proves("session:ambiguous:view", "session:incognito:narrows", "case:ID-20")
@pytest.mark.parametrize("operation", [*OWN_WRITES, *SHARED_WRITES])
def test_ID_20_sessions_that_leave_no_trace_have_no_target(operation: Operation) -> None:
    """Ambiguous, incognito and unattributed ones write nowhere."""
    for about, _ in OWN:
        assert write_target(replace(about, visibility=Visibility.INCOGNITO), operation, Section.NOTE) is None
        assert write_target(replace(about, actor=SOMEBODY), operation, Section.NOTE) is None
    for actor in (SOMEBODY, person(ALICE)):
        about = replace(nobody_asks(operation), actor=actor)
        assert write_target(about, operation, Section.NOTE) is None


@pytest.mark.proves("session:user:view")
@pytest.mark.parametrize("subject", [ALICE, ALICE_BEFORE])
def test_a_person_writes_under_the_merge_head(subject: PrincipalId) -> None:
    """What was merged is read, and added to no more."""
    about = replace(asks(Operation.APPEND), session_subject=replace(USER, principal_id=subject))

    assert write_target(about, Operation.APPEND, Section.NOTE) == (StoreKind.USER, TO_ALICE)


@pytest.mark.proves("delegation:intersection", "case:POL-07")
def test_POL_07_a_child_writes_only_where_its_delegation_reaches() -> None:
    """A target outside the handed-on audiences, or at the end of too long a chain, is none."""
    child = world(asks(Operation.APPEND), ALICES)
    only_shared = with_delegation(child, maximum_audiences=frozenset({TO_CELL})).context
    too_deep = with_delegation(child, depth=9).context

    assert write_target(only_shared, Operation.APPEND, Section.NOTE) is None
    assert write_target(only_shared, Operation.PUBLISH, Section.NOTE) == (StoreKind.AGENT_SHARED, TO_CELL)
    assert write_target(too_deep, Operation.APPEND, Section.NOTE) is None
