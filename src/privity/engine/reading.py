"""The read pipeline: plan, candidates, postfilter, exposure, envelope, in this order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from privity.engine import candidates as stage
from privity.engine.audit import Noted, deny
from privity.engine.candidates import Bound, Candidate
from privity.engine.exposure import expose
from privity.engine.parts import Parts
from privity.engine.passages import passage_of
from privity.engine.plan import deny_at, open_plan, own_store
from privity.engine.ports import MovedError
from privity.engine.postfilter import Permitted, examine, look
from privity.engine.records import RevisionRecord, RunRecord, StoreRecord
from privity.engine.snapshot import Snapshot, planned_view, take, refuse_context
from privity.engine.text import CARD_CHARACTERS, CARD_ENTRIES, parse_limit, parse_query
from privity.model.audit import AuditKind, SearchTier
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import Fingerprint, PrincipalId, ResourceHandle, SubjectHandle
from privity.model.operations import Operation
from privity.model.passages import Card, Passage
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.model.resources import Section
from privity.sdk.envelope import Envelope
from privity.sdk.errors import InputError
from privity.sdk.plugin import LineRange

Content = TypeVar("Content")

ATTEMPTS: Final = 3
BATCH: Final = 16


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
    return Envelope(
        value=render(gathered.permitted), exposure=shown.exposure, egress=shown.egress
    )


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


def search(
    parts: Parts,
    context: AccessContext,
    plan: Plan,
    query: str,
    *,
    about: Sequence[SubjectHandle],
    limit: int,
) -> Envelope[tuple[Passage, ...]] | Denied:
    """Return the best `limit` permitted passages."""
    asked, most = parse_query(query), parse_limit(limit)
    people = frozenset(open_people(parts, context, about))

    def gather(bound: Bound) -> Gathered | Deny:
        wanted = stage.want(parts, asked)
        found = stage.search(parts, bound, wanted)
        fresh = bind(parts, context, bound.snapshot.fingerprint, plan)
        if isinstance(fresh, Deny):
            return fresh
        if fresh.snapshot.authority != bound.snapshot.authority:
            raise MovedError
        rows = tuple(best(parts, fresh, found, people, most))
        return Gathered(permitted=rows, noted=searched(parts, fresh, rows, asked))

    return read_through(parts, context, plan, gather, lambda rows: passages(parts, context, rows))


def best(
    parts: Parts,
    bound: Bound,
    found: Sequence[Candidate],
    people: frozenset[PrincipalId],
    most: int,
) -> Iterator[Permitted]:
    """Yield up to `most` permitted rows in order, widening until they are found or none is left."""
    stores = {record.facts.store_id: record for record in bound.stores}
    allowed = 0
    for start in range(0, len(found), BATCH):
        batch = found[start : start + BATCH]
        rows = parts.backend.revisions.load_revisions(
            bound.snapshot.context.agent_id, [c.revision_id for c in batch]
        )
        for candidate in batch:
            revision, store = rows.get(candidate.revision_id), stores.get(candidate.store_id)
            if revision is None or store is None or not concerns(revision, people):
                continue
            permitted = permit_candidate(parts, bound, store, revision, candidate)
            if permitted is None:
                continue
            yield permitted
            allowed += 1
            if allowed == most:
                return


def permit_candidate(
    parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord, candidate: Candidate
) -> Permitted | None:
    """Permit one candidate note under fresh facts."""
    if revision.section is not Section.NOTE:
        return None
    return look(
        parts,
        bound.snapshot,
        bound.plan,
        bound.view,
        store=store,
        revision=revision,
        score=candidate.score,
    )


def concerns(revision: RevisionRecord, people: frozenset[PrincipalId]) -> bool:
    """The row is about one of `people`, or nobody in particular was asked for."""
    return not people or any(subject.id in people for subject in revision.about)


def open_people(
    parts: Parts, context: AccessContext, about: Sequence[SubjectHandle]
) -> Iterator[PrincipalId]:
    """Yield the principals behind subject handles of this session.

    Raises:
        InputError: one of them was not issued in this session.
    """
    for handle in about:
        principal_id = parts.handles.open_subject(context, handle)
        if principal_id is None:
            raise InputError(
                "not a subject handle of this session",
                where="about",
                remedy="use the handles that the run issues",
            )
        yield principal_id


def searched(parts: Parts, bound: Bound, rows: Sequence[Permitted], query: str) -> Noted:
    """Return what the audit says of a search: a digest of the query and counts."""
    return Noted(
        kind=AuditKind.ACCESS,
        operation=Operation.READ,
        revision_ids=tuple(row.revision.revision_id for row in rows),
        store_ids=tuple(bound.view.mounts),
        store_kinds=tuple(record.facts.kind for record in bound.stores),
        query_digest=parts.seals.digest(query),
        result_count=len(rows),
        search_tier=SearchTier.FTS,
    )


def passages(
    parts: Parts, context: AccessContext, rows: Sequence[Permitted]
) -> tuple[Passage, ...]:
    """Return the passages of permitted rows, in order."""
    return tuple(passage_of(parts, context, row) for row in rows)


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
    context = bound.snapshot.context
    named = parts.handles.open_resource(context, handle)
    if named is None:
        return deny_at(Reason.OUTSIDE_VIEW, 4)
    stores = {record.facts.store_id: record for record in bound.stores}
    rows = parts.backend.revisions.load_revisions(context.agent_id, [named.revision_id])
    store, revision = stores.get(named.store_id), rows.get(named.revision_id)
    if store is None or revision is None or revision.section is not Section.NOTE:
        return deny_at(Reason.OUTSIDE_VIEW, 4)
    return examine(
        parts, bound.snapshot, bound.plan, bound.view, store=store, revision=revision, score=0.0
    )


def read_exactly(
    parts: Parts,
    context: AccessContext,
    plan: Plan,
    handles: Sequence[ResourceHandle],
    operation: Operation,
    render: Callable[[tuple[Permitted, ...]], Content],
) -> Envelope[Content] | Denied:
    """Return the revisions named by `handles`, all or nothing."""

    def gather(bound: Bound) -> Gathered | Deny:
        rows = exact(parts, bound, handles)
        if isinstance(rows, Deny):
            return rows
        return Gathered(permitted=rows, noted=accessed(bound, rows, operation))

    return read_through(parts, context, plan, gather, render)


def accessed(bound: Bound, rows: Sequence[Permitted], operation: Operation) -> Noted:
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
    """Return one revision, or some lines of it."""

    def render(rows: tuple[Permitted, ...]) -> Passage:
        return passage_of(parts, context, rows[0], lines)

    return read_exactly(parts, context, plan, (handle,), Operation.READ, render)


def export(
    parts: Parts, context: AccessContext, plan: Plan, handles: Sequence[ResourceHandle]
) -> Envelope[tuple[Passage, ...]] | Denied:
    """Return the revisions named, all or nothing."""
    return read_exactly(
        parts, context, plan, handles, Operation.EXPORT, lambda rows: passages(parts, context, rows)
    )


def bootstrap(parts: Parts, context: AccessContext, plan: Plan) -> Envelope[Card] | Denied:
    """Return the front card of the session subject's own store. Two cards are never joined."""

    def gather(bound: Bound) -> Gathered | Deny:
        own = own_store(bound.snapshot)
        stores = {record.facts.store_id: record for record in bound.stores}
        store = None if own is None else stores.get(own.store_id)
        rows = () if store is None else tuple(card_rows(parts, bound, store))
        return Gathered(permitted=rows, noted=accessed(bound, rows, Operation.READ))

    return read_through(
        parts, context, plan, gather, lambda rows: Card(entries=passages(parts, context, rows))
    )


def card_rows(parts: Parts, bound: Bound, store: StoreRecord) -> Iterator[Permitted]:
    """Yield the permitted entries of one store's card, oldest first, within the card's bounds."""
    room = CARD_CHARACTERS
    listed = parts.backend.revisions.list_card(store.facts.agent_id, store.facts.store_id)
    for revision in listed[:CARD_ENTRIES]:
        row = look(
            parts, bound.snapshot, bound.plan, bound.view, store=store, revision=revision, score=0.0
        )
        if row is None:
            continue
        room -= len(row.content.decode("utf-8"))
        if room < 0:
            return
        yield row
