"""Windows: how a new one takes over what the one before it was shown."""

from privity.host import gate
from privity.host.delivery import Address, Basis, Destination
from privity.host.occasions import Occasion
from privity.host.parties import Party
from privity.host.records import MappedSession
from privity.host.sessions import Inherit
from privity.host.workings import Workings
from privity.model.context import SinkKind
from privity.model.ids import RunId, SessionId, SinkId
from privity.model.operations import Operation
from privity.model.principals import ActorKind
from privity.sdk.errors import NonconformingError

NOWHERE = Destination(
    sink_id=SinkId("nowhere"),
    sink_kind=SinkKind.INTERNAL,
    address=Address(adapter="", account="", conversation_id="", sender_id=""),
    basis=Basis.FACTS,
    recipients=lambda: (),
)
"""The destination of what has no output."""


def inherit(workings: Workings) -> Inherit:
    """Return the act of giving a window what another one was shown."""

    def take_over(session: MappedSession, source: SessionId) -> None:
        occasion = Occasion(
            session=session,
            run_id=RunId(workings.entropy.token("run")),
            party=operator_party(workings),
            destination=NOWHERE,
            operation=Operation.RETRIEVE,
            delegation=None,
        )
        with workings.operation(occasion) as context:
            gate.ask(lambda: workings.plugin.inherit_window(context, source))

    return take_over


def operator_party(workings: Workings) -> Party:
    """Return the party of what the host does for itself, or an operator on the command line."""
    head = workings.stores.identities.find_head(workings.operator_id)
    if head is None:
        raise NonconformingError("identity unavailable")
    return workings.parties.of_principal(head, ActorKind.SYSTEM)
