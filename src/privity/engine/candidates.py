"""The candidates stage: ids and scores from indexes, over permitted rows of mounted stores only.

A candidate has no field that could carry content. Rows that changed after an index's
watermark are taken from the catalog instead, so that a lagging index hides nothing of one's
own and counts nothing that is gone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privity.engine.bound import Bound, class_facts
from privity.engine.parts import Parts
from privity.engine.postfilter import look
from privity.engine.ranking import rank
from privity.engine.records import (
    ClassTotals,
    IndexMatches,
    IndexQuery,
    Posting,
    RevisionRecord,
    StoreRecord,
)
from privity.engine.snapshot import with_policies
from privity.engine.terms import analyse, fold
from privity.model.decisions import Allow
from privity.model.ids import RevisionId, StoreId
from privity.model.resources import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A row that the plan may permit."""

    revision_id: RevisionId
    store_id: StoreId
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A query taken apart."""

    terms: tuple[str, ...]
    needles: tuple[str, ...]


def want(parts: Parts, query: str) -> Wanted:
    """Return what to look for, tokenised by the index's own tokenizer."""
    terms, needles = analyse(query, parts.backend.index.tokens)
    return Wanted(terms=terms, needles=needles)


def search(parts: Parts, bound: Bound, wanted: Wanted) -> Iterator[Candidate]:
    """Return every candidate the evaluator could allow, best first (conformance: superset).

    All of them are found and ranked when this returns; only their shape is made as they are taken.
    """
    found = [(store.facts.store_id, matches(parts, bound, store, wanted)) for store in bound.stores]
    return (
        Candidate(revision_id=revision_id, store_id=store_id, score=-negative)
        for negative, revision_id, store_id in rank(found)
    )


def matches(parts: Parts, bound: Bound, store: StoreRecord, wanted: Wanted) -> IndexMatches:
    """Return the postings of one store: from its index, and from rows newer than the index."""
    agent_id = store.facts.agent_id
    state = parts.backend.index.state(agent_id, store, bound.snapshot.now)
    changed = parts.backend.revisions.list_changes(agent_id, store.facts.store_id, state.watermark)
    query = IndexQuery(
        terms=wanted.terms,
        needles=wanted.needles,
        classes=permitted_classes(parts, bound, store, tuple(state.classes)),
        skip=frozenset(row.revision_id for row in changed),
        at=bound.snapshot.now,
    )
    indexed = parts.backend.index.match(agent_id, store, query)
    if not changed:
        return indexed
    return add(indexed, [scanned(parts, bound, store, row, wanted) for row in changed])


def permitted_classes(parts: Parts, bound: Bound, store: StoreRecord, class_ids: tuple[str, ...]) -> frozenset[str]:
    """Return the policy classes whose sound rows the plan permits; each is decided once."""
    classes = parts.backend.revisions.load_classes(store.facts.agent_id, class_ids)
    named = {
        policy_id
        for policy_class in classes.values()
        for policy_id in (*policy_class.own_policy_ids, *policy_class.inherited_policy_ids)
    }
    policies = with_policies(parts, bound.snapshot, named)
    return frozenset(
        class_id
        for class_id, policy_class in classes.items()
        if isinstance(bound.rows.decide(class_facts(bound, store, policy_class, policies)), Allow)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """One permitted row read from its artifact: its length, and how often each term occurs."""

    revision_id: RevisionId
    length: int
    occurrences: tuple[int, ...]


def scanned(parts: Parts, bound: Bound, store: StoreRecord, row: RevisionRecord, wanted: Wanted) -> Scanned | None:
    """Return one row above the watermark, if it is a note that the plan permits."""
    if row.section is not Section.NOTE:
        return None
    permitted = look(parts, bound, store, row, 0.0)
    if permitted is None:
        return None
    text = permitted.content.decode("utf-8")
    tokens = parts.backend.index.tokens(text)
    folded = fold(text)
    return Scanned(
        revision_id=row.revision_id,
        length=len(tokens),
        occurrences=(
            *(tokens.count(term) for term in wanted.terms),
            *(folded.count(needle) for needle in wanted.needles),
        ),
    )


def add(indexed: IndexMatches, rows: Sequence[Scanned | None]) -> IndexMatches:
    """Return the index's postings and totals with the scanned rows added."""
    present = [row for row in rows if row is not None]
    totals = ClassTotals(
        rows=indexed.totals.rows + len(present),
        tokens=indexed.totals.tokens + sum(row.length for row in present),
    )
    postings = tuple(
        (*listed, *scanned_postings(present, position)) for position, listed in enumerate(indexed.postings)
    )
    return IndexMatches(totals=totals, postings=postings)


def scanned_postings(rows: Sequence[Scanned], position: int) -> tuple[Posting, ...]:
    """Return the postings of the term or needle at `position` among scanned rows."""
    return tuple((row.revision_id, row.length, row.occurrences[position]) for row in rows if row.occurrences[position])
