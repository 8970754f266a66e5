"""Release: a reply leaves only where everything that its run was shown may go."""

from dataclasses import dataclass
from typing import Final

from privity.host import gate
from privity.host.delivery import IssuedDelivery
from privity.host.receipts import accept_egress
from privity.host.records import HostAct
from privity.host.sinks import Outgoing, Sink
from privity.host.turns import Turn
from privity.model.context import AccessContext
from privity.model.events import EventKind
from privity.model.ids import DeliveryHandle, EventId, ReceiptId, SinkId
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.receipts import EgressReceipt
from privity.sdk.errors import DeliveryUnavailableError, DeniedError, EgressDeniedError, UnavailableError

AUDIENCE_STEP: Final = 9
SHARE: Final = "answer where it may be read, or open a session that was not shown it"
REMEDIES: Final = {
    Reason.AUDIENCE_WIDENED: SHARE,
    Reason.LINEAGE_DENY: SHARE,
    Reason.DELIVERY_REBOUND: "the route, its sink or its recipients have changed: take a new delivery handle",
    Reason.SESSION_REBOUND: "the session has another window now: open it again",
    Reason.IDENTITY_REVOKED: "somebody in this session was revoked: open it again",
    Reason.INVALID_CONTEXT: "use `event.delivery`, or a handle from `host.delivery`",
    Reason.DEFAULT_DENY: "register the sink with `host.sinks.register`",
    Reason.PLAN_EXPIRED: "release again",
}
OTHER: Final = "ask the operator for the explanation of this decision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A reply that was handed to its sink. `event_id` is its own."""

    event_id: EventId
    receipt_id: ReceiptId
    sink_id: SinkId


def release(turn: Turn, reply: str, to: DeliveryHandle) -> Released:
    """Send `reply` where `to` leads, or say why not.

    The reply is written down, labelled, before its sink is called. The sink is called with
    nothing held: it may use the host, and a read meanwhile cannot add to what was said.

    Raises:
        EgressDeniedError: nothing was sent.
        UnavailableError: nothing was sent; the reply may stand in the transcript.
        DeliveryUnavailableError: the sink failed, or what became of the reply could not be written down.
    """
    try:
        outgoing, sink, receipt = cleared(turn, reply, to)
    except DeniedError as denial:
        note(turn, HostAct.RELEASE_DENIED, denial.reason)
        remedy = REMEDIES.get(denial.reason, OTHER)
        raise EgressDeniedError(denial.reason, denial.step, remedy) from denial
    hand_over(turn, outgoing, sink)
    return Released(event_id=outgoing.event_id, receipt_id=receipt.receipt_id, sink_id=sink.sink_id)


def cleared(turn: Turn, reply: str, to: DeliveryHandle) -> tuple[Outgoing, Sink, EgressReceipt]:
    """Authorize, write down and look once more, with nothing else going on in the run."""
    with turn.exclusive():
        issued = known(turn, to)
        sink = registered(turn, issued)
        receipt = authorized(turn, issued)
        event_id = written_down(turn, issued, reply)
        unchanged(turn, issued, receipt)
        address = issued.destination.address
        return Outgoing(event_id=event_id, sink_id=sink.sink_id, address=address, text=reply), sink, receipt


def hand_over(turn: Turn, outgoing: Outgoing, sink: Sink) -> None:
    """Call the sink, and write down what became of it.

    Raises:
        DeliveryUnavailableError: the sink failed, or the disk did after the sink was called.
    """
    try:
        gate.send(lambda: sink.deliver(outgoing), outgoing.event_id)
    except DeliveryUnavailableError:
        note_outcome(turn, HostAct.RELEASE_FAILED, outgoing.event_id)
        raise
    note_outcome(turn, HostAct.RELEASED, outgoing.event_id)


def note_outcome(turn: Turn, act: HostAct, event_id: EventId) -> None:
    """Write down what became of a reply that a sink was called for.

    Raises:
        DeliveryUnavailableError: that failed. That nothing was changed would not be true any more.
    """
    try:
        note(turn, act, None)
    except UnavailableError as error:
        raise DeliveryUnavailableError(event_id) from error


def known(turn: Turn, to: DeliveryHandle) -> IssuedDelivery:
    """Return what a handle names; a made-up one names nothing."""
    issued = turn.workings.deliveries.find(to)
    if issued is None:
        raise DeniedError(Reason.INVALID_CONTEXT, 1)
    return issued


def registered(turn: Turn, issued: IssuedDelivery) -> Sink:
    """Return the sink of a delivery that is still what it was when its handle was issued."""
    registration = turn.workings.sinks.find(issued.destination.sink_id)
    if registration is None:
        raise DeniedError(Reason.DEFAULT_DENY, 1)
    if turn.workings.sinks.delivery_revision(issued.destination) != issued.delivery_revision:
        raise DeniedError(Reason.DELIVERY_REBOUND, 1)
    return registration.sink


def authorized(turn: Turn, issued: IssuedDelivery) -> EgressReceipt:
    """Return leave to send all that the run was shown to every audience of the delivery."""
    plugin, shown = turn.workings.plugin, turn.shown_so_far

    def act(context: AccessContext) -> EgressReceipt:
        receipt = gate.ask(lambda: plugin.authorize_egress(context, shown.revision))
        accept_egress(receipt, context, shown)
        if not covers(receipt, context):
            raise DeniedError(Reason.AUDIENCE_WIDENED, AUDIENCE_STEP)
        return receipt

    return turn.steadily(Operation.READ, issued.destination, act)


def covers(receipt: EgressReceipt, context: AccessContext) -> bool:
    """Every audience of the delivery is allowed, and there is one."""
    audiences = set(context.delivery.audiences)
    return bool(audiences) and audiences <= set(receipt.allowed_audiences)


def written_down(turn: Turn, issued: IssuedDelivery, reply: str) -> EventId:
    """Append the reply with its label; a session that may leave no trace keeps nothing of it."""
    event_id = EventId(turn.workings.entropy.token("evt"))

    def act(context: AccessContext) -> EventId:
        event = turn.event(event_id, EventKind.REPLY, reply, context)
        return turn.append(context, event).event_id

    return turn.steadily(Operation.APPEND, issued.destination, act)


def unchanged(turn: Turn, issued: IssuedDelivery, receipt: EgressReceipt) -> None:
    """Look once more, right before sending: the receipt still fits delivery, registry, window and time."""
    sinks = turn.workings.sinks
    current = sinks.delivery_revision(issued.destination), sinks.revision
    if current != (receipt.delivery_revision, receipt.egress_registry_revision):
        raise DeniedError(Reason.DELIVERY_REBOUND, 1)
    if receipt.expires_at <= turn.workings.clock.now():
        raise DeniedError(Reason.PLAN_EXPIRED, 1)
    with turn.context(Operation.READ, issued.destination):
        pass


def note(turn: Turn, act: HostAct, reason: Reason | None) -> None:
    """Write down what became of a release."""
    turn.workings.trail.note(
        act,
        agent_id=turn.session.record.agent_id,
        target_ids=(turn.session.window.session_id, turn.run_id),
        reason=reason,
    )
