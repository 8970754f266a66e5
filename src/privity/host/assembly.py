"""Assemble a host around its stores and the plugin that the composition root makes for it."""

from collections.abc import Callable
from dataclasses import dataclass

from privity.host.adapters import Adapters
from privity.host.bindings import Resolver
from privity.host.context import ContextDesk
from privity.host.delivery import Deliveries
from privity.host.epochs import Epochs
from privity.host.events import EventRegistry
from privity.host.host import Host
from privity.host.ingress import Reception
from privity.host.keys import HostKeys, Purpose
from privity.host.options import HostOptions
from privity.host.parties import Parties
from privity.host.ports import HostStores
from privity.host.receipts import admit_plugin
from privity.host.records import PrincipalRecord, PrincipalState
from privity.host.rosters import Rosters
from privity.host.sessions import Sessions
from privity.host.sinks import Sinks
from privity.host.trail import Trail
from privity.host.workings import Workings
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalKind
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.identity import Voucher
from privity.sdk.plugin import MemoryPlugin
from privity.sdk.verification import ContextVerifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Fittings:
    """What a host is assembled from."""

    options: HostOptions
    stores: HostStores
    keys: HostKeys
    clock: Clock
    entropy: Entropy
    voucher: Voucher | None
    closing: Callable[[], None]
    rejoin: bool = False


def assemble(fittings: Fittings, make_plugin: Callable[[ContextVerifier], MemoryPlugin]) -> Host:
    """Return a host around the plugin that `make_plugin` makes for its verifier.

    Raises:
        NonconformingError: the plugin lacks a capability or speaks another version.
        HomePartedError: the host and the vault are not of one moment, and are not to be rejoined.
        UnavailableError: a withdrawal of before could not be finished.
    """
    stores, clock, entropy = fittings.stores, fittings.clock, fittings.entropy
    resolver = Resolver(stores.identities, fittings.keys, fittings.options, clock, entropy)
    rosters = Rosters(stores.roster, stores.withdrawals, fittings.keys, clock, entropy)
    parties = Parties(stores.identities, resolver, rosters)
    sinks = Sinks(fittings.keys, fittings.options, entropy)
    desk = ContextDesk(stores, parties, sinks, fittings.keys, fittings.options, clock, entropy)
    plugin = make_plugin(desk)
    admit_plugin(plugin.capabilities)
    workings = Workings(
        options=fittings.options,
        stores=stores,
        keys=fittings.keys,
        clock=clock,
        entropy=entropy,
        plugin=plugin,
        resolver=resolver,
        rosters=rosters,
        parties=parties,
        events=EventRegistry(),
        sinks=sinks,
        deliveries=Deliveries(clock, entropy, fittings.options.lifetimes.delivery),
        sessions=Sessions(stores.sessions, resolver, fittings.keys, clock, entropy),
        desk=desk,
        epochs=Epochs(stores.agents, plugin),
        trail=Trail(stores.audit, stores.agents, plugin, clock),
        operator_id=introduce_operator(fittings),
    )
    host = Host(workings, reception_of(workings), fittings.voucher, fittings.closing)
    host.recover(rejoin=fittings.rejoin)
    return host


def reception_of(workings: Workings) -> Reception:
    """Return what the ingress of a host works with."""
    return Reception(
        options=workings.options,
        keys=workings.keys,
        clock=workings.clock,
        entropy=workings.entropy,
        adapters=Adapters(workings.options),
        admissions=workings.stores.admissions,
        resolver=workings.resolver,
        rosters=workings.rosters,
        events=workings.events,
        sinks=workings.sinks,
        deliveries=workings.deliveries,
        epochs=workings.epochs,
        trail=workings.trail,
    )


def introduce_operator(fittings: Fittings) -> PrincipalId:
    """Return the principal of the home's administrator, made when the home is first opened."""
    digest = fittings.keys.digest(Purpose.PRINCIPAL, "administrator")
    operator_id = PrincipalId(f"{PrincipalKind.SYSTEM}_{digest[:32]}")
    if fittings.stores.identities.find_head(operator_id) is None:
        fittings.stores.identities.add_principal(
            PrincipalRecord(
                principal_id=operator_id,
                kind=PrincipalKind.SYSTEM,
                label="administrator",
                state=PrincipalState.LIVE,
                merged_into=None,
                created_at=fittings.clock.now(),
            )
        )
    return operator_id
