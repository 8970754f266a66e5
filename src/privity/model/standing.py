"""What the host says about a context at this moment, for re-validation inside the engine."""

from dataclasses import dataclass
from enum import StrEnum

from privity.model.ids import (
    DeliveryRevision,
    EgressRegistryRevision,
    HostFactsRevision,
    PrincipalId,
    SessionIdentityRevision,
    SubjectRevision,
)


class Authenticity(StrEnum):
    """Whether a context is the very object the host issued and still holds."""

    GENUINE = "genuine"
    FORGED = "forged"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextStanding:
    """The host's current facts beside a context: what its revisions must still equal.

    `session_identity_revision` and `subject_revision` are `None` where the session key maps
    to nothing any more. `revoked_ids` are the principals of the context that are revoked now.
    """

    authenticity: Authenticity
    session_identity_revision: SessionIdentityRevision | None
    subject_revision: SubjectRevision | None
    delivery_revision: DeliveryRevision
    egress_registry_revision: EgressRegistryRevision
    host_facts_revision: HostFactsRevision
    revoked_ids: frozenset[PrincipalId]
