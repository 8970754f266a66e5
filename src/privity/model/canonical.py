"""One canonical byte form for values, for fingerprints, brands and seals."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from datetime import datetime, timedelta
from typing import cast

from privity.model.ids import Fingerprint


def canonical_bytes(value: object) -> bytes:
    """Return the canonical bytes of `value`: equal values give equal bytes on every machine.

    Whatever JSON has no word for is tagged: a dataclass carries its type's name, sets are
    sorted by the text of their members.

    Raises:
        TypeError: the value holds something without a canonical form.
        ValueError: the value holds a float that is no number.
    """
    return canonical_text(value).encode("ascii")


def canonical_text(value: object) -> str:
    """Return the canonical bytes as text; every character is ASCII."""
    return json.dumps(value, default=tagged, separators=(",", ":"), allow_nan=False, sort_keys=True)


def fingerprint(value: object) -> Fingerprint:
    """Return the SHA-256 of the canonical bytes, in hex."""
    return Fingerprint(hashlib.sha256(canonical_bytes(value)).hexdigest())


def tagged(value: object) -> dict[str, object]:
    """Return what JSON has no word for, under a tag of its own.

    Raises:
        TypeError: the value has no canonical form.
    """
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        return {"c": [kind.__name__, *(getattr(value, name) for name in kind.__dataclass_fields__)]}
    if isinstance(value, bytes):
        return {"b": value.hex()}
    if isinstance(value, datetime):
        return {"t": value.isoformat()}
    if isinstance(value, timedelta):
        return {"d": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, frozenset | set):
        return {"s": sorted(canonical_text(member) for member in cast("Iterable[object]", value))}
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {"m": sorted(canonical_text([key, member]) for key, member in pairs)}
    raise TypeError(f"no canonical form for {type(value).__name__}")
