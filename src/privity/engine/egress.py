"""Egress: which audiences of a delivery may receive what a run was shown."""

from privity.engine.attempt import attempt, hold, run_of
from privity.engine.audit import Noted, record_of
from privity.engine.denials import deny_at
from privity.engine.exposure import allowed_audiences, egress_receipt
from privity.engine.parts import Parts
from privity.engine.records import RunRecord
from privity.engine.snapshot import Snapshot
from privity.model.audiences import Audience
from privity.model.audit import AuditKind
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import Fingerprint, RunExposureRevision
from privity.model.reasons import Reason
from privity.model.receipts import EgressReceipt


def authorize_egress(
    parts: Parts, context: AccessContext, exposure_revision: RunExposureRevision
) -> EgressReceipt | Denied:
    """Return what may go where, unless the run was shown more since the caller last looked."""
    return attempt(parts, context, lambda mark: authorize_once(parts, context, mark, exposure_revision))


def authorize_once(
    parts: Parts, context: AccessContext, mark: Fingerprint, exposure_revision: RunExposureRevision
) -> EgressReceipt | Deny:
    """Answer for what the run was shown by now, and record the answer."""
    snapshot = hold(parts, context, mark)
    if isinstance(snapshot, Deny):
        return snapshot
    run = run_of(parts, snapshot)
    if isinstance(run, Deny):
        return run
    if run.exposure_revision != exposure_revision:
        return deny_at(Reason.PLAN_EXPIRED, 2)
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
