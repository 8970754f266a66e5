"""Exact access: one revision or several by handle, all or nothing."""

from collections.abc import Sequence

from privity.engine.audit import Noted
from privity.engine.bound import Bound
from privity.engine.denials import deny_at
from privity.engine.parts import Parts
from privity.engine.passages import passage_of, passages, require_lines
from privity.engine.postfilter import Permitted, examine
from privity.engine.reading import Gathered, read_through
from privity.engine.rows import find_row
from privity.model.audit import AuditKind, SearchTier
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import ResourceHandle
from privity.model.operations import Operation
from privity.model.passages import Passage
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.model.resources import Section
from privity.sdk.envelope import Envelope
from privity.sdk.plugin import LineRange


def exact(parts: Parts, bound: Bound, handles: Sequence[ResourceHandle]) -> tuple[Permitted, ...] | Deny:
    """Permit each revision named by a handle, all or none.

    A foreign handle, garbage, and a row outside the view fail alike.
    """
    rows: list[Permitted] = []
    for handle in handles:
        row = exact_row(parts, bound, handle)
        if isinstance(row, Deny):
            return row
        rows.append(row)
    return tuple(rows)


def exact_row(parts: Parts, bound: Bound, handle: ResourceHandle) -> Permitted | Deny:
    """Permit the note that one handle names."""
    row = find_row(parts, bound, handle)
    if row is None or row.revision.section is not Section.NOTE:
        return deny_at(Reason.OUTSIDE_VIEW, 4)
    return examine(parts, bound, row.store, row.revision, 0.0)


def accessed(rows: Sequence[Permitted], operation: Operation) -> Noted:
    """Return what the audit says of an exact access."""
    return Noted(
        kind=AuditKind.ACCESS,
        operation=operation,
        revision_ids=tuple(row.revision.revision_id for row in rows),
        store_ids=tuple(dict.fromkeys(row.store.facts.store_id for row in rows)),
        store_kinds=tuple(dict.fromkeys(row.store.facts.kind for row in rows)),
        result_count=len(rows),
        search_tier=SearchTier.EXACT,
    )


def read(
    parts: Parts, context: AccessContext, plan: Plan, handle: ResourceHandle, lines: LineRange | None
) -> Envelope[Passage] | Denied:
    """Return one revision, or some lines of it.

    Raises:
        InputError: the revision may be read, and ends before the first of the lines.
    """

    def gather(bound: Bound) -> Gathered | Deny:
        row = exact_row(parts, bound, handle)
        if isinstance(row, Deny):
            return row
        require_lines(row, lines)
        return Gathered(permitted=(row,), noted=accessed((row,), Operation.READ))

    return read_through(parts, context, plan, gather, lambda rows: passage_of(parts, context, rows[0], lines))


def export(
    parts: Parts, context: AccessContext, plan: Plan, handles: Sequence[ResourceHandle]
) -> Envelope[tuple[Passage, ...]] | Denied:
    """Return the revisions named, all or nothing."""

    def gather(bound: Bound) -> Gathered | Deny:
        rows = exact(parts, bound, handles)
        if isinstance(rows, Deny):
            return rows
        return Gathered(permitted=rows, noted=accessed(rows, Operation.EXPORT))

    return read_through(parts, context, plan, gather, lambda rows: passages(parts, context, rows))
