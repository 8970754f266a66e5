"""A snapshot under a plan, and the facts of whatever is asked there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from privity.engine.denials import deny_at
from privity.engine.parts import Parts
from privity.engine.records import PolicyClass, RevisionRecord, StoreRecord
from privity.engine.row_decisions import RowDecisions
from privity.engine.snapshot import Snapshot, absent_store
from privity.model.context import AccessContext
from privity.model.decisions import Deny
from privity.model.ids import MountHandle, PolicyId, PolicyRevision, RevocationEpoch, StoreId
from privity.model.operations import Operation
from privity.model.plans import Plan
from privity.model.policies import Policy, Requirement
from privity.model.reasons import Reason
from privity.model.resources import Integrity, Lineage, RevisionState, Section
from privity.model.stores import StoreFacts
from privity.policy import first_step
from privity.policy.claims import shared_place
from privity.policy.facts import Facts, PlanFacts, RevisionFacts, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A snapshot with the plan it is used under."""

    snapshot: Snapshot
    plan: PlanFacts
    view: View
    rows: RowDecisions = field(default_factory=RowDecisions, compare=False)

    @property
    def stores(self) -> tuple[StoreRecord, ...]:
        """The mounted stores, in the order of the session mapping."""
        records = self.snapshot.stores.values()
        return tuple(record for record in records if record.facts.store_id in self.view.mounts)

    def find_store(self, store_id: StoreId) -> StoreRecord | None:
        """Return a store if it is mounted."""
        return self.snapshot.stores.get(store_id) if store_id in self.view.mounts else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a decision is about, besides the context, the plan and the view it is made under."""

    operation: Operation
    store: StoreFacts
    revision: RevisionFacts | None
    section: Section
    own_policies: tuple[Policy, ...]
    requirements: tuple[Requirement, ...]
    policies: Mapping[PolicyId, Policy]


def facts_of(bound: Bound, asked: Asked) -> Facts:
    """Return the facts of one decision."""
    snapshot = bound.snapshot
    return Facts(
        now=snapshot.now,
        operation=asked.operation,
        agent_id=snapshot.context.agent_id,
        authority_revision=snapshot.authority.authority_revision,
        context=snapshot.context,
        fingerprint=snapshot.fingerprint,
        standing=snapshot.standing,
        plan=bound.plan,
        view=bound.view,
        store=asked.store,
        revision=asked.revision,
        section=asked.section,
        own_policies=asked.own_policies,
        requirements=asked.requirements,
        policies=asked.policies,
    )


def row_facts(
    bound: Bound,
    store: StoreRecord,
    revision: RevisionRecord,
    integrity: Integrity,
    policies: Mapping[PolicyId, Policy],
) -> Facts:
    """Return the facts of one row."""
    row = RevisionFacts(
        agent_id=revision.agent_id,
        store_id=revision.store_id,
        state=revision.state,
        integrity=integrity,
        lineage=revision.lineage,
        anonymity=revision.anonymity,
        expires_at=revision.lifetime.expires_at,
    )
    asked = Asked(
        operation=bound.plan.operation,
        store=store.facts,
        revision=row,
        section=revision.section,
        own_policies=live(revision.own_policy_ids, policies),
        requirements=revision.requirements,
        policies=policies,
    )
    return facts_of(bound, asked)


def class_facts(
    bound: Bound, store: StoreRecord, policy_class: PolicyClass, policies: Mapping[PolicyId, Policy]
) -> Facts:
    """Return the facts of any sound row of a policy class: its policies, and no state of its own.

    Inherited policies are asked for as they are now: what a row captured is the row's own affair.
    """
    sound = RevisionFacts(
        agent_id=store.facts.agent_id,
        store_id=store.facts.store_id,
        state=RevisionState.ACTIVE,
        integrity=Integrity.VERIFIED,
        lineage=Lineage.INTACT,
        anonymity=policy_class.anonymity,
        expires_at=None,
    )
    asked = Asked(
        operation=bound.plan.operation,
        store=store.facts,
        revision=sound,
        section=Section.NOTE,
        own_policies=live(policy_class.own_policy_ids, policies),
        requirements=tuple(as_it_is(policy_id, policies) for policy_id in policy_class.inherited_policy_ids),
        policies=policies,
    )
    return facts_of(bound, asked)


def as_it_is(policy_id: PolicyId, policies: Mapping[PolicyId, Policy]) -> Requirement:
    """Return a requirement of a policy as it stands now; of a missing one, a requirement that nothing meets."""
    policy = policies.get(policy_id)
    if policy is None:
        return Requirement(
            policy_id=policy_id, expected_revision=PolicyRevision(-1), expected_epoch=RevocationEpoch(-1)
        )
    return Requirement(
        policy_id=policy_id, expected_revision=policy.policy_revision, expected_epoch=policy.revocation_epoch
    )


def live(ids: Sequence[PolicyId], policies: Mapping[PolicyId, Policy]) -> tuple[Policy, ...]:
    """Return the policies of `ids`; one that is missing leaves none, which grants nothing."""
    found = tuple(policies[policy_id] for policy_id in ids if policy_id in policies)
    return found if len(found) == len(ids) else ()


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
    """Return why the context does not hold, if it does not. There is no plan yet that could fail.

    A cell that has durably seen more withdrawals than the host speaks of serves nobody.
    """
    context = snapshot.context
    unplanned = PlanFacts(
        agent_id=context.agent_id,
        context_fingerprint=snapshot.fingerprint,
        operation=context.operation,
        authority_revision=snapshot.authority.authority_revision,
        delivery_revision=context.delivery.delivery_revision,
        expires_at=context.expires_at,
    )
    nothing = Asked(
        operation=context.operation,
        store=absent_store(snapshot, shared_place(context)),
        revision=None,
        section=Section.NOTE,
        own_policies=(),
        requirements=(),
        policies={},
    )
    bound = Bound(snapshot=snapshot, plan=unplanned, view=snapshot.view)
    return first_step.refuse_context(facts_of(bound, nothing)) or refuse_older_host(snapshot)


def refuse_older_host(snapshot: Snapshot) -> Deny | None:
    """Refuse a host that speaks of fewer withdrawals than the cell has durably seen."""
    if snapshot.standing.host_facts_revision >= snapshot.authority.host_facts_revision:
        return None
    return deny_at(Reason.IDENTITY_REVOKED, 1)


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
