"""Turns without a transport: a session's own principal acts, as the host authenticated it."""

from collections.abc import Callable
from typing import Final

from privity.host.delivery import Address, Basis, Destination, Recipient
from privity.host.parties import Party
from privity.host.records import MappedSession
from privity.host.turns import Acting, Turn
from privity.host.workings import Workings
from privity.model.audiences import AudienceKind
from privity.model.context import SinkKind
from privity.model.ids import PrincipalId, SinkId
from privity.model.principals import ActorKind
from privity.model.reasons import Reason
from privity.model.subjects import AutonomousKind, AutonomousSubject, UserSubject
from privity.sdk.errors import DeniedError

OWN_SINK: Final = SinkId("own")
"""What a session that acts for itself is shown, it is shown; to go anywhere else it needs a sink."""

HERE: Final = Address(adapter="", account="", conversation_id="", sender_id="")


def own_turn(workings: Workings, mapped: MappedSession) -> Turn:
    """Return a turn in which the session's subject acts.

    Raises:
        DeniedError: the subject is no service, no agent and not the system.
    """
    match mapped.record.subject:
        case AutonomousSubject(kind=AutonomousKind.SYSTEM, principal_id=principal_id):
            return turn_of(workings, mapped, principal_id, ActorKind.SYSTEM, AudienceKind.INTERNAL)
        case AutonomousSubject(kind=kind, principal_id=principal_id):
            return turn_of(workings, mapped, principal_id, ActorKind(kind), AudienceKind.AGENT)
        case _:
            raise DeniedError(Reason.INVALID_CONTEXT, 1)


def personal_turn(workings: Workings, mapped: MappedSession) -> Turn:
    """Return a turn in which a person acts whom an operator's surface authenticated.

    Raises:
        DeniedError: the session is not a person's.
    """
    match mapped.record.subject:
        case UserSubject(principal_id=principal_id):
            return turn_of(workings, mapped, principal_id, ActorKind.HUMAN, AudienceKind.USER)
        case _:
            raise DeniedError(Reason.INVALID_CONTEXT, 1)


def turn_of(
    workings: Workings, mapped: MappedSession, principal_id: PrincipalId, actor: ActorKind, audience: AudienceKind
) -> Turn:
    """Return a turn in which one principal acts, for itself and with output to itself."""
    look = looking(workings, principal_id, actor)
    destination = Destination(
        sink_id=OWN_SINK,
        sink_kind=SinkKind.INTERNAL if audience is AudienceKind.INTERNAL else SinkKind.SESSION,
        address=HERE,
        basis=Basis.FACTS,
        recipients=lambda: (recipient(audience, principal_id),),
    )
    return Turn(workings, mapped, Acting(look=look, began_as=look()), destination, None)


def recipient(audience: AudienceKind, principal_id: PrincipalId) -> Recipient:
    """Return a principal as recipient; what is internal belongs to the cell."""
    return Recipient(kind=audience, principal_id=None if audience is AudienceKind.INTERNAL else principal_id)


def looking(workings: Workings, principal_id: PrincipalId, actor: ActorKind) -> Callable[[], Party]:
    """Return the act of looking a principal up again."""

    def look() -> Party:
        head = workings.stores.identities.find_head(principal_id)
        if head is None:
            raise DeniedError(Reason.IDENTITY_REVOKED, 1)
        return workings.parties.of_principal(head, actor)

    return look
