"""BM25 over the permitted rows of a view, summed over its stores, so that scores compare.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
constants and the floor on inverse document frequency that SQLite's FTS5 uses.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from privity.engine.records import ClassTotals, IndexMatches, Posting
from privity.model.ids import RevisionId, StoreId

K1: Final = 1.2
B: Final = 0.75
LEAST_IDF: Final = 1e-6

Scored = tuple[float, RevisionId, StoreId]
"""The score of a row turned negative, so that plain order is best first and ties go by revision id."""


def rank(found: Sequence[tuple[StoreId, IndexMatches]]) -> Iterator[Scored]:
    """Return every matching row, best first; ties go by revision id.

    Row counts, lengths and document frequencies are those of `found` taken together, which
    holds permitted rows only.
    """
    totals = total(found)
    scores: defaultdict[RevisionId, float] = defaultdict(float)
    homes: dict[RevisionId, StoreId] = {}
    for position in range(width(found)):
        postings = [(store_id, matches.postings[position]) for store_id, matches in found]
        add_term(scores, homes, postings, totals)
    heap = [(-score, revision_id, homes[revision_id]) for revision_id, score in scores.items()]
    heapq.heapify(heap)
    return drained(heap)


def drained(heap: list[Scored]) -> Iterator[Scored]:
    """Yield what is in the heap, best first; few are ever taken of many."""
    while heap:
        yield heapq.heappop(heap)


def total(found: Sequence[tuple[StoreId, IndexMatches]]) -> ClassTotals:
    """Return the rows and tokens of all stores together."""
    return ClassTotals(
        rows=sum(matches.totals.rows for _, matches in found),
        tokens=sum(matches.totals.tokens for _, matches in found),
    )


def width(found: Sequence[tuple[StoreId, IndexMatches]]) -> int:
    """Return how many terms and needles were looked up."""
    return max((len(matches.postings) for _, matches in found), default=0)


def add_term(
    scores: defaultdict[RevisionId, float],
    homes: dict[RevisionId, StoreId],
    postings: Sequence[tuple[StoreId, Sequence[Posting]]],
    totals: ClassTotals,
) -> None:
    """Add what one term contributes to every row that holds it."""
    frequency = sum(len(rows) for _, rows in postings)
    if not frequency:
        return
    idf = max(math.log((totals.rows - frequency + 0.5) / (frequency + 0.5)), LEAST_IDF)
    per_token = B * totals.rows / totals.tokens if totals.tokens else 0.0
    weight = idf * (K1 + 1)
    for store_id, rows in postings:
        for revision_id, length, occurrences in rows:
            damping = K1 * (1 - B + per_token * length)
            scores[revision_id] += weight * occurrences / (occurrences + damping)
            homes[revision_id] = store_id
