"""The plan stage: from a context to leave to perform one operation on certain mounts."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from privity.engine.bound import plan_facts, refuse_context
from privity.engine.denials import deny_at
from privity.engine.parts import Parts
from privity.engine.snapshot import Snapshot, absent_store, own_address, store_at, view_with
from privity.model.context import AccessContext
from privity.model.decisions import Deny
from privity.model.ids import AudienceRevision, PlanId, PolicyId, StoreId
from privity.model.plans import PLAN_VERSION, Mount, Plan
from privity.model.reasons import Reason
from privity.model.stores import StoreFacts
from privity.policy.facts import PlanFacts

PLAN_LIFETIME: Final = timedelta(seconds=60)


def authorize(parts: Parts, snapshot: Snapshot) -> Plan | Deny:
    """Compute the view and bind a plan to it, or say why there is none.

    A context whose own store is withheld, made or not, gets no plan at all: what is left of
    its view would look like an answer.
    """
    refusal = refuse_context(snapshot)
    if refusal is not None:
        return refusal
    own = own_store(snapshot)
    if own is not None:
        withheld = view_with(snapshot, own).withheld.get(own.store_id)
        if withheld is not None:
            return deny_at(withheld, 3)
    return seal_plan(parts, snapshot)


def own_store(snapshot: Snapshot) -> StoreFacts | None:
    """Return the facts of the session subject's own store, as if made if it is not."""
    address = own_address(snapshot)
    if address is None:
        return None
    made = store_at(snapshot, address)
    return absent_store(snapshot, address) if made is None else made.facts


def seal_plan(parts: Parts, snapshot: Snapshot) -> Plan:
    """Return a sealed plan over the mounts of the snapshot's view."""
    context = snapshot.context
    draft = Plan(
        version=PLAN_VERSION,
        plan_id=PlanId(parts.entropy.token("pln")),
        context_fingerprint=snapshot.fingerprint,
        session_identity_revision=context.session_identity_revision,
        subject_revision=context.subject_revision,
        authority_revision=snapshot.authority.authority_revision,
        delivery_revision=context.delivery.delivery_revision,
        operation=context.operation,
        mounts=tuple(mount_of(parts, snapshot, store_id) for store_id in snapshot.view.mounts),
        allowed_egress_audiences=context.delivery.audiences,
        expires_at=min(context.expires_at, snapshot.now + PLAN_LIFETIME),
        seal=b"",
    )
    return replace_seal(parts, context, draft)


def mount_of(parts: Parts, snapshot: Snapshot, store_id: StoreId) -> Mount:
    """Return one mount under its session's handle."""
    policy_id: PolicyId = snapshot.stores[store_id].policy_id
    policy = snapshot.policies.get(policy_id)
    return Mount(
        mount_handle=parts.handles.mount(snapshot.context, store_id),
        capabilities=snapshot.view.mounts[store_id],
        audience_revision=AudienceRevision(0 if policy is None else policy.policy_revision),
    )


def open_plan(parts: Parts, context: AccessContext, plan: Plan) -> PlanFacts | Deny:
    """Return what `plan` was bound to, if this engine sealed exactly this plan."""
    if type(plan) is not Plan or not parts.seals.is_sealed(context.agent_id, plan):
        return deny_at(Reason.INVALID_CONTEXT, 2)
    return plan_facts(context, plan)


def replace_seal(parts: Parts, context: AccessContext, draft: Plan) -> Plan:
    """Return `draft` with its seal."""
    return replace(draft, seal=parts.seals.seal(context.agent_id, draft))
