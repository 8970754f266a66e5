"""Plans and handles: what the engine hands the host to carry, without the host reading it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from privity.model.audiences import Audience
from privity.model.ids import (
    AudienceRevision,
    AuthorityRevision,
    DeliveryRevision,
    Fingerprint,
    MountHandle,
    PlanId,
    SessionIdentityRevision,
    SubjectRevision,
)
from privity.model.operations import Operation

PLAN_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A store in a view, under an opaque handle, with what may be asked of it."""

    mount_handle: MountHandle
    capabilities: frozenset[Operation]
    audience_revision: AudienceRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Leave to perform one operation under exactly one context. Opaque to the host.

    `seal` authenticates every other field; a plan is bound to its context's fingerprint,
    operation, delivery and the authority revision it was computed from.
    """

    version: int
    plan_id: PlanId
    context_fingerprint: Fingerprint
    session_identity_revision: SessionIdentityRevision
    subject_revision: SubjectRevision
    authority_revision: AuthorityRevision
    delivery_revision: DeliveryRevision
    operation: Operation
    mounts: tuple[Mount, ...]
    allowed_egress_audiences: tuple[Audience, ...]
    expires_at: datetime
    seal: bytes
