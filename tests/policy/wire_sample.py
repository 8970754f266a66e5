"""One record with a field of each kind that needs care, and its wire form."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from privity.model.operations import Operation
from privity.model.principals import Actor
from tests.policy.samples import SOMEBODY
from tests.policy.world import NOW


@dataclass(frozen=True, slots=True)
class Sample:
    """One field of each kind that needs care."""

    pair: tuple[int, str]
    several: tuple[int, ...]
    some: frozenset[int]
    named: dict[str, float]
    actor: Actor
    note: str | None
    at: datetime | None
    word: Operation
    flag: bool
    data: bytes
    span: timedelta


SAMPLE: Final = Sample(
    pair=(1, "one"),
    several=(2, 3),
    some=frozenset({3, 1, 2}),
    named={"a": 1.5},
    actor=SOMEBODY,
    note=None,
    at=NOW,
    word=Operation.POLICY_ADMIN,
    flag=True,
    data=b"\x00\xff",
    span=timedelta(seconds=1),
)

WRITTEN: Final[dict[str, Any]] = {
    "$": "Sample",
    "pair": [1, "one"],
    "several": [2, 3],
    "some": [1, 2, 3],
    "named": {"a": 1.5},
    "actor": {"$": "UnattributedActor", "transport_audit_ref": "ref_1", "evidence_revision": "evr_1"},
    "note": None,
    "at": "2026-05-04T12:00:00+00:00",
    "word": "policy-admin",
    "flag": True,
    "data": "00ff",
    "span": 1_000_000,
}
