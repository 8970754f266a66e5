"""The authority snapshot: everything a decision depends on besides the row itself, read once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from privity.engine.parts import Parts
from privity.engine.records import Authority, PolicyClass, RevisionRecord, StoreRecord
from privity.model.audiences import Audience
from privity.model.context import AccessContext
from privity.model.decisions import Deny
from privity.model.ids import (
    Fingerprint,
    MountHandle,
    PolicyId,
    PolicyRevision,
    RevocationEpoch,
    StoreId,
)
from privity.model.plans import Plan
from privity.model.policies import Policy, Requirement
from privity.model.resources import Integrity, Lineage, RevisionState, Section
from privity.model.standing import ContextStanding
from privity.model.stores import StoreFacts, StoreKind, StoreState
from privity.policy import first_step
from privity.policy.algebra import evidence_of
from privity.policy.claims import own_place, shared_place
from privity.policy.facts import Facts, PlanFacts, RevisionFacts, View
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

    @property
    def mounted(self) -> tuple[StoreRecord, ...]:
        """The stores of the view, in the order of the session mapping."""
        return tuple(store for store in self.stores.values() if store.facts.store_id in self.view.mounts)


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
    """Return the view as it would be if `extra` existed."""
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


def plan_facts(context: AccessContext, plan: Plan) -> PlanFacts:
    """Return what a sealed plan was bound to."""
    return PlanFacts(
        agent_id=context.agent_id,
        context_fingerprint=plan.context_fingerprint,
        operation=plan.operation,
        authority_revision=plan.authority_revision,
        delivery_revision=plan.delivery_revision,
        expires_at=plan.expires_at,
    )


def refuse_context(snapshot: Snapshot) -> Deny | None:
    """Return why the context does not hold, if it does not."""
    context = snapshot.context
    return first_step.refuse_context(
        Facts(
            now=snapshot.now,
            operation=context.operation,
            agent_id=context.agent_id,
            authority_revision=snapshot.authority.authority_revision,
            context=context,
            fingerprint=snapshot.fingerprint,
            standing=snapshot.standing,
            plan=PlanFacts(
                agent_id=context.agent_id,
                context_fingerprint=snapshot.fingerprint,
                operation=context.operation,
                authority_revision=snapshot.authority.authority_revision,
                delivery_revision=context.delivery.delivery_revision,
                expires_at=context.expires_at,
            ),
            view=snapshot.view,
            store=absent_store(snapshot, shared_place(context)),
            revision=None,
            section=Section.NOTE,
            own_policies=(),
            requirements=(),
            policies={},
        )
    )


def planned_view(parts: Parts, snapshot: Snapshot, plan: Plan) -> View:
    """Return the current view narrowed to what the plan mounted: a plan never gains a store."""
    planned: frozenset[MountHandle] = frozenset(m.mount_handle for m in plan.mounts)
    handles = parts.handles
    mounts = {
        store_id: capabilities
        for store_id, capabilities in snapshot.view.mounts.items()
        if handles.mount(snapshot.context, store_id) in planned
    }
    return View(mounts=mounts, withheld=snapshot.view.withheld)


def row_facts(
    snapshot: Snapshot,
    plan: PlanFacts,
    view: View,
    *,
    store: StoreRecord,
    revision: RevisionRecord,
    integrity: Integrity,
    policies: Mapping[PolicyId, Policy],
) -> Facts:
    """Return the facts of one row under one plan."""
    return Facts(
        now=snapshot.now,
        operation=plan.operation,
        agent_id=store.facts.agent_id,
        authority_revision=snapshot.authority.authority_revision,
        context=snapshot.context,
        fingerprint=snapshot.fingerprint,
        standing=snapshot.standing,
        plan=plan,
        view=view,
        store=store.facts,
        revision=RevisionFacts(
            agent_id=revision.agent_id,
            store_id=revision.store_id,
            state=revision.state,
            integrity=integrity,
            lineage=revision.lineage,
            anonymity=revision.anonymity,
            expires_at=revision.lifetime.expires_at,
        ),
        section=revision.section,
        own_policies=live(revision.own_policy_ids, policies),
        requirements=revision.requirements,
        policies=policies,
    )


def class_facts(
    snapshot: Snapshot,
    plan: PlanFacts,
    view: View,
    *,
    store: StoreRecord,
    policy_class: PolicyClass,
    policies: Mapping[PolicyId, Policy],
) -> Facts:
    """Return the facts of any sound row of a policy class: its policies, and no state of its own.

    Inherited policies are asked for as they are now: what a row captured is the row's own affair.
    """
    return Facts(
        now=snapshot.now,
        operation=plan.operation,
        agent_id=store.facts.agent_id,
        authority_revision=snapshot.authority.authority_revision,
        context=snapshot.context,
        fingerprint=snapshot.fingerprint,
        standing=snapshot.standing,
        plan=plan,
        view=view,
        store=store.facts,
        revision=RevisionFacts(
            agent_id=store.facts.agent_id,
            store_id=store.facts.store_id,
            state=RevisionState.ACTIVE,
            integrity=Integrity.VERIFIED,
            lineage=Lineage.INTACT,
            anonymity=policy_class.anonymity,
            expires_at=None,
        ),
        section=Section.NOTE,
        own_policies=live(policy_class.own_policy_ids, policies),
        requirements=tuple(
            Requirement(
                policy_id=policy_id,
                expected_revision=policies[policy_id].policy_revision,
                expected_epoch=policies[policy_id].revocation_epoch,
            )
            if policy_id in policies
            else unmet(policy_id)
            for policy_id in policy_class.inherited_policy_ids
        ),
        policies=policies,
    )


def unmet(policy_id: PolicyId) -> Requirement:
    """Return a requirement that no policy meets."""
    return Requirement(policy_id=policy_id, expected_revision=PolicyRevision(-1), expected_epoch=RevocationEpoch(-1))


def live(ids: Sequence[PolicyId], policies: Mapping[PolicyId, Policy]) -> tuple[Policy, ...]:
    """Return the policies of `ids`; one that is missing leaves none, which grants nothing."""
    found = tuple(policies[policy_id] for policy_id in ids if policy_id in policies)
    return found if len(found) == len(ids) else ()
