"""Reading single values from their wire form, exactly."""

import math
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from types import NoneType
from typing import Any, Final, cast

from privity.sdk.errors import InputError
from privity.sdk.wire_writing import to_wire

Reader = Callable[[object, str], Any]
"""Reads data found at a place, or raises `InputError`."""


def read_word(words: type[Enum], data: object, where: str) -> object:
    """Read a word of a closed set."""
    if type(data) is str and data in {word.value for word in words}:
        return words(data)
    raise InputError("an unknown word", where=where, remedy=f"send one of {sorted(str(word.value) for word in words)}")


def read_exactly(kind: type[object], data: object, where: str) -> object:
    """Read a value of just this JSON type: truth is no number."""
    if type(data) is not kind:
        raise InputError("a value of another type", where=where, remedy=f"send {kind.__name__}")
    return data


def read_number(data: object, where: str) -> object:
    """Read a finite number; a whole one may come without its point."""
    if type(data) not in (int, float) or not math.isfinite(cast("float", data)):
        raise InputError("not a finite number", where=where, remedy="send a number")
    return float(cast("float", data))


def read_bytes(data: object, where: str) -> object:
    """Read bytes written in lower-case hex."""
    return read_back(bytes.fromhex, data, where)


def read_time(data: object, where: str) -> object:
    """Read a time that says its offset."""
    return read_back(datetime.fromisoformat, data, where)


def read_span(data: object, where: str) -> object:
    """Read a span in microseconds."""
    return timedelta(microseconds=cast("int", read_exactly(int, data, where)))


def read_back(parse: Callable[[str], object], data: object, where: str) -> object:
    """Read text that is written just as we would write it."""
    text = cast("str", read_exactly(str, data, where))
    try:
        value = parse(text)
        written = to_wire(value)
    except (ValueError, TypeError):
        written = value = None
    if written != text:
        raise InputError("text of another form", where=where, remedy="send it just as it would be written")
    return value


def as_object(data: object, where: str) -> dict[str, object]:
    """Return data that is an object, whose members have names."""
    found = cast("dict[object, object]", read_exactly(dict, data, where))
    return {cast("str", read_exactly(str, name, where)): value for name, value in found.items()}


def as_list(data: object, where: str) -> list[object]:
    """Return data that is a list."""
    return cast("list[object]", read_exactly(list, data, where))


SCALARS: Final[Mapping[object, Reader]] = {
    NoneType: partial(read_exactly, NoneType),
    bool: partial(read_exactly, bool),
    int: partial(read_exactly, int),
    str: partial(read_exactly, str),
    float: read_number,
    bytes: read_bytes,
    datetime: read_time,
    timedelta: read_span,
}
