"""Where output may go: recipients, destinations, and the handles that name them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Lock

from privity.model.audiences import Audience, AudienceKind
from privity.model.context import SinkKind
from privity.model.ids import AgentId, DeliveryHandle, DeliveryRevision, PrincipalId, SinkId
from privity.sdk.ambient import Clock, Entropy


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Recipient:
    """One audience of a destination; `principal_id` of `None` is the agent's own cell."""

    kind: AudienceKind
    principal_id: PrincipalId | None

    def audience(self, agent_id: AgentId) -> Audience:
        """Return the recipient as an audience of one agent."""
        return Audience(kind=self.kind, id=self.principal_id or agent_id)


ANYONE = Recipient(kind=AudienceKind.AGENT_SHARED, principal_id=None)
"""Somebody who can reach the agent, nobody in particular."""

INTERNAL = Recipient(kind=AudienceKind.INTERNAL, principal_id=None)
"""A place the operator runs for the agent itself, such as its model endpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a sink sends to, in the provider's words. It lives in memory only."""

    adapter: str
    account: str
    conversation_id: str = field(repr=False)
    sender_id: str = field(repr=False)


class Basis(StrEnum):
    """What the recipients of a destination follow from: the host's own facts, or a sink's word."""

    FACTS = "facts"
    SINK = "sink"


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A place to deliver to. `recipients` looks again at each call who would receive it."""

    sink_id: SinkId
    sink_kind: SinkKind
    address: Address
    basis: Basis
    recipients: Callable[[], tuple[Recipient, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedDelivery:
    """A destination under a handle, as it was when the handle was issued."""

    destination: Destination
    delivery_revision: DeliveryRevision
    expires_at: datetime


class Deliveries:
    """The delivery handles this host has issued."""

    def __init__(self, clock: Clock, entropy: Entropy, lifetime: timedelta) -> None:
        self._clock = clock
        self._entropy = entropy
        self._lifetime = lifetime
        self._lock = Lock()
        self._issued: dict[DeliveryHandle, IssuedDelivery] = {}

    def issue(self, destination: Destination, delivery_revision: DeliveryRevision) -> DeliveryHandle:
        """Return a new handle for `destination`."""
        now = self._clock.now()
        handle = DeliveryHandle(self._entropy.token("dlv"))
        issued = IssuedDelivery(
            destination=destination, delivery_revision=delivery_revision, expires_at=now + self._lifetime
        )
        with self._lock:
            self._drop_expired(now)
            self._issued[handle] = issued
        return handle

    def find(self, handle: DeliveryHandle) -> IssuedDelivery | None:
        """Return what `handle` names, unless it is made up or out of date."""
        with self._lock:
            issued = self._issued.get(handle)
        return None if issued is None or issued.expires_at <= self._clock.now() else issued

    def _drop_expired(self, now: datetime) -> None:
        """Forget what has expired, oldest first: handles expire in the order of their issue."""
        while self._issued:
            oldest = next(iter(self._issued))
            if self._issued[oldest].expires_at > now:
                return
            del self._issued[oldest]
