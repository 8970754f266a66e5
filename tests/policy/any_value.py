"""Generated values of any type that has a wire form, down to the last field."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, NewType, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

ZONES: Final = (UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8)))
SCALARS: Final[dict[object, st.SearchStrategy[Any]]] = {
    NoneType: st.none(),
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(max_size=8),
    bytes: st.binary(max_size=8),
    datetime: st.datetimes(timezones=st.sampled_from(ZONES)),
    timedelta: st.timedeltas(),
}


def any_value(expected: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - of any type
    """Return values of a type."""
    if expected in SCALARS:
        return SCALARS[expected]
    if isinstance(expected, NewType):
        return any_value(expected.__supertype__)
    if hasattr(expected, "__dataclass_fields__"):
        return any_record(expected)
    if isinstance(expected, type) and issubclass(expected, Enum):
        return st.sampled_from(expected)
    return any_collection(get_origin(expected), get_args(expected))


def any_record(record: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - of any dataclass
    """Return values of a dataclass."""
    hints = get_type_hints(record)
    return st.builds(record, **{field.name: any_value(hints[field.name]) for field in fields(record)})


def any_collection(origin: Any, arguments: tuple[Any, ...]) -> st.SearchStrategy[Any]:  # noqa: ANN401 - of any type
    """Return values of a generic type."""
    if origin in (Union, UnionType):
        return st.one_of(*map(any_value, arguments))
    if origin in (dict, Mapping):
        return st.dictionaries(any_value(arguments[0]), any_value(arguments[1]), max_size=3)
    if origin is frozenset:
        return st.frozensets(any_value(arguments[0]), max_size=3)
    if arguments[-1] is Ellipsis:
        return st.lists(any_value(arguments[0]), max_size=3).map(tuple)
    return st.tuples(*map(any_value, arguments))
