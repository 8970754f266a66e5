"""Egress: which audiences of a delivery may receive what a run was shown."""

from privity.engine.audit import Noted, deny, record_of
from privity.engine.bound import refuse_context
from privity.engine.exposure import allowed_audiences, egress_receipt
from privity.engine.parts import Parts
from privity.engine.plan import deny_at
from privity.engine.records import RunRecord
from privity.engine.snapshot import Snapshot, take
from privity.model.audiences import Audience
from privity.model.audit import AuditKind
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import RunExposureRevision
from privity.model.reasons import Reason
from privity.model.receipts import EgressReceipt


def authorize_egress(
    parts: Parts, context: AccessContext, exposure_revision: RunExposureRevision
) -> EgressReceipt | Denied:
    """Return what may go where, unless the run was shown more since the caller last looked."""
    snapshot = take(parts, context, fingerprint(context))
    refusal = refuse_context(snapshot)
    if refusal is not None:
        return deny(parts, snapshot, refusal)
    run = parts.backend.runs.load_run(context.agent_id, context.run_id)
    if run is None or run.session_id != context.session_id:
        return deny(parts, snapshot, deny_at(Reason.INVALID_CONTEXT, 1))
    if run.exposure_revision != exposure_revision:
        return deny(parts, snapshot, deny_at(Reason.PLAN_EXPIRED, 2))
    allowed = allowed_audiences(parts, snapshot, run)
    record(parts, snapshot, run, allowed)
    return egress_receipt(parts, snapshot, run, allowed)


def record(parts: Parts, snapshot: Snapshot, run: RunRecord, allowed: tuple[Audience, ...]) -> None:
    """Commit what was answered; an answer that leaves an audience out is a denial in the audit."""
    wanted = snapshot.context.delivery.audiences
    widened = None
    if not wanted or set(wanted) - set(allowed):
        widened = deny_at(Reason.AUDIENCE_WIDENED, 9)
    said = Noted(
        kind=AuditKind.EGRESS,
        operation=snapshot.context.operation,
        exposure_revision=run.exposure_revision,
        policy_set_id=run.policy_set.policy_set_id,
        result_count=len(allowed),
    )
    parts.backend.outbox.record(record_of(parts, snapshot, said, widened))
