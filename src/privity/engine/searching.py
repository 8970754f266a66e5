"""Search: candidates, then fresh facts, then the postfilter, until the limit is full or nothing is left."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from privity.engine import candidates as stage
from privity.engine.attempt import renew
from privity.engine.audit import Noted
from privity.engine.bound import Bound
from privity.engine.candidates import Candidate, Wanted
from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.passages import passages
from privity.engine.people import open_people
from privity.engine.postfilter import Permitted, look
from privity.engine.reading import Gathered, read_through
from privity.engine.records import RevisionRecord, StoreRecord
from privity.engine.text import parse_limit, parse_query
from privity.model.audit import AuditKind, SearchTier
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import SubjectHandle
from privity.model.operations import Operation
from privity.model.passages import Passage
from privity.model.plans import Plan
from privity.model.resources import Section
from privity.policy.algebra import Evidence, evidence_of
from privity.sdk.envelope import Envelope


def search(
    parts: Parts,
    context: AccessContext,
    plan: Plan,
    query: str,
    *,
    about: Sequence[SubjectHandle] | None,
    limit: int,
) -> Envelope[tuple[Passage, ...]] | Denied:
    """Return the best `limit` permitted passages."""
    asked, most = parse_query(query), parse_limit(limit)
    people = None if about is None else frozenset(open_people(parts, context, about))

    def gather(bound: Bound) -> Gathered | Deny:
        wanted = stage.want(parts, asked)
        found = stage.search(parts, bound, wanted)
        fresh = renew(parts, bound)
        if isinstance(fresh, Deny):
            return fresh
        evidence = evidence_of(context, fresh.snapshot.now)
        heads = None if people is None else frozenset(evidence.head_of(person) for person in people)
        rows = tuple(best(parts, fresh, found, lambda row: concerns(row, heads, evidence), most))
        noted = searched(parts, fresh, rows, asked)
        return Gathered(permitted=rows, noted=replace(noted, search_tier=tier_of(wanted)))

    return read_through(parts, context, plan, gather, lambda rows: passages(parts, context, rows))


def best(
    parts: Parts,
    bound: Bound,
    found: Iterator[Candidate],
    is_asked_for: Callable[[RevisionRecord], bool],
    most: int,
) -> Iterator[Permitted]:
    """Yield up to `most` permitted rows in order, widening until they are found or none is left."""
    allowed = 0
    while batch := tuple(islice(found, most)):
        rows = parts.backend.revisions.load_revisions(bound.snapshot.context.agent_id, [c.revision_id for c in batch])
        for candidate in batch:
            revision, store = rows.get(candidate.revision_id), bound.find_store(candidate.store_id)
            if revision is None or store is None or not is_asked_for(revision):
                continue
            permitted = permit_candidate(parts, bound, store, revision, candidate)
            if permitted is None:
                parts.meter.count(Count.PREFILTER_DRIFT)
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
    return look(parts, bound, store, revision, candidate.score)


def concerns(revision: RevisionRecord, people: frozenset[str] | None, evidence: Evidence) -> bool:
    """The row is about one of `people`, who are merge heads, or nobody in particular was asked for."""
    return people is None or any(evidence.head_of(subject.id) in people for subject in revision.about)


def tier_of(wanted: Wanted) -> SearchTier:
    """Return the branch that a query takes: text without a token of the index is looked through."""
    return SearchTier.FTS if wanted.terms else SearchTier.SCAN


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
    )
