"""BM25 over the permitted rows of a view, summed over its stores, so that scores compare.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the
constants and the floor on inverse document frequency that SQLite's FTS5 uses.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from privity.engine.records import ClassTotals, IndexMatches, Posting
from privity.model.ids import RevisionId, StoreId

K1: Final = 1.2
B: Final = 0.75
LEAST_IDF: Final = 1e-6

FIRST: Final = 32
"""How many of the best are put in order at once; the rest are ordered only when somebody goes on."""

Scored = tuple[float, RevisionId, StoreId]
"""The score of a row turned negative, so that plain order is best first and ties go by revision id."""

Found = Sequence[tuple[StoreId, IndexMatches]]


def rank(found: Found) -> Iterator[Scored]:
    """Return every matching row, best first; ties go by revision id.

    Row counts, lengths and document frequencies are those of `found` taken together, which
    holds permitted rows only.
    """
    totals = total(found)
    scores: list[defaultdict[RevisionId, float]] = [defaultdict(float) for _ in found]
    for position in range(width(found)):
        add_term(scores, [matches.postings[position] for _, matches in found], totals)
    return in_order(found, scores)


def total(found: Found) -> ClassTotals:
    """Return the rows and tokens of all stores together."""
    return ClassTotals(
        rows=sum(matches.totals.rows for _, matches in found),
        tokens=sum(matches.totals.tokens for _, matches in found),
    )


def width(found: Found) -> int:
    """Return how many terms and needles were looked up."""
    return max((len(matches.postings) for _, matches in found), default=0)


def add_term(
    scores: Sequence[defaultdict[RevisionId, float]], postings: Sequence[Sequence[Posting]], totals: ClassTotals
) -> None:
    """Add what one term contributes to every row that holds it, store by store."""
    frequency = sum(len(rows) for rows in postings)
    if not frequency:
        return
    idf = max(math.log((totals.rows - frequency + 0.5) / (frequency + 0.5)), LEAST_IDF)
    weight, least = idf * (K1 + 1), K1 * (1 - B)
    per_token = K1 * B * totals.rows / totals.tokens if totals.tokens else 0.0
    for store_scores, rows in zip(scores, postings, strict=True):
        for revision_id, length, occurrences in rows:
            store_scores[revision_id] += weight * occurrences / (occurrences + least + per_token * length)


def in_order(found: Found, scores: Sequence[defaultdict[RevisionId, float]]) -> Iterator[Scored]:
    """Yield the best few in order, then whatever is left in order too."""
    best = heapq.nlargest(FIRST, (score for store_scores in scores for score in store_scores.values()))
    if not best:
        return
    least = best[-1]
    yield from chosen(found, scores, lambda score: score >= least)
    yield from chosen(found, scores, lambda score: score < least)


def chosen(
    found: Found, scores: Sequence[defaultdict[RevisionId, float]], wanted: Callable[[float], bool]
) -> list[Scored]:
    """Return the rows whose score is wanted, in order."""
    return sorted(
        (-score, revision_id, store_id)
        for (store_id, _), store_scores in zip(found, scores, strict=True)
        for revision_id, score in store_scores.items()
        if wanted(score)
    )
