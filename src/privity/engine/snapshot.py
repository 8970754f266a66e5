"""The authority snapshot: everything a decision depends on besides the row itself, read once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from privity.engine.parts import Parts
from privity.engine.ports import MovedError
from privity.engine.records import Authority, StoreRecord
from privity.model.audiences import Audience
from privity.model.context import AccessContext
from privity.model.ids import (
    Fingerprint,
    PolicyId,
    StoreId,
)
from privity.model.policies import Policy
from privity.model.standing import ContextStanding
from privity.model.stores import StoreFacts, StoreKind, StoreState
from privity.policy.algebra import evidence_of
from privity.policy.claims import own_place
from privity.policy.facts import View
from privity.policy.view import mount, mountable

ABSENT = StoreId("absent")
"""Stands for a store that would be mounted but has not been made yet. No real id equals it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One consistent reading of authority for one context."""

    now: datetime
    context: AccessContext
    fingerprint: Fingerprint
    standing: ContextStanding
    authority: Authority
    view: View
    stores: Mapping[StoreId, StoreRecord]
    policies: Mapping[PolicyId, Policy]


def take(parts: Parts, context: AccessContext, mark: Fingerprint) -> Snapshot:
    """Read the authority for `context`, whose fingerprint is `mark`, as it is now.

    Only the stores that the session subject could mount are looked up, by their address, so
    that nothing foreign is touched.
    """
    agent_id = context.agent_id
    authority = parts.backend.stores.authority(agent_id)
    standing = parts.verifier.standing(context)
    now = parts.clock.now()
    found = parts.backend.stores.find_stores(agent_id, mountable(context))
    stores = {record.facts.store_id: record for record in found}
    placements = {record.policy_id for record in found}
    return Snapshot(
        now=now,
        context=context,
        fingerprint=mark,
        standing=standing,
        authority=authority,
        view=mount(context, [record.facts for record in found], standing, now),
        stores=stores,
        policies=parts.backend.stores.load_policies(agent_id, placements),
    )


def renewed(parts: Parts, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot at a later moment, if authority is still the same.

    Stores and policies stand as they were read, for nothing but authority changes them; what
    the host says of the context and the time do not, and with them the view.

    Raises:
        MovedError: authority moved.
    """
    context = snapshot.context
    if parts.backend.stores.authority(context.agent_id) != snapshot.authority:
        raise MovedError
    standing, now = parts.verifier.standing(context), parts.clock.now()
    facts = [record.facts for record in snapshot.stores.values()]
    return replace(snapshot, now=now, standing=standing, view=mount(context, facts, standing, now))


def with_policies(parts: Parts, snapshot: Snapshot, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
    """Return the snapshot's policies and those of `ids` that exist."""
    missing = sorted(set(ids) - set(snapshot.policies))
    if not missing:
        return snapshot.policies
    loaded = parts.backend.stores.load_policies(snapshot.context.agent_id, missing)
    return {**snapshot.policies, **loaded}


def absent_store(snapshot: Snapshot, address: tuple[StoreKind, Audience]) -> StoreFacts:
    """Return the facts of a store at `address` that is yet to be made."""
    kind, audience = address
    return StoreFacts(
        agent_id=snapshot.context.agent_id,
        store_id=ABSENT,
        kind=kind,
        audience=audience,
        state=StoreState.ACTIVE,
    )


def view_with(snapshot: Snapshot, extra: StoreFacts) -> View:
    """Return the view as it would be if `extra` existed; as it is, if it does."""
    if extra.store_id in snapshot.stores:
        return snapshot.view
    facts = [record.facts for record in snapshot.stores.values()]
    return mount(snapshot.context, [*facts, extra], snapshot.standing, snapshot.now)


def own_address(snapshot: Snapshot) -> tuple[StoreKind, Audience] | None:
    """Return the address of the session subject's own store, if it has one."""
    return own_place(snapshot.context, evidence_of(snapshot.context, snapshot.now))


def store_at(snapshot: Snapshot, address: tuple[StoreKind, Audience]) -> StoreRecord | None:
    """Return the store at `address`, if it has been made."""
    for record in snapshot.stores.values():
        if (record.facts.kind, record.facts.audience) == address:
            return record
    return None
