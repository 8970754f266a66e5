"""What a query is made of, in every script."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privity.backends.inmemory.tokenizer import Tokenizer as InMemoryTokenizer
from privity.backends.sqlite.tokenizer import Tokenizer as SqliteTokenizer
from privity.engine.terms import LONGEST_WORD, MOST, analyse, fold, is_unspaced, segment

TOKENIZER = SqliteTokenizer()


def taken_apart(query: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the terms and needles of a query."""
    return analyse(query, TOKENIZER.tokens)


@pytest.mark.proves("case:SRCH-05")
@pytest.mark.parametrize(
    ("query", "terms", "needles"),
    [
        ("Where did we go RUNNING?", ("go", "run"), ()),
        ("running runs ran", ("run", "ran"), ()),
        ("naïve Café", ("naiv", "cafe"), ()),
        ("STRASSE straße", ("strass",), ()),
        ("don't", ("don", "t"), ()),
        ("snake_case kebab-case", ("snake", "case", "kebab"), ()),
        ("C++ and ++", ("c",), ("++",)),
        ("👍 ok", ("ok",), ("👍",)),
        ("ok🦄 🥐", ("ok", "🦄", "🥐"), ()),
        ("手机", (), ("手机",)),
        ("手", (), ("手",)),
        ("手机号码", (), ("手机", "机号", "号码")),
        ("iPhone手机 case", ("iphon", "case"), ("手机",)),
        ("東京abcに", ("abc",), ("東京", "に")),
        ("カタカナ ひら", (), ("カタ", "タカ", "カナ", "ひら")),
        ("한국 ราคา ລາວ", (), ("한국", "รา", "าค", "คา", "ລາ", "າວ")),
        ("手机手机", (), ("手机", "机手")),
        ("the of", ("the", "of"), ()),
        ("who ?", ("who",), ()),
        ("what is this \u2013 手", (), ("手",)),
        ("?!", (), ("?!",)),
        ("100% _ \\", ("100",), ()),
        ('"quoted" AND NOT (near*) OR col:x -y ^z', ("quot", "near", "col", "x", "y", "z"), ()),
        ("", (), ()),
        (" \t\n\u3000", (), ()),
        ("a\x00b", ("b",), ()),
    ],
)
def test_a_query_is_taken_apart(query: str, terms: tuple[str, ...], needles: tuple[str, ...]) -> None:
    """Words to terms without stop words; scripts without spaces to pairs; the rest to literals."""
    assert taken_apart(query) == (terms, needles)


@pytest.mark.proves("case:SRCH-05")
@pytest.mark.parametrize("word", ["word{}", "手{}機", "+{}"])
def test_a_long_query_is_cut(word: str) -> None:
    """At most 64 terms and needles together, the first ones."""
    query = " ".join(word.format("x" * (number % 7) + str(number)) for number in range(10_000))
    terms, needles = taken_apart(query)

    assert len(terms) + len(needles) == MOST


@pytest.mark.proves("case:SRCH-05")
def test_borders_of_scripts_part_words() -> None:
    """A Latin word beside Chinese is a word of its own; spaces that are there stay."""
    assert segment("iPhone手机 and中文。ok") == "iPhone 手机 and 中文 。 ok"
    assert TOKENIZER.tokens("iPhone手机pro") == ("iphon", "手机", "pro")


@pytest.mark.proves("case:SRCH-05")
def test_a_word_too_long_to_index_is_parted() -> None:
    """So that no token is ever cut where a query would not cut it."""
    text = "x" * (2 * LONGEST_WORD + 1)

    assert [len(token) for token in TOKENIZER.tokens(text)] == [LONGEST_WORD, LONGEST_WORD, 1]
    assert segment("y" * LONGEST_WORD) == "y" * LONGEST_WORD


@pytest.mark.proves("case:SRCH-05")
@pytest.mark.parametrize(
    ("text", "folded"),
    [("CAFE\u0301", "café"), ("ﬁN", "fin"), ("ẞß", "ssss"), ("ЯЖ", "яж"), ("手", "手"), ("", "")],
)
def test_folding_composes_and_ignores_case(text: str, folded: str) -> None:
    """Two spellings of one text are one text."""
    assert fold(text) == folded


any_text = st.text(max_size=40) | st.lists(
    st.sampled_from(["手机", "run", " ", "é", "ﬁ", "ราคา", "++", "\x00", "한", "x" * 30]), max_size=12
).map("".join)


@pytest.mark.property
@pytest.mark.proves("case:SRCH-05")
@settings(max_examples=400, deadline=None)
@given(text=any_text)
def test_taking_apart_is_steady(text: str) -> None:
    """Folding is settled at once, borders never cut a literal, and both backends cut alike."""
    terms, needles = taken_apart(text)

    assert fold(fold(text)) == fold(text)
    assert taken_apart(text) == (terms, needles)
    assert all(needle in fold(text) for needle in needles)
    assert set(terms) <= set(TOKENIZER.tokens(text))
    assert bool(terms or needles) == bool(text.split())
    assert not any(is_unspaced(term) for term in terms)
    assert InMemoryTokenizer().tokens(text) == TOKENIZER.tokens(text)


def counted(tokens: Callable[[str], tuple[str, ...]], calls: list[str]) -> Callable[[str], tuple[str, ...]]:
    """Return `tokens` with its calls noted."""

    def tokenize(text: str) -> tuple[str, ...]:
        calls.append(text)
        return tokens(text)

    return tokenize


@pytest.mark.proves("case:SRCH-05")
def test_what_comes_after_the_cut_is_not_even_tokenised() -> None:
    """A huge query costs no more than its beginning."""
    calls: list[str] = []
    analyse(" ".join(f"word{number}" for number in range(10_000)), counted(TOKENIZER.tokens, calls))

    assert len(calls) == MOST
