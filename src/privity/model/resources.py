"""Resources and their immutable revisions: origin, subjects, authority and life cycle."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from privity.model.ids import EventId, EvidenceRevision, PrincipalId


class RevisionState(StrEnum):
    """The states a revision passes through. Readers see `active` only."""

    STAGED = "staged"
    PENDING = "pending"
    FINALIZED = "finalized"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    TOMBSTONED = "tombstoned"
    QUARANTINED = "quarantined"


class Integrity(StrEnum):
    """Whether the artifact of a revision is where and what the catalog says."""

    VERIFIED = "verified"
    MISMATCHED = "mismatched"
    MISSING = "missing"
    OUTSIDE_ROOT = "outside-root"


class Lineage(StrEnum):
    """Whether every revision this one was derived from may still be derived from."""

    INTACT = "intact"
    BROKEN = "broken"


class Section(StrEnum):
    """Which layer of a store a resource belongs to. A card entry is reached through bootstrap only."""

    NOTE = "note"
    CARD = "card"


class Anonymity(StrEnum):
    """Whether a published resource may be seen where nobody in particular is known."""

    IDENTIFIED_ONLY = "identified-only"
    ANONYMOUS_SAFE = "anonymous-safe"


class TrustClass(StrEnum):
    """How far the origin of a fact is trusted, highest first."""

    OWNER = "owner"
    AGENT = "agent"
    PARTICIPANT = "participant"
    SYSTEM = "system"
    UNTRUSTED = "untrusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the evidence came from. It never sets the audience."""

    trust: TrustClass
    author_id: PrincipalId | None
    event_id: EventId | None


class SubjectKind(StrEnum):
    """What a resource may be about."""

    PERSON = "person"
    CONVERSATION = "conversation"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSubject:
    """Who or what a fact is about. It supports exact lookup and grants nothing."""

    kind: SubjectKind
    id: str
    evidence_revision: EvidenceRevision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetime:
    """When a revision was recorded and when it stops being readable, if ever."""

    recorded_at: datetime
    expires_at: datetime | None
