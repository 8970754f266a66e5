"""What most agents have today, for comparison: one notebook that every conversation reaches."""

import math
import re
from collections import Counter
from typing import Final

WORD: Final = re.compile(r"\w+")


class SharedNotebook:
    """One full-text index over everything anybody said, scored as BM25 does."""

    def __init__(self) -> None:
        self._notes: list[tuple[str, Counter[str]]] = []

    def remember(self, note: str) -> None:
        """Add a note, whoever it is from and wherever it was said."""
        self._notes.append((note, Counter(words(note))))

    def search(self, query: str, *, limit: int) -> tuple[str, ...]:
        """Return the best notes for the query, whoever asks and wherever the answer goes."""
        scored = [(self._score(words(query), terms), note) for note, terms in self._notes]
        return tuple(note for score, note in sorted(scored, reverse=True)[:limit] if score)

    def _score(self, query: list[str], terms: Counter[str]) -> float:
        weight = 2.2 / (1 + 1.2 * (0.25 + 0.75 * terms.total() / self._mean_length()))
        return sum(self._rarity(word) * terms[word] * weight for word in set(query))

    def _rarity(self, word: str) -> float:
        holding = sum(1 for _, terms in self._notes if word in terms)
        return math.log(1 + (len(self._notes) - holding + 0.5) / (holding + 0.5))

    def _mean_length(self) -> float:
        return sum(terms.total() for _, terms in self._notes) / len(self._notes)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return WORD.findall(text.lower())
