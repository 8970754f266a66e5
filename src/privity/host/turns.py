"""One turn under the hood: each operation under a context of its own, each receipt held to its contract."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import Final, TypeVar

from privity.host import gate
from privity.host.delivery import Destination
from privity.host.occasions import Occasion
from privity.host.parties import Party
from privity.host.receipts import (
    Exposure,
    accept_envelope,
    accept_event,
    accept_plan,
    accept_preview,
    accept_run,
    accept_written,
)
from privity.host.records import HostAct, MappedSession
from privity.host.workings import Workings
from privity.model.context import AccessContext, Delegation
from privity.model.decisions import Denied
from privity.model.events import EventKind, EventReceipt, TranscriptEvent
from privity.model.ids import EventId, ResourceHandle, RunId
from privity.model.mutations import Mutation
from privity.model.operations import Operation
from privity.model.passages import ForgetPreview, WriteResult
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.sdk.envelope import Envelope
from privity.sdk.errors import DeniedError, InputError

WITHDRAWALS_MET: Final = 20
"""How many withdrawals in a row, each right in the midst of an operation, it outlasts."""

Answer = TypeVar("Answer")
Content = TypeVar("Content")
Written = TypeVar("Written", bound=WriteResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """Who acts in a turn: looked up again for each operation, and who it was when the turn began."""

    look: Callable[[], Party]
    began_as: Party


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a parent handed to a delegated turn; it ends with its parent."""

    delegation: Delegation
    parent_is_open: Callable[[], bool]


class Turn:
    """The state of one run. Its operations are serial, so that no receipt of one stales another's."""

    def __init__(
        self,
        workings: Workings,
        session: MappedSession,
        acting: Acting,
        destination: Destination,
        bounds: Bounds | None,
    ) -> None:
        self.workings = workings
        self.session = session
        self.acting = acting
        self.destination = destination
        self.bounds = bounds
        self.run_id: RunId = RunId(workings.entropy.token("run"))
        self.exposure: Exposure | None = None
        self._lock = Lock()
        self._busy: int | None = None
        self._open = True

    @property
    def is_open(self) -> bool:
        """The turn has not ended, nor has the one that it was delegated from."""
        return self._open and (self.bounds is None or self.bounds.parent_is_open())

    @property
    def shown_so_far(self) -> Exposure:
        """What the run was shown, what its window was shown before included.

        Raises:
            InputError: the run has not begun.
        """
        if self.exposure is None:
            raise InputError("has not begun", where="run", remedy="use `with session.run(event) as run`")
        return self.exposure

    def close(self) -> None:
        """End the turn."""
        self._open = False

    @contextmanager
    def exclusive(self) -> Generator[None]:
        """Do one thing at a time in an open turn.

        Raises:
            InputError: the run is closed, or what it is doing asks something of it itself.
        """
        if self._busy == get_ident():
            raise InputError("is in use by this very call", where="run", remedy="use it once the call has returned")
        with self._lock:
            self._busy = get_ident()
            try:
                if not self.is_open:
                    raise InputError("is closed", where="run", remedy="begin another run")
                yield
            finally:
                self._busy = None

    @contextmanager
    def context(self, operation: Operation, destination: Destination) -> Generator[AccessContext]:
        """Issue the context of one operation whose output goes to `destination`."""
        with self.workings.operation(self.occasion(operation, destination)) as context:
            yield context

    def occasion(self, operation: Operation, destination: Destination) -> Occasion:
        """Return the facts of one operation as they are now.

        Raises:
            DeniedError: whoever began the turn is nobody any more, or somebody else.
        """
        party = self.acting.look()
        if party.binding != self.acting.began_as.binding:
            self.note_denial(Reason.IDENTITY_REVOKED)
            raise DeniedError(Reason.IDENTITY_REVOKED, 1)
        return Occasion(
            session=self.session,
            run_id=self.run_id,
            party=party,
            destination=destination,
            operation=operation,
            delegation=None if self.bounds is None else self.bounds.delegation,
        )

    def note_denial(self, reason: Reason) -> None:
        """Write down that the host refused."""
        self.workings.trail.note(
            HostAct.CONTEXT_DENIED,
            agent_id=self.session.record.agent_id,
            target_ids=(self.session.window.session_id, self.run_id),
            reason=reason,
        )

    def steadily(
        self, operation: Operation, destination: Destination, act: Callable[[AccessContext], Answer]
    ) -> Answer:
        """Do one thing under a context of its own.

        Every withdrawal ends all contexts of the home, whomever it concerns. So a denial
        that met one is asked again, a few times, under the facts that hold then.
        """
        for _ in range(WITHDRAWALS_MET):
            epoch = self.workings.desk.epoch(self.session.record)
            try:
                with self.context(operation, destination) as context:
                    return act(context)
            except DeniedError:
                if self.workings.desk.epoch(self.session.record) == epoch:
                    raise
        with self.context(operation, destination) as context:
            return act(context)

    def begin(self, event: TranscriptEvent | None) -> None:
        """Begin the run on top of what the window was shown, with the incoming event if there is one."""
        plugin = self.workings.plugin

        def act(context: AccessContext) -> Exposure:
            return accept_run(gate.ask(lambda: plugin.begin_run(context, event)), context)

        with self.exclusive():
            self.exposure = self.steadily(Operation.RETRIEVE, self.destination, act)

    def shown(self, operation: Operation, ask: Callable[[AccessContext, Plan], Envelope[Content] | Denied]) -> Content:
        """Return content, once its receipts were checked and merged."""

        def act(context: AccessContext) -> Content:
            plan = self.plan(context)
            envelope = gate.ask(lambda: ask(context, plan))
            content, self.exposure = accept_envelope(envelope, context, plan, self.shown_so_far)
            return content

        with self.exclusive():
            return self.steadily(operation, self.destination, act)

    def written(self, operation: Operation, mutation: Mutation, kind: type[Written]) -> Written:
        """Perform one mutation in the session's own store."""
        plugin = self.workings.plugin

        def act(context: AccessContext) -> Written:
            plan = self.plan(context)
            return accept_written(gate.ask(lambda: plugin.write(context, plan, mutation)), kind)

        with self.exclusive():
            return self.steadily(operation, self.destination, act)

    def previewed(self, handle: ResourceHandle) -> ForgetPreview:
        """Return what forgetting a revision would take with it."""
        plugin = self.workings.plugin

        def act(context: AccessContext) -> ForgetPreview:
            plan = self.plan(context)
            return accept_preview(gate.ask(lambda: plugin.preview_forget(context, plan, handle)), handle)

        with self.exclusive():
            return self.steadily(Operation.DELETE, self.destination, act)

    def plan(self, context: AccessContext) -> Plan:
        """Return a plan for exactly this context."""
        plan = gate.ask(lambda: self.workings.plugin.authorize(context))
        return accept_plan(plan, context, self.workings.clock.now())

    def append(self, context: AccessContext, event: TranscriptEvent) -> EventReceipt:
        """Append one event with its label."""
        plugin = self.workings.plugin
        return accept_event(gate.ask(lambda: plugin.append_event(context, event)), event)

    def event(self, event_id: EventId, kind: EventKind, text: str, context: AccessContext) -> TranscriptEvent:
        """Return an event of this turn that goes where the context's output goes."""
        return TranscriptEvent(
            event_id=event_id,
            kind=kind,
            text=text,
            occurred_at=self.workings.clock.now(),
            delivery_audiences=context.delivery.audiences,
        )
