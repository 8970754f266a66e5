"""The closed, versioned set of reasons for a denial."""

from enum import StrEnum
from typing import Final

REASONS_VERSION: Final = 1


class Reason(StrEnum):
    """Why something was denied. Stable inside; outside it is always *not available*."""

    INVALID_CONTEXT = "invalid-context"
    SESSION_REBOUND = "session-rebound"
    DELIVERY_REBOUND = "delivery-rebound"
    PLAN_EXPIRED = "plan-expired"
    IDENTITY_REVOKED = "identity-revoked"
    MEMBERSHIP_STALE = "membership-stale"
    OUTSIDE_VIEW = "outside-view"
    REVISION_STALE = "revision-stale"
    EXPLICIT_DENY = "explicit-deny"
    DEFAULT_DENY = "default-deny"
    AUDIENCE_WIDENED = "audience-widened"
    LINEAGE_DENY = "lineage-deny"
    CASCADE_EXCLUDED = "cascade-excluded"
    QUOTA_EXCEEDED = "quota-exceeded"
    BACKEND_NONCONFORMING = "backend-nonconforming"
