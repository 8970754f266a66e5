"""Principals, the evidence for them, and the actor of one operation."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from privity.model.ids import EvidenceRevision, GroupId, PrincipalId


class PrincipalKind(StrEnum):
    """What a principal is; the value is the prefix of its id."""

    USER = "usr"
    CONVERSATION = "cnv"
    SERVICE = "svc"
    AGENT = "agt"
    SYSTEM = "sys"
    ROLE = "rol"


class Assurance(StrEnum):
    """How the evidence behind a principal was established."""

    GATEWAY_PROFILE = "gateway-profile"
    ADAPTER_ATTESTED = "adapter-attested"
    OIDC = "oidc"
    SERVICE = "service"


class SenderStrength(StrEnum):
    """How far a sender identifier can be relied on, strongest first."""

    VERIFIED = "verified"
    ASSERTED = "asserted"
    UNVERIFIED = "unverified"
    MUTABLE = "mutable"


class ActorKind(StrEnum):
    """What kind of principal caused an operation."""

    HUMAN = "human"
    AGENT = "agent"
    SERVICE = "service"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPrincipal:
    """A principal the host has verified for this operation.

    `principal_id` is the merge head; `merged_ids` are the principals merged into it.
    """

    principal_id: PrincipalId
    merged_ids: tuple[PrincipalId, ...]
    assurance: Assurance
    strength: SenderStrength
    evidence_revision: EvidenceRevision
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalActor:
    """An authenticated person, agent, service or system process that caused the operation."""

    actor_kind: ActorKind
    principal_id: PrincipalId
    assurance: Assurance
    strength: SenderStrength
    evidence_revision: EvidenceRevision
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnattributedActor:
    """An admitted event without a durable principal. It carries no authority."""

    transport_audit_ref: str
    evidence_revision: EvidenceRevision


Actor = PrincipalActor | UnattributedActor


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """Expiring evidence that a principal belongs to a role or a conversation."""

    principal_id: PrincipalId
    group_id: GroupId
    provider: str
    evidence_revision: EvidenceRevision
    observed_at: datetime
    expires_at: datetime
