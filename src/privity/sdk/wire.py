"""The wire form of values: JSON types that say what they are, read back exactly or refused.

A record is an object whose `$` is its type's name, so that alternatives need no guessing; an
enumeration is its value, a set is a sorted list, bytes are hex, a time is ISO 8601 with its
offset and a span is a whole number of microseconds.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, Final, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints, overload

from privity.sdk.errors import InputError
from privity.sdk.wire_scalars import SCALARS, Reader, as_list, as_object, read_word
from privity.sdk.wire_writing import TAG, to_wire

__all__ = ["from_wire", "to_wire"]

Value = TypeVar("Value")


@overload
def from_wire(expected: type[Value], data: object) -> Value: ...


@overload
def from_wire(expected: UnionType, data: object) -> Any: ...  # noqa: ANN401 - whichever of the union it is


def from_wire(expected: Any, data: object) -> Any:
    """Return the value of the type `expected` that `data` is the wire form of.

    Raises:
        InputError: `data` is anything else: a field too many or too few, another kind, a near miss.
        TypeError: `expected` is no type that has a wire form.
    """
    return reader_of(expected)(data, getattr(expected, "__name__", "value"))


@cache
def reader_of(expected: Any) -> Reader:  # noqa: ANN401 - types have no common type
    """Return the reader of a type, made once."""
    origin, arguments = get_origin(expected) or expected, get_args(expected)
    if isinstance(expected, NewType):
        return reader_of(expected.__supertype__)
    if origin in (Union, UnionType):
        return alternatives_reader(arguments)
    if is_dataclass(origin):
        return record_reader(cast("type[object]", origin), arguments)
    if origin in COLLECTIONS:
        return COLLECTIONS[origin](arguments)
    if isinstance(expected, type) and issubclass(expected, Enum):
        return partial(read_word, expected)
    if expected in SCALARS:
        return SCALARS[expected]
    raise TypeError(f"no wire form for {expected}")


def record_reader(record: type[Any], arguments: tuple[Any, ...]) -> Reader:
    """Return the reader of a dataclass, whose type parameters stand for `arguments`."""
    given = dict(zip(getattr(record, "__parameters__", ()), arguments, strict=True))
    hints = {name: given.get(hint, hint) for name, hint in get_type_hints(record).items()}
    readers = {field.name: reader_of(hints[field.name]) for field in fields(record)}
    return partial(read_record, record, readers)


def read_record(record: type[Any], readers: Mapping[str, Reader], data: object, where: str) -> object:
    """Read an object with exactly the fields of a record."""
    found = as_object(data, where)
    if find_tag(found) != record.__name__:
        raise InputError("another type is named", where=where, remedy=f"expected `{record.__name__}`")
    wrong = (found.keys() - {TAG}) ^ readers.keys()
    if wrong:
        named = ", ".join(f"`{name}`" for name in sorted(wrong))
        raise InputError(
            f"unknown or missing fields: {named}", where=where, remedy="send exactly the fields of the type"
        )
    return record(**{name: read(found[name], f"{where}.{name}") for name, read in readers.items()})


def alternatives_reader(arguments: tuple[Any, ...]) -> Reader:
    """Return the reader of a union: records are told apart by name, and at most one is no record."""
    records = {get_origin(a) or a: reader_of(a) for a in arguments if is_dataclass(get_origin(a) or a)}
    others = [reader_of(a) for a in arguments if a is not NoneType and not is_dataclass(get_origin(a) or a)]
    if len(others) > 1:
        raise TypeError("no wire form for a union of several plain types")
    named = {record.__name__: read for record, read in records.items()}
    return partial(read_alternative, named, NoneType in arguments, others)


def read_alternative(
    records: Mapping[str, Reader], optional: object, others: list[Reader], data: object, where: str
) -> object:
    """Read one of several types."""
    if data is None and optional:
        return None
    tag = find_tag(data)
    if tag in records:
        return records[tag](data, where)
    for read in others:
        return read(data, where)
    raise InputError("none of the types it could be", where=where, remedy=f"expected one of {sorted(records)}")


def find_tag(data: object) -> str:
    """Return the name of the type that an object says it is, or nothing."""
    tag = cast("dict[str, object]", data).get(TAG) if isinstance(data, dict) else None
    return tag if isinstance(tag, str) else ""


def list_reader(arguments: tuple[Any, ...]) -> Reader:
    """Return the reader of a list."""
    return partial(read_list, reader_of(arguments[0]))


def read_list(read: Reader, data: object, where: str) -> list[Any]:
    """Read a list whose members are of one type."""
    return [read(member, f"{where}[{n}]") for n, member in enumerate(as_list(data, where))]


def tuple_reader(arguments: tuple[Any, ...]) -> Reader:
    """Return the reader of a tuple, of any length or of exactly these types."""
    if arguments[-1] is Ellipsis:
        return partial(read_tuple, reader_of(arguments[0]))
    return partial(read_row, [reader_of(argument) for argument in arguments])


def read_tuple(read: Reader, data: object, where: str) -> object:
    """Read a tuple whose members are of one type."""
    return tuple(read_list(read, data, where))


def read_row(readers: list[Reader], data: object, where: str) -> object:
    """Read a list with exactly as many members as there are types."""
    found = as_list(data, where)
    if len(found) != len(readers):
        raise InputError("too many or too few members", where=where, remedy=f"send {len(readers)}")
    return tuple(read(member, f"{where}[{n}]") for n, (read, member) in enumerate(zip(readers, found, strict=True)))


def set_reader(arguments: tuple[Any, ...]) -> Reader:
    """Return the reader of a set."""
    return partial(read_set, reader_of(arguments[0]))


def read_set(read: Reader, data: object, where: str) -> object:
    """Read a set, none of whose members comes twice."""
    members = read_list(read, data, where)
    if len(frozenset(members)) != len(members):
        raise InputError("a member of a set comes twice", where=where, remedy="send each once")
    return frozenset(members)


def mapping_reader(arguments: tuple[Any, ...]) -> Reader:
    """Return the reader of a mapping from text or words."""
    key, value = arguments
    return partial(read_mapping, reader_of(key), reader_of(value))


def read_mapping(read_key: Reader, read: Reader, data: object, where: str) -> object:
    """Read an object as a mapping."""
    found = as_object(data, where)
    return {read_key(key, where): read(value, f"{where}[]") for key, value in found.items()}


COLLECTIONS: Final[Mapping[object, Callable[[tuple[Any, ...]], Reader]]] = {
    list: list_reader,
    tuple: tuple_reader,
    frozenset: set_reader,
    Mapping: mapping_reader,
    dict: mapping_reader,
}
