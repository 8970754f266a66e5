"""What a query is made of: the same folding, borders and words for every index.

FTS5's tokenizer takes a run of a script that is written without spaces for one token, so
such runs are matched literally, two characters at a time, and never as terms.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

Tokens = Callable[[str], tuple[str, ...]]

MOST: Final = 64
"""Terms and needles of one query; what comes after them is not looked up."""

LONGEST_WORD: Final = 1_000
"""FTS5 cuts a token at 32,768 bytes; a longer word is parted before it can."""

ENGLISH: Final = """
    a an and are as at be but by did do does for from had has have he her his i if in is it its me my no
    not of on or our she so that the their them there they this to was we were what when where which who
    whom why will with would you your
"""
STOP_WORDS: Final = frozenset(ENGLISH.split())

UNSPACED: Final = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"  # Hangul
    "\u3041-\u309f"  # Hiragana
    "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Katakana
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b"  # Han: radicals and marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Han
)
WORD: Final = "\\w\u0300-\u0331\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
"""Letters, numbers, the diacritics that FTS5 drops, and characters of private use."""

UNSPACED_CHARACTER: Final = re.compile(f"[{UNSPACED}]")
RUN: Final = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}\\s]+")
PART: Final = re.compile(f"[{UNSPACED}]+|(?:(?![{UNSPACED}])[{WORD}])+|(?:(?![{UNSPACED}{WORD}])\\S)+")
LONG_WORD: Final = re.compile(rf"(?<!\S)\S{{{LONGEST_WORD + 1},}}")


def fold(text: str) -> str:
    """Return `text` in the form in which needles are matched: composed (NFC) and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def segment(text: str) -> str:
    """Return `text` composed, with a space wherever words, other signs and unspaced scripts meet.

    FTS5 knows the letters of an older Unicode and takes every newer sign for one; parted from
    words, a new emoji hides no word beside it.
    """
    composed = unicodedata.normalize("NFC", text)
    parted = composed if composed.isascii() else " ".join(PART.findall(composed))
    return LONG_WORD.sub(part, parted) if len(parted) > LONGEST_WORD else parted


def part(long_word: re.Match[str]) -> str:
    """Return a word too long to index, in parts."""
    word = long_word.group()
    return " ".join(word[start : start + LONGEST_WORD] for start in range(0, len(word), LONGEST_WORD))


def is_unspaced(text: str) -> bool:
    """Some of `text` is of a script written without spaces."""
    return UNSPACED_CHARACTER.search(text) is not None


class Weight(IntEnum):
    """How much a piece says. A lighter one is looked up when there is no heavier one."""

    PUNCTUATION = 0
    STOP_WORD = 1
    WORD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One term or one needle of a query."""

    text: str
    is_term: bool
    weight: Weight


def analyse(query: str, tokens: Tokens) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms and the needles of `query`, each once, in its order, at most 64 together."""
    folded = fold(query)
    chosen: tuple[Piece, ...] = ()
    for weight in sorted(Weight, reverse=True):
        chosen = chosen or distinct(piece for piece in pieces(folded, tokens) if piece.weight is weight)
    terms = tuple(piece.text for piece in chosen if piece.is_term)
    needles = tuple(piece.text for piece in chosen if not piece.is_term)
    return terms, needles


def distinct(found: Iterator[Piece]) -> tuple[Piece, ...]:
    """Return the first pieces, without repeats."""
    seen: dict[tuple[str, bool], Piece] = {}
    for piece in found:
        seen.setdefault((piece.text, piece.is_term), piece)
        if len(seen) == MOST:
            break
    return tuple(seen.values())


def pieces(folded: str, tokens: Tokens) -> Iterator[Piece]:
    """Yield the terms and needles of a folded query as they come."""
    for match in RUN.finditer(folded):
        run = match.group()
        yield from pairs(run) if is_unspaced(run) else spaced(run, tokens)


def pairs(run: str) -> Iterator[Piece]:
    """Yield the overlapping pairs of characters of a run, or its only character."""
    for start in range(max(len(run) - 1, 1)):
        yield Piece(text=run[start : start + 2], is_term=False, weight=Weight.WORD)


def spaced(run: str, tokens: Tokens) -> Iterator[Piece]:
    """Yield the terms of a run without spaces in it, or the run itself where it has no token."""
    words = [(word, tokens(word)) for word in PART.findall(run)]
    if not any(found for _, found in words):
        yield Piece(text=run, is_term=False, weight=Weight.PUNCTUATION if is_punctuation(run) else Weight.WORD)
        return
    for word, found in words:
        weight = Weight.STOP_WORD if word in STOP_WORDS else Weight.WORD
        yield from (Piece(text=term, is_term=True, weight=weight) for term in found)


def is_punctuation(text: str) -> bool:
    """`text` is punctuation throughout."""
    return all(unicodedata.category(character).startswith("P") for character in text)
