"""Verified events: what the ingress lets in, recognised again by identity and never by equality."""

from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from weakref import WeakKeyDictionary

from privity.host.bindings import Sender
from privity.host.delivery import Destination
from privity.model.ids import AgentId, DeliveryHandle, EventId, PrincipalId
from privity.model.reasons import Reason
from privity.sdk.errors import DeniedError
from privity.sdk.identity import ConversationKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class VerifiedEvent:
    """An event whose transport was verified. Only the host makes one that it accepts again.

    `sender_label` is for people; it identifies nobody.
    """

    event_id: EventId
    adapter: str
    account: str
    conversation: ConversationKind
    sender_label: str = field(repr=False)
    text: str = field(repr=False)
    occurred_at: datetime
    delivery: DeliveryHandle


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What the host knows of an event it let in. It lives in memory as long as the event does.

    `route` names the conversation by keyed digest, or is empty for a plain direct message.
    """

    sender: Sender
    conversation: ConversationKind
    conversation_id: PrincipalId | None
    route: str
    mention_keys: tuple[str, ...]
    destination: Destination


class EventRegistry:
    """The verified events that are alive, each with its admission."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._admitted: WeakKeyDictionary[VerifiedEvent, Admission] = WeakKeyDictionary()
        self._appended: WeakKeyDictionary[VerifiedEvent, set[AgentId]] = WeakKeyDictionary()

    def register(self, event: VerifiedEvent, admission: Admission) -> None:
        """Accept `event` from now on."""
        with self._lock:
            self._admitted[event] = admission

    def admission(self, event: VerifiedEvent) -> Admission:
        """Return what the host knows of `event`.

        Raises:
            DeniedError: this very object did not come from the host's ingress.
        """
        if type(event) is not VerifiedEvent:
            raise DeniedError(Reason.INVALID_CONTEXT, 1)
        with self._lock:
            admission = self._admitted.get(event)
        if admission is None:
            raise DeniedError(Reason.INVALID_CONTEXT, 1)
        return admission

    def is_appended(self, event: VerifiedEvent, agent_id: AgentId) -> bool:
        """The event stands in the agent's transcript already."""
        with self._lock:
            return agent_id in self._appended.get(event, set())

    def note_appended(self, event: VerifiedEvent, agent_id: AgentId) -> None:
        """Remember that the event stands in the agent's transcript."""
        with self._lock:
            self._appended.setdefault(event, set()).add(agent_id)
