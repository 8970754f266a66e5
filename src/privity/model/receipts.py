"""Receipts: that content was shown, and that it may go somewhere."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from privity.model.audiences import Audience
from privity.model.ids import (
    DeliveryRevision,
    EgressRegistryRevision,
    Fingerprint,
    PlanId,
    PolicySetId,
    ReceiptId,
    ResourceHandle,
    RunExposureRevision,
    RunId,
)

RECEIPT_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReceipt:
    """That a run has begun, and the policy set it begins with."""

    version: int
    receipt_id: ReceiptId
    run_id: RunId
    run_exposure_revision: RunExposureRevision
    policy_set_id: PolicySetId
    seal: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposureReceipt:
    """That these revisions were shown in this run; cumulative, and committed before they were."""

    version: int
    receipt_id: ReceiptId
    context_fingerprint: Fingerprint
    plan_id: PlanId
    run_id: RunId
    run_exposure_revision: RunExposureRevision
    policy_set_id: PolicySetId
    exposed_handles: tuple[ResourceHandle, ...]
    recorded_at: datetime
    seal: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressReceipt:
    """Which audiences of one delivery may receive what the run was shown, and until when."""

    version: int
    receipt_id: ReceiptId
    context_fingerprint: Fingerprint
    run_id: RunId
    run_exposure_revision: RunExposureRevision
    policy_set_id: PolicySetId
    allowed_audiences: tuple[Audience, ...]
    delivery_revision: DeliveryRevision
    egress_registry_revision: EgressRegistryRevision
    expires_at: datetime
    seal: bytes
