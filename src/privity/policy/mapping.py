"""Which stores each kind of session mounts, and what it may ask of them, as tables.

Source: seed, "Session mapping" and "Scope kinds".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from privity.model.audiences import AudienceKind
from privity.model.context import AccessContext, Visibility
from privity.model.operations import Operation
from privity.model.resources import Section
from privity.model.stores import StoreKind
from privity.model.subjects import AutonomousSubject, ConversationSubject, UserSubject


class Shape(StrEnum):
    """The kinds of session that map to different views."""

    USER = "user"
    CONVERSATION = "conversation"
    AUTONOMOUS = "autonomous"
    AMBIGUOUS = "ambiguous"
    INCOGNITO = "incognito"


class Claim(StrEnum):
    """By what a session reaches a store: it is the subject's own, the cell's, or a role's."""

    OWN = "own"
    SHARED = "shared"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Stores of `kind` whose base audience answers `claim`, and the capabilities placement gives."""

    kind: StoreKind
    claim: Claim
    capabilities: frozenset[Operation]


LOOKING: Final = frozenset({Operation.RETRIEVE, Operation.READ})
READING: Final = LOOKING | {Operation.DERIVE}
KEEPING: Final = READING | {Operation.APPEND, Operation.EXPORT, Operation.SYNC}
OWNING: Final = KEEPING | {Operation.REPLACE, Operation.DELETE}

SESSION_MAPPING: Final[Mapping[Shape, tuple[Row, ...]]] = MappingProxyType(
    {
        Shape.USER: (
            Row(kind=StoreKind.USER, claim=Claim.OWN, capabilities=OWNING),
            Row(kind=StoreKind.AGENT_SHARED, claim=Claim.SHARED, capabilities=READING),
            Row(kind=StoreKind.PROJECTION, claim=Claim.SHARED, capabilities=READING),
            Row(kind=StoreKind.ROLE, claim=Claim.MEMBER, capabilities=READING),
            Row(kind=StoreKind.PROJECTION, claim=Claim.MEMBER, capabilities=READING),
        ),
        Shape.CONVERSATION: (
            Row(kind=StoreKind.CONVERSATION, claim=Claim.OWN, capabilities=OWNING),
            Row(kind=StoreKind.PROJECTION, claim=Claim.OWN, capabilities=READING),
            Row(kind=StoreKind.AGENT_SHARED, claim=Claim.SHARED, capabilities=READING),
            Row(kind=StoreKind.PROJECTION, claim=Claim.SHARED, capabilities=READING),
        ),
        # INVARIANT: an autonomous run neither replaces nor deletes (case:WRITE-01).
        Shape.AUTONOMOUS: (
            Row(kind=StoreKind.AGENT, claim=Claim.OWN, capabilities=KEEPING),
            Row(kind=StoreKind.AGENT_SHARED, claim=Claim.SHARED, capabilities=READING),
            Row(kind=StoreKind.PROJECTION, claim=Claim.SHARED, capabilities=READING),
            Row(kind=StoreKind.ROLE, claim=Claim.MEMBER, capabilities=READING),
        ),
        Shape.AMBIGUOUS: (Row(kind=StoreKind.AGENT_SHARED, claim=Claim.SHARED, capabilities=LOOKING),),
        Shape.INCOGNITO: (Row(kind=StoreKind.AGENT_SHARED, claim=Claim.SHARED, capabilities=LOOKING),),
    }
)

OWN_STORE: Final[Mapping[Shape, tuple[StoreKind, AudienceKind]]] = MappingProxyType(
    {
        Shape.USER: (StoreKind.USER, AudienceKind.USER),
        Shape.CONVERSATION: (StoreKind.CONVERSATION, AudienceKind.CONVERSATION),
        Shape.AUTONOMOUS: (StoreKind.AGENT, AudienceKind.AGENT),
    }
)
"""The store a session writes to, and its base audience. A shape that is not here writes nothing."""

WRITES_TO: Final[Mapping[tuple[Operation, Section], Claim]] = MappingProxyType(
    {
        (Operation.APPEND, Section.NOTE): Claim.OWN,
        (Operation.APPEND, Section.CARD): Claim.OWN,
        (Operation.REPLACE, Section.NOTE): Claim.OWN,
        (Operation.REPLACE, Section.CARD): Claim.OWN,
        (Operation.DERIVE, Section.NOTE): Claim.OWN,
        (Operation.DERIVE, Section.CARD): Claim.OWN,
        (Operation.DELETE, Section.NOTE): Claim.OWN,
        (Operation.DELETE, Section.CARD): Claim.OWN,
        (Operation.PUBLISH, Section.NOTE): Claim.SHARED,
        (Operation.POLICY_ADMIN, Section.NOTE): Claim.SHARED,
    }
)
"""By which claim each write finds its store; a write that is not here has no target."""


def shape_of(context: AccessContext) -> Shape:
    """Return which rows of the session mapping hold. What is not known to be more is ambiguous."""
    if context.visibility is not Visibility.NORMAL:
        return Shape.INCOGNITO
    match context.session_subject:
        case UserSubject():
            return Shape.USER
        case ConversationSubject():
            return Shape.CONVERSATION
        case AutonomousSubject():
            return Shape.AUTONOMOUS
        case _:
            return Shape.AMBIGUOUS
