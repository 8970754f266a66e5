"""Values as JSON types that say what they are."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import Final, cast

TAG: Final = "$"
"""The member of an object that names its type. No field can have this name."""

MICROSECOND: Final = timedelta(microseconds=1)


def to_wire(value: object) -> object:
    """Return `value` as JSON types. Equal values give equal JSON on every machine.

    Raises:
        TypeError: something in it has no wire form.
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: to_wire(getattr(value, field.name)) for field in fields(value)}
        return {TAG: type(value).__name__, **named}
    return scalar_to_wire(value)


def scalar_to_wire(value: object) -> object:
    """Return a value that is no record as JSON types."""
    match value:
        case Enum():
            return value.value
        case float() if math.isfinite(value):
            return value
        case bytes():
            return value.hex()
        case datetime() if value.utcoffset() is not None:
            return value.isoformat()
        case timedelta():
            return value // MICROSECOND
        case _:
            return members_to_wire(value)


def members_to_wire(value: object) -> object:
    """Return a collection as JSON types."""
    match value:
        case tuple() | list():
            return [to_wire(member) for member in cast("list[object]", value)]
        case frozenset() | set():
            members = (to_wire(member) for member in cast("set[object]", value))
            return sorted(members, key=partial(json.dumps, sort_keys=True))
        case Mapping():
            return {key_to_wire(k): to_wire(v) for k, v in cast("Mapping[object, object]", value).items()}
        case _:
            raise TypeError(f"no wire form for {type(value).__name__}")


def key_to_wire(key: object) -> str:
    """Return the key of a mapping, which is text or a word."""
    text = to_wire(key)
    if type(text) is not str:
        raise TypeError(f"no wire form for a key of {type(key).__name__}")
    return text
