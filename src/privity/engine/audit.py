"""Audit records of the engine: what happened to which rows, by whom, and nothing of what they say."""

from dataclasses import dataclass
from typing import Final

from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.snapshot import Snapshot
from privity.model.audit import AuditKind, AuditRecord, SearchTier
from privity.model.decisions import Denied, Deny
from privity.model.ids import (
    DecisionId,
    PolicySetId,
    PrincipalId,
    ReceiptId,
    RevisionId,
    RuleId,
    RunExposureRevision,
    StoreId,
)
from privity.model.operations import Operation
from privity.model.principals import Actor, PrincipalActor
from privity.model.stores import StoreKind

NOTHING_SHOWN: Final = RunExposureRevision(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What an audit record says beyond who, when and under which authority."""

    kind: AuditKind
    operation: Operation
    revision_ids: tuple[RevisionId, ...] = ()
    store_ids: tuple[StoreId, ...] = ()
    store_kinds: tuple[StoreKind, ...] = ()
    query_digest: str | None = None
    result_count: int = 0
    search_tier: SearchTier | None = None
    exposure_revision: RunExposureRevision = NOTHING_SHOWN
    policy_set_id: PolicySetId | None = None
    receipt_id: ReceiptId | None = None
    determining_rules: tuple[RuleId, ...] = ()


def record_of(parts: Parts, snapshot: Snapshot, noted: Noted, refusal: Deny | None = None) -> AuditRecord:
    """Return the record of one decision; the catalog numbers it."""
    context = snapshot.context
    return AuditRecord(
        sequence=0,
        kind=noted.kind,
        decision_id=DecisionId(parts.entropy.token("dec")),
        agent_id=context.agent_id,
        request_id=context.request_id,
        context_id=context.context_id,
        run_id=context.run_id,
        session_id=context.session_id,
        accessor_id=accessor(context.actor),
        target_ids=noted.store_ids,
        operation=noted.operation,
        reason=None if refusal is None else refusal.reason,
        step=0 if refusal is None else refusal.step,
        revision_ids=noted.revision_ids,
        query_digest=noted.query_digest,
        result_count=noted.result_count,
        search_tier=noted.search_tier,
        authority_revision=snapshot.authority.authority_revision,
        run_exposure_revision=noted.exposure_revision,
        policy_set_id=noted.policy_set_id,
        receipt_id=noted.receipt_id,
        determining_rules=noted.determining_rules if refusal is None else refusal.determining_rules,
        store_kinds=noted.store_kinds,
        trace=() if refusal is None else refusal.trace,
        at=snapshot.now,
    )


def accessor(actor: Actor) -> PrincipalId | None:
    """Return the principal behind an actor, if there is one."""
    return actor.principal_id if isinstance(actor, PrincipalActor) else None


def deny(parts: Parts, snapshot: Snapshot, refusal: Deny) -> Denied:
    """Record a denial with its trace and return what the host is told of it."""
    said = Noted(kind=AuditKind.DENIAL, operation=snapshot.context.operation)
    record = record_of(parts, snapshot, said, refusal)
    parts.backend.outbox.record(record)
    parts.meter.count(Count.DENIAL)
    return Denied(reason=refusal.reason, step=refusal.step, decision_id=record.decision_id)
