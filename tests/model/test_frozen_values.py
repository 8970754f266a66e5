"""Contexts, plans, receipts and mounts: frozen through and through, and one never taken for another."""

import enum
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass
from datetime import datetime
from itertools import permutations
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import pytest

from privity.engine.seals import Sealed, Seals
from privity.model.context import AccessContext
from privity.model.ids import AgentId
from privity.model.plans import Mount, Plan
from privity.model.receipts import EgressReceipt, ExposureReceipt, RunReceipt

FROZEN: Final = (AccessContext, Plan, Mount, RunReceipt, ExposureReceipt, EgressReceipt)
BRANDED: Final = (AccessContext, Plan, ExposureReceipt, EgressReceipt)
SEALED: Final[tuple[type[Sealed], ...]] = (Plan, RunReceipt, ExposureReceipt, EgressReceipt)
PLAIN: Final = (str, int, float, bool, bytes, datetime, NoneType)
HELD: Final = (tuple, frozenset)
CELL: Final = AgentId("agt_one")


def parts(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - of any annotation
    """Yield the types that a value of `annotation` is made of, itself first; containers by their origin."""
    origin = get_origin(annotation)
    if origin is None:
        yield getattr(annotation, "__supertype__", annotation)
        return
    if origin not in {Union, UnionType}:
        yield origin
    for argument in get_args(annotation):
        if argument is not Ellipsis:
            yield from parts(argument)


def reachable(start: type[Any]) -> frozenset[Any]:
    """Return every type that a value of `start` may hold, however deep."""
    found: set[Any] = set()
    waiting: list[Any] = [start]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        if is_dataclass(one):
            waiting += [part for hint in get_type_hints(one).values() for part in parts(hint)]
    return frozenset(found)


def is_frozen(one: Any) -> bool:  # noqa: ANN401 - of any type
    """A value of this type cannot change, as far as the type alone goes."""
    if is_dataclass(one):
        return bool(getattr(one, "__dataclass_params__").frozen) and "__slots__" in vars(one)  # noqa: B009
    return one in PLAIN or one in HELD or (isinstance(one, type) and issubclass(one, enum.Enum))


@pytest.mark.proves("context:frozen")
@pytest.mark.parametrize("record", FROZEN)
def test_nothing_that_it_holds_can_change(record: type[Any]) -> None:
    """Whatever can be reached from it is a frozen record, a closed word, a plain value, a tuple or a frozen set."""
    held = reachable(record)

    assert [one for one in held if not is_frozen(one)] == []
    assert not is_frozen(dict)
    assert not is_frozen(list)


def blank(record: type[Any]) -> Any:  # noqa: ANN401 - of any of the records
    """Return a record whose fields are all alike, so that only its type tells it from another."""
    made = object.__new__(record)
    for field in fields(record):
        object.__setattr__(made, field.name, "alike")
    return made


@pytest.mark.proves("context:frozen")
@pytest.mark.parametrize("record", FROZEN)
def test_no_field_of_it_is_set_or_taken_away_or_added(record: type[Any]) -> None:
    """Setting, deleting and adding are errors."""
    made = blank(record)
    for field in fields(record):
        with pytest.raises(FrozenInstanceError):
            setattr(made, field.name, "changed")
        with pytest.raises(FrozenInstanceError):
            delattr(made, field.name)
    with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
        setattr(made, "added", "x")  # noqa: B010 - no field has this name

    assert [getattr(made, field.name) for field in fields(record)] == ["alike"] * len(fields(record))


@pytest.mark.proves("context:frozen")
def test_the_four_brands_are_of_four_types_and_none_stands_for_another() -> None:
    """Context, plan, exposure and egress receipt share no base; a seal says of which type it is."""
    seals = Seals(bytes(32))
    marks = {record: seals.seal(CELL, blank(record)) for record in SEALED}

    assert [(one, other) for one, other in permutations(BRANDED, 2) if issubclass(one, other)] == []
    assert {record.__mro__[1:] for record in BRANDED} == {(object,)}
    assert len(set(marks.values())) == len(SEALED)
    for record in SEALED:
        assert {other for other in SEALED if seals.is_sealed(CELL, sealed(other, marks[record]))} == {record}


def sealed(record: type[Any], seal: bytes) -> Any:  # noqa: ANN401 - of any of the records
    """Return a blank record that bears a seal."""
    made = blank(record)
    object.__setattr__(made, "seal", seal)
    return made
