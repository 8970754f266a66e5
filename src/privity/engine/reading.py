"""The read pipeline: plan, gather, exposure, envelope, in this order, whatever is gathered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from privity.engine.audit import Noted, deny
from privity.engine.bound import Bound, planned_view, refuse_context
from privity.engine.exposure import expose
from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.plan import deny_at, open_plan
from privity.engine.ports import MovedError
from privity.engine.postfilter import Permitted
from privity.engine.records import RunRecord
from privity.engine.snapshot import take
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import Fingerprint
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.sdk.envelope import Envelope

Content = TypeVar("Content")

ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What a read found: the rows permitted, and what the audit says of it."""

    permitted: tuple[Permitted, ...]
    noted: Noted


Gather = Callable[[Bound], Gathered | Deny]


def read_through(
    parts: Parts,
    context: AccessContext,
    plan: Plan,
    gather: Gather,
    render: Callable[[tuple[Permitted, ...]], Content],
) -> Envelope[Content] | Denied:
    """Run one read to its envelope, again from the start when authority moved under it."""
    mark = fingerprint(context)
    for _ in range(ATTEMPTS):
        try:
            return read_once(parts, context, mark, plan, gather, render)
        except MovedError:
            parts.meter.count(Count.AUTHORITY_MOVED)
            continue
    snapshot = take(parts, context, mark)
    return deny(parts, snapshot, deny_at(Reason.PLAN_EXPIRED, 2))


def read_once(
    parts: Parts,
    context: AccessContext,
    mark: Fingerprint,
    plan: Plan,
    gather: Gather,
    render: Callable[[tuple[Permitted, ...]], Content],
) -> Envelope[Content] | Denied:
    """Gather, record the exposure, and seal. Nothing is rendered before the record is committed."""
    bound = bind(parts, context, mark, plan)
    if isinstance(bound, Deny):
        return deny(parts, take(parts, context, mark), bound)
    run = parts.backend.runs.load_run(context.agent_id, context.run_id)
    if run is None or run.session_id != context.session_id:
        return deny(parts, bound.snapshot, deny_at(Reason.INVALID_CONTEXT, 1))
    gathered = gather(bound)
    if isinstance(gathered, Deny):
        return deny(parts, bound.snapshot, gathered)
    return envelope_of(parts, bound, run, plan, gathered, render)


def envelope_of(
    parts: Parts,
    bound: Bound,
    run: RunRecord,
    plan: Plan,
    gathered: Gathered,
    render: Callable[[tuple[Permitted, ...]], Content],
) -> Envelope[Content]:
    """Commit the exposure, then render what it covers."""
    shown = expose(parts, bound.snapshot, run, plan.plan_id, gathered.permitted, gathered.noted)
    return Envelope(value=render(gathered.permitted), exposure=shown.exposure, egress=shown.egress)


def bind(parts: Parts, context: AccessContext, mark: Fingerprint, plan: Plan) -> Bound | Deny:
    """Take a snapshot and bind it to the plan, or say why the plan does not hold."""
    opened = open_plan(parts, context, plan)
    if isinstance(opened, Deny):
        return opened
    snapshot = take(parts, context, mark)
    refusal = refuse_context(snapshot)
    if refusal is not None:
        return refusal
    if opened.operation is not context.operation or opened.context_fingerprint != mark:
        return deny_at(Reason.INVALID_CONTEXT, 2)
    if opened.authority_revision != snapshot.authority.authority_revision:
        return deny_at(Reason.PLAN_EXPIRED, 2)
    if opened.expires_at <= snapshot.now:
        return deny_at(Reason.PLAN_EXPIRED, 2)
    return Bound(snapshot=snapshot, plan=opened, view=planned_view(parts, snapshot, plan))
