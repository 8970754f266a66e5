"""Content that may leave the engine, each piece with its provenance."""

from dataclasses import dataclass
from datetime import datetime

from privity.model.ids import ResourceHandle, SubjectHandle
from privity.model.resources import TrustClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Verified text of one permitted revision.

    `path` is a virtual path inside the view, for people; it is not a grant. `about` holds
    subject handles, valid in this session only. `lines` is the 1-based inclusive range shown.
    """

    handle: ResourceHandle
    path: str
    text: str
    lines: tuple[int, int]
    total_lines: int
    score: float
    trust: TrustClass
    about: tuple[SubjectHandle, ...]
    recorded_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The front card of one store: its entries in order, never mixed with another store's."""

    entries: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A write that is readable now."""

    handle: ResourceHandle
    derived: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPreview:
    """What forgetting a revision would take with it: what was derived from it, where this session may read it."""

    handle: ResourceHandle
    descendants: tuple[ResourceHandle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """A tombstone, and what was derived from it and went with it, where this session could read it."""

    handle: ResourceHandle
    descendants: tuple[ResourceHandle, ...]


WriteResult = Remembered | Forgotten
