"""JSON for nested values in columns: strict, exact, and compiled once for each type.

Times are integer microseconds since 1970 UTC. A member of a union names its type.
"""

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cache
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
Convert = Callable[[Any], Any]

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
TYPE: Final = "is"
SCALARS: Final = (str, int, bool)
PARSE: Final = json.JSONDecoder().decode
COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)


def to_micros(moment: datetime) -> int:
    """Return an aware time as microseconds."""
    return (moment - EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the UTC time of so many microseconds."""
    return EPOCH + timedelta(microseconds=micros)


def optional_micros(moment: datetime | None) -> int | None:
    """Return a time that may be absent as microseconds."""
    return None if moment is None else to_micros(moment)


def optional_time(micros: int | None) -> datetime | None:
    """Return a time that may be absent."""
    return None if micros is None else from_micros(micros)


def dump(value: object, annotation: object) -> str:
    """Return `value` of the type `annotation` as JSON."""
    return COMPACT.encode(encoder(annotation)(value))


def load(text: str, annotation: Callable[..., Value]) -> Value:
    """Return the value of the type `annotation` that `text` holds.

    Raises:
        ValueError: the text is not JSON, or a field is missing, unknown or of a wrong kind.
    """
    return loader(annotation)(text)


def loader(annotation: Callable[..., Value]) -> Callable[[str], Value]:
    """Return what `load` does for one type, for those that load many."""
    decode: Callable[[object], Value] = decoder(annotation)

    def load_one(text: str) -> Value:
        try:
            return decode(PARSE(text))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a stored {annotation}") from error

    return load_one


def same(value: Any) -> Any:  # noqa: ANN401 - what JSON holds as it is
    """Return `value`."""
    return value


@cache
def encoder(annotation: Any) -> Convert:  # noqa: ANN401 - an annotation may be of any form
    """Return the function that turns a value of the type into JSON types."""
    plain = bare(annotation)
    if plain in SCALARS or (isinstance(plain, type) and issubclass(plain, Enum)):
        return same
    if plain is datetime:
        return to_micros
    if isinstance(plain, type) and is_dataclass(plain):
        return dataclass_encoder(plain)
    return container_encoder(plain)


@cache
def decoder(annotation: Any) -> Convert:  # noqa: ANN401 - an annotation may be of any form
    """Return the function that makes a value of the type from JSON types."""
    plain = bare(annotation)
    if plain in SCALARS:
        return scalar_decoder(plain)
    if plain is datetime:
        return from_micros
    if isinstance(plain, type) and issubclass(plain, Enum):
        return plain
    if isinstance(plain, type) and is_dataclass(plain):
        return dataclass_decoder(plain)
    return container_decoder(plain)


def bare(annotation: Any) -> Any:  # noqa: ANN401 - an annotation may be of any form
    """Return the annotation without its `NewType`."""
    while hasattr(annotation, "__supertype__"):
        annotation = annotation.__supertype__
    return annotation


def scalar_decoder(kind: type) -> Convert:
    """Return the function that insists on exactly this scalar."""

    def decode(value: object) -> object:
        if type(value) is not kind:
            raise TypeError(kind.__name__)
        return value

    return decode


def dataclass_encoder(kind: type) -> Convert:
    """Return the function that makes an object of a value's fields."""
    members = tuple((name, encoder(hint)) for name, hint in get_type_hints(kind).items())

    def encode(value: object) -> dict[str, object]:
        return {name: convert(getattr(value, name)) for name, convert in members}

    return encode


def dataclass_decoder(kind: type) -> Convert:
    """Return the function that makes a value of exactly its fields."""
    members = tuple((name, decoder(hint)) for name, hint in get_type_hints(kind).items())
    size = len(fields(kind))

    def decode(value: Mapping[str, object]) -> object:
        if len(value) != size:
            raise TypeError(kind.__name__)
        return kind(**{name: convert(value[name]) for name, convert in members})

    return decode


def container_encoder(annotation: Any) -> Convert:  # noqa: ANN401 - an annotation may be of any form
    """Return the encoder of a tuple, set, mapping or union."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return union_encoder(arguments)
    inner = encoder(arguments[0])
    if origin is tuple and inner is same:
        return list
    if origin is tuple:
        return lambda value: [inner(member) for member in value]
    if origin is frozenset:
        return lambda value: [inner(member) for member in sorted(value)]
    if origin is Mapping:
        outer = encoder(arguments[1])
        return lambda value: {inner(key): outer(member) for key, member in value.items()}
    raise TypeError(f"no stored form for {annotation}")


def container_decoder(annotation: Any) -> Convert:  # noqa: ANN401 - an annotation may be of any form
    """Return the decoder of a tuple, set, mapping or union."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return union_decoder(arguments)
    inner = decoder(arguments[0])
    if origin is tuple:
        return lambda value: tuple([inner(member) for member in value])
    if origin is frozenset:
        return lambda value: frozenset(inner(member) for member in value)
    if origin is Mapping:
        outer = decoder(arguments[1])
        return lambda value: types.MappingProxyType({inner(key): outer(member) for key, member in value.items()})
    raise TypeError(f"no stored form for {annotation}")


def union_encoder(arguments: tuple[Any, ...]) -> Convert:
    """Return the encoder of an optional value or of one of several types."""
    kinds = [kind for kind in arguments if kind is not type(None)]
    if len(kinds) == 1:
        inner = encoder(kinds[0])
        return same if inner is same else lambda value: None if value is None else inner(value)
    encoders = {kind: encoder(kind) for kind in kinds}

    def encode(value: object) -> dict[str, object] | None:
        if value is None and len(kinds) < len(arguments):
            return None
        return {TYPE: type(value).__name__, **encoders[type(value)](value)}

    return encode


def union_decoder(arguments: tuple[Any, ...]) -> Convert:
    """Return the decoder of an optional value or of one of several types."""
    kinds = [kind for kind in arguments if kind is not type(None)]
    if len(kinds) == 1:
        inner = decoder(kinds[0])
        return lambda value: None if value is None else inner(value)
    decoders = {kind.__name__: decoder(kind) for kind in kinds}

    def decode(value: dict[str, object] | None) -> object:
        if value is None and len(kinds) < len(arguments):
            return None
        members = dict(value or {})
        return decoders[str(members.pop(TYPE))](members)

    return decode
