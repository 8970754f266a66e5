"""One call of seam A: decided on a snapshot, done, and begun again where authority moved meanwhile."""

from collections.abc import Callable
from typing import Final, TypeVar

from privity.engine.audit import deny
from privity.engine.bound import Bound, planned_view, refuse_context
from privity.engine.denials import deny_at
from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.plan import open_plan
from privity.engine.ports import MovedError
from privity.engine.records import RunRecord
from privity.engine.snapshot import Snapshot, renewed, take
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import Fingerprint
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.policy.facts import View

Outcome = TypeVar("Outcome")

ATTEMPTS: Final = 3

Once = Callable[[Fingerprint], Outcome | Deny]


def attempt(parts: Parts, context: AccessContext, once: Once[Outcome]) -> Outcome | Denied:
    """Do something once, or a few times while authority keeps moving, and record a denial."""
    mark = fingerprint(context)
    for _ in range(ATTEMPTS):
        try:
            outcome = once(mark)
        except MovedError:
            parts.meter.count(Count.AUTHORITY_MOVED)
            continue
        return denied(parts, context, mark, outcome) if isinstance(outcome, Deny) else outcome
    return denied(parts, context, mark, deny_at(Reason.PLAN_EXPIRED, 2))


def denied(parts: Parts, context: AccessContext, mark: Fingerprint, refusal: Deny) -> Denied:
    """Record a denial under the authority of now."""
    return deny(parts, take(parts, context, mark), refusal)


def under_plan(
    parts: Parts, context: AccessContext, plan: Plan, once: Callable[[Bound, RunRecord], Outcome | Deny]
) -> Outcome | Denied:
    """Do something under a plan, in the context's run."""

    def bound_once(mark: Fingerprint) -> Outcome | Deny:
        bound = bind(parts, context, mark, plan)
        if isinstance(bound, Deny):
            return bound
        run = run_of(parts, bound.snapshot)
        return run if isinstance(run, Deny) else once(bound, run)

    return attempt(parts, context, bound_once)


def bind(parts: Parts, context: AccessContext, mark: Fingerprint, plan: Plan) -> Bound | Deny:
    """Take a snapshot and bind it to the plan, or say why the plan does not hold."""
    opened = open_plan(parts, context, plan)
    if isinstance(opened, Deny):
        return opened
    snapshot = hold(parts, context, mark)
    if isinstance(snapshot, Deny):
        return snapshot
    if opened.operation is not context.operation or opened.context_fingerprint != mark:
        return deny_at(Reason.INVALID_CONTEXT, 2)
    if opened.authority_revision != snapshot.authority.authority_revision or opened.expires_at <= snapshot.now:
        return deny_at(Reason.PLAN_EXPIRED, 2)
    return Bound(snapshot=snapshot, plan=opened, view=planned_view(parts, snapshot, plan))


def renew(parts: Parts, bound: Bound) -> Bound | Deny:
    """Return what was bound, under the facts of a later moment, or say why it does not hold any more.

    Raises:
        MovedError: authority moved meanwhile.
    """
    snapshot = renewed(parts, bound.snapshot)
    refusal = refuse_context(snapshot)
    if refusal is not None:
        return refusal
    if bound.plan.expires_at <= snapshot.now:
        return deny_at(Reason.PLAN_EXPIRED, 2)
    return Bound(snapshot=snapshot, plan=bound.plan, view=narrowed(snapshot.view, bound.view))


def narrowed(view: View, before: View) -> View:
    """Return a view without the stores that were not in it before."""
    mounts = {store_id: given for store_id, given in view.mounts.items() if store_id in before.mounts}
    return View(mounts=mounts, withheld=view.withheld)


def hold(parts: Parts, context: AccessContext, mark: Fingerprint) -> Snapshot | Deny:
    """Take a snapshot under which the context holds, or say why it does not."""
    snapshot = take(parts, context, mark)
    refusal = refuse_context(snapshot)
    return snapshot if refusal is None else refusal


def run_of(parts: Parts, snapshot: Snapshot) -> RunRecord | Deny:
    """Return the run that the context speaks for, in its own window."""
    context = snapshot.context
    run = parts.backend.runs.load_run(context.agent_id, context.run_id)
    if run is None or run.session_id != context.session_id:
        return deny_at(Reason.INVALID_CONTEXT, 1)
    return run
