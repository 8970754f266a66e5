"""The read pipeline: plan, gather, exposure, envelope, in this order, whatever is gathered."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from privity.engine.attempt import under_plan
from privity.engine.audit import Noted
from privity.engine.bound import Bound, refuse_context
from privity.engine.exposure import expose
from privity.engine.parts import Parts
from privity.engine.postfilter import Permitted
from privity.engine.records import RunRecord
from privity.engine.snapshot import Snapshot
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.plans import Plan
from privity.sdk.envelope import Envelope

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What a read found: the rows permitted, and what the audit says of it."""

    permitted: tuple[Permitted, ...]
    noted: Noted


def read_through(
    parts: Parts,
    context: AccessContext,
    plan: Plan,
    gather: Callable[[Bound], Gathered | Deny],
    render: Callable[[tuple[Permitted, ...]], Content],
) -> Envelope[Content] | Denied:
    """Gather, record the exposure, and seal. Nothing is rendered before the record is committed."""

    def once(bound: Bound, run: RunRecord) -> Envelope[Content] | Deny:
        gathered = gather(bound)
        if isinstance(gathered, Deny):
            return gathered
        shown = expose(parts, bound.snapshot, run, plan.plan_id, gathered.permitted, gathered.noted)
        refusal = refuse_late(parts, bound.snapshot)
        if refusal is not None:
            return refusal
        return Envelope(value=render(gathered.permitted), exposure=shown.exposure, egress=shown.egress)

    return under_plan(parts, context, plan, once)


def refuse_late(parts: Parts, snapshot: Snapshot) -> Deny | None:
    """Refuse what was exposed too late for the window that succeeded this one.

    A successor takes over what its source was shown once the host has rebound the session. So
    what is shown only while the session is not rebound is never missing there.
    """
    standing = parts.verifier.standing(snapshot.context)
    return None if standing == snapshot.standing else refuse_context(replace(snapshot, standing=standing))
