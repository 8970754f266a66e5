"""The view of a context: the stores it mounts, what may be asked of them, and what is withheld."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from privity.model.context import AccessContext
from privity.model.operations import Operation
from privity.model.principals import PrincipalActor
from privity.model.resources import Section
from privity.model.standing import ContextStanding
from privity.model.stores import StoreFacts, StoreState
from privity.policy.algebra import evidence_of
from privity.policy.claims import Place, find_reason, list_places, own_place, shared_place
from privity.policy.facts import View
from privity.policy.mapping import LOOKING, WRITES_TO, Claim, Row


def mountable(context: AccessContext) -> tuple[Place, ...]:
    """Return the kinds and base audiences of the only stores `context` could ever mount.

    Nothing that ends with time narrows it, so whatever `mount` withholds is among them.
    """
    return tuple(list_places(context, evidence_of(context, context.issued_at)))


def mount(context: AccessContext, stores: Iterable[StoreFacts], standing: ContextStanding, now: datetime) -> View:
    """Return the view of `context` over `stores` at `now`; a store in neither part is outside it."""
    evidence = evidence_of(context, now)
    rows = list_places(context, evidence)
    judged = [
        (store.store_id, row, find_reason(row.claim, store.audience, context, standing, evidence))
        for store in stores
        if (row := find_row(store, context, rows)) is not None
    ]
    mounts = {store_id: capabilities_of(row, context) for store_id, row, why in judged if why is None}
    withheld = {store_id: why for store_id, _, why in judged if why is not None}
    return View(mounts=MappingProxyType(mounts), withheld=MappingProxyType(withheld))


def find_row(store: StoreFacts, context: AccessContext, rows: Mapping[Place, Row]) -> Row | None:
    """Return the row under which the context reaches the store, if the store is in its cell and active."""
    if store.agent_id != context.agent_id or store.state is not StoreState.ACTIVE:
        return None
    return rows.get((store.kind, store.audience))


def capabilities_of(row: Row, context: AccessContext) -> frozenset[Operation]:
    """Return what placement gives the actor, and a delegation leaves of it."""
    given = row.capabilities
    if not isinstance(context.actor, PrincipalActor):
        given &= LOOKING
    if context.delegation is not None:
        given &= context.delegation.allowed_operations
    return given


def write_target(context: AccessContext, operation: Operation, section: Section) -> Place | None:
    """Return where `operation` writes. Trusted facts choose it; no argument names a store."""
    evidence = evidence_of(context, context.issued_at)
    own = own_place(context, evidence)
    claim = WRITES_TO.get((operation, section))
    if own is None or claim is None or not isinstance(context.actor, PrincipalActor):
        return None
    target = own if claim is Claim.OWN else shared_place(context)
    return target if target in list_places(context, evidence) else None
