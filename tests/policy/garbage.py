"""Values of wrong shapes, and putting one of them anywhere into facts."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import Any, Final, cast

Path = tuple[str | int, ...]


class Odd:
    """Something that is none of what was expected."""


class Thorny:
    """Something that raises when it is looked at closely."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __eq__(self, other: object) -> bool:  # pyright: ignore[reportImplicitOverride]
        raise self.error

    def __hash__(self) -> int:  # pyright: ignore[reportImplicitOverride]
        raise self.error

    def __lt__(self, other: object) -> bool:
        raise self.error

    def __len__(self) -> int:
        raise self.error

    def __iter__(self) -> Iterator[object]:
        raise self.error


THORNS: Final = (ArithmeticError, AttributeError, KeyError, RecursionError, TypeError, ValueError, OverflowError)

GARBAGE: Final[tuple[object, ...]] = (
    None,
    0,
    -1,
    True,
    float("nan"),
    "",
    "everybody",
    b"bytes",
    (),
    (None,),
    [],
    {},
    frozenset[object](),
    datetime(2026, 5, 4, 12, 0),  # noqa: DTZ001 - a time without a zone is garbage here
    Odd(),
    *(Thorny(error) for error in THORNS),
)


def paths(value: object, before: Path = ()) -> Iterator[Path]:
    """Yield the way to every field and member inside a value."""
    for name, inner in parts(value):
        yield (*before, name)
        yield from paths(inner, (*before, name))


def parts(value: object) -> Iterator[tuple[str | int, object]]:
    """Yield the fields or members of a value, with their names."""
    if is_dataclass(value) and not isinstance(value, type):
        yield from ((field.name, getattr(value, field.name)) for field in fields(value))
    elif isinstance(value, tuple):
        yield from enumerate(cast("tuple[object, ...]", value))


def put(value: Any, path: Path, garbage: object) -> Any:  # noqa: ANN401 - the point is that it fits nowhere
    """Return a copy of a value with garbage at the end of a path."""
    if not path:
        return garbage
    first, *rest = path
    if isinstance(first, int):
        return (*value[:first], put(value[first], tuple(rest), garbage), *value[first + 1 :])
    return replace(value, **{first: put(getattr(value, first), tuple(rest), garbage)})
