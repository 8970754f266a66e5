"""Text at the doors: what is none is refused, whoever hands it in."""

import pytest

from privity.host.inputs import MAX_TEXT_BYTES, parse_characters
from privity.sdk.errors import InputError


class Word(str):
    """A string that may do anything when it is looked at."""

    __slots__ = ()


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize(
    "value",
    [
        b"bytes",
        7,
        None,
        ["text"],
        Word("text"),
        "half \ud800 a pair",
        "\udfff",
        "nul \x00",
        "x" * (MAX_TEXT_BYTES + 1),
        "é" * (MAX_TEXT_BYTES // 2 + 1),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_storable_text_is_an_input_error(value: object) -> None:
    """Other types, halves of characters, NUL, and more bytes than fit, whatever their number of characters."""
    with pytest.raises(InputError) as refused:
        parse_characters(value, where="text")  # pyright: ignore[reportArgumentType]
    assert refused.value.where == "text"


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize("value", ["", "x" * MAX_TEXT_BYTES, "é" * (MAX_TEXT_BYTES // 2), "\U0010ffff", "a\r\nb"])
def test_what_can_be_stored_comes_back_as_it_is(value: str) -> None:
    """Nothing is trimmed, folded or normalised at the door."""
    assert parse_characters(value, where="text") == value
