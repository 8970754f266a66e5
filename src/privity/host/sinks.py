"""The registry of sinks: nothing leaves through a place that no operator registered."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from privity.host.delivery import Address, Destination, Recipient
from privity.host.keys import HostKeys, Purpose
from privity.host.options import HostOptions
from privity.model.canonical import fingerprint
from privity.model.context import Delivery, SinkKind
from privity.model.ids import (
    AgentId,
    DeliveryRevision,
    EgressCapabilityId,
    EgressRegistryRevision,
    EventId,
    SinkId,
)
from privity.sdk.ambient import Entropy
from privity.sdk.errors import InputError
from privity.sdk.strict import strict


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One reply on its way out. `event_id` names it in the transcript; each release has one of its own."""

    event_id: EventId
    sink_id: SinkId
    address: Address
    text: str = field(repr=False)


class Resolver(Protocol):
    """Says who receives what is sent by one route of a sink."""

    def __call__(self, route: str, /) -> tuple[Recipient, ...]:
        """Return every recipient of `route`, or nobody for a route that does not exist."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """A place that output may go to. The sink of an adapter's replies bears the adapter's name."""

    sink_id: SinkId
    capability_id: EgressCapabilityId
    kind: SinkKind
    resolve: Resolver
    deliver: Callable[[Outgoing], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A sink as it stands in the registry; `generation` is another one each time it is registered."""

    sink: Sink
    generation: str


@strict
class Sinks:
    """The sinks of one host. Each change gives the registry a new revision."""

    def __init__(self, keys: HostKeys, options: HostOptions, entropy: Entropy) -> None:
        self._keys = keys
        self._allowed = None if options.sinks is None else options.sinks | options.adapters
        self._entropy = entropy
        self._lock = Lock()
        self._registered: dict[SinkId, Registration] = {}
        self._revision = EgressRegistryRevision(entropy.token("srg"))

    @property
    def revision(self) -> EgressRegistryRevision:
        """The registry as it is now."""
        with self._lock:
            return self._revision

    def register(self, sink: Sink) -> None:
        """Add a sink.

        Raises:
            InputError: its id is taken, or the operator's list does not name it.
        """
        if self._allowed is not None and sink.sink_id not in self._allowed:
            raise InputError("is not on the list", where="sink_id", remedy="name it in `sinks`")
        registration = Registration(sink=sink, generation=self._entropy.token("gen"))
        with self._lock:
            if sink.sink_id in self._registered:
                raise InputError("is registered already", where="sink_id", remedy="remove the other sink first")
            self._registered[sink.sink_id] = registration
            self._revision = EgressRegistryRevision(self._entropy.token("srg"))

    def remove(self, sink_id: SinkId) -> None:
        """Take a sink away. Whatever is not yet being handed to it is refused.

        Raises:
            InputError: there is no such sink.
        """
        with self._lock:
            if self._registered.pop(sink_id, None) is None:
                raise InputError("names no sink", where="sink_id", remedy="register it first")
            self._revision = EgressRegistryRevision(self._entropy.token("srg"))

    def find(self, sink_id: SinkId) -> Registration | None:
        """Return a registered sink."""
        with self._lock:
            return self._registered.get(sink_id)

    def delivery(self, destination: Destination, agent_id: AgentId) -> Delivery:
        """Return the facts of a delivery to `destination` as they are now."""
        registration = self.find(destination.sink_id)
        recipients = tuple(sorted(set(destination.recipients()), key=repr))
        return Delivery(
            sink_kind=destination.sink_kind,
            audiences=tuple(recipient.audience(agent_id) for recipient in recipients),
            egress_capability_ids=() if registration is None else (registration.sink.capability_id,),
            egress_registry_revision=self.revision,
            delivery_revision=self._delivery_revision(destination, registration, recipients),
        )

    def delivery_revision(self, destination: Destination) -> DeliveryRevision:
        """Return the revision of a delivery to `destination` as it is now, whatever the agent."""
        recipients = tuple(sorted(set(destination.recipients()), key=repr))
        return self._delivery_revision(destination, self.find(destination.sink_id), recipients)

    def _delivery_revision(
        self, destination: Destination, registration: Registration | None, recipients: tuple[Recipient, ...]
    ) -> DeliveryRevision:
        """Name a route, its sink and its recipients; the provider's own words only under a key."""
        address = destination.address
        route = self._keys.digest(
            Purpose.ROUTE, address.adapter, address.account, address.conversation_id, address.sender_id
        )
        generation = "" if registration is None else registration.generation
        facts = (destination.sink_id, destination.sink_kind, route, generation, recipients)
        return DeliveryRevision(fingerprint(facts))
