"""The read pipeline: plan, gather, exposure, envelope, in this order, whatever is gathered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from privity.engine.attempt import under_plan
from privity.engine.audit import Noted
from privity.engine.bound import Bound
from privity.engine.exposure import expose
from privity.engine.parts import Parts
from privity.engine.postfilter import Permitted
from privity.engine.records import RunRecord
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
        return Envelope(value=render(gathered.permitted), exposure=shown.exposure, egress=shown.egress)

    return under_plan(parts, context, plan, once)
