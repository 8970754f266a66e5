"""One canonical byte form for values, for fingerprints, brands and seals."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import cast

from privity.model.ids import Fingerprint

type_tags = (str, int, float, bool, type(None))


def canonical_bytes(value: object) -> bytes:
    """Return the canonical bytes of `value`: equal values give equal bytes on every machine.

    Dataclasses carry their type's name, sets are sorted by the bytes of their members.

    Raises:
        TypeError: the value holds something without a canonical form.
    """
    return json.dumps(plain(value), separators=(",", ":"), ensure_ascii=True).encode("ascii")


def fingerprint(value: object) -> Fingerprint:
    """Return the SHA-256 of the canonical bytes, in hex."""
    return Fingerprint(hashlib.sha256(canonical_bytes(value)).hexdigest())


def plain(value: object) -> object:
    """Return `value` as JSON types, unambiguously."""
    if isinstance(value, type_tags):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(plain(getattr(value, f.name)) for f in fields(value))]
    return plain_container(value)


def plain_container(value: object) -> object:
    """Return containers, bytes and times as JSON types.

    Raises:
        TypeError: the value has no canonical form.
    """
    if isinstance(value, bytes):
        return {"b": value.hex()}
    if isinstance(value, datetime):
        return {"t": value.isoformat()}
    if isinstance(value, timedelta):
        return {"d": value.total_seconds()}
    if isinstance(value, tuple | list):
        return [plain(member) for member in cast("Iterable[object]", value)]
    if isinstance(value, frozenset | set):
        return {"s": sorted((plain(m) for m in cast("Iterable[object]", value)), key=repr)}
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value).items()
        return {"m": sorted([[plain(k), plain(v)] for k, v in pairs], key=repr)}
    raise TypeError(f"no canonical form for {type(value).__name__}")
