"""What the host accepts from a plugin: each answer fits the context, the plan and the run it was for."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.events import EventReceipt, TranscriptEvent
from privity.model.ids import PolicySetId, ResourceHandle, RunExposureRevision, SubjectHandle
from privity.model.passages import Card, ForgetPreview, Passage, WriteResult
from privity.model.plans import PLAN_VERSION, Plan
from privity.model.receipts import RECEIPT_VERSION, EgressReceipt, ExposureReceipt, RunReceipt
from privity.sdk.envelope import Envelope
from privity.sdk.errors import NonconformingError
from privity.sdk.plugin import CONTRACT_VERSION, Capabilities

Content = TypeVar("Content")
Written = TypeVar("Written", bound=WriteResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What a run was shown, as the last receipt says. Both only move forward."""

    revision: RunExposureRevision
    policy_set_id: PolicySetId


def require(claims: dict[str, bool]) -> None:
    """Hold the plugin to its contract.

    Raises:
        NonconformingError: one of the claims is false.
    """
    for claim, holds in claims.items():
        if not holds:
            raise NonconformingError(f"memory unavailable: not so, that {claim}")


def admit_plugin(capabilities: Capabilities) -> None:
    """Refuse a plugin that lacks a capability or speaks another version of the contract.

    Raises:
        NonconformingError: it does.
    """
    require({"the plugin declares capabilities": type(capabilities) is Capabilities})
    require(
        {
            f"the plugin speaks version {CONTRACT_VERSION}": capabilities.version == CONTRACT_VERSION,
            "the plugin has scoped candidates": capabilities.scoped_candidates is True,
            "the plugin reads by authorized handle": capabilities.exact_read_by_authorized_handle is True,
            "the plugin syncs within a scope": capabilities.scoped_sync is True,
            "the plugin writes within a scope": capabilities.scoped_write is True,
            "the plugin exports within a scope": capabilities.scoped_export is True,
            "the plugin gives exposure receipts": capabilities.exposure_receipts is True,
            "the plugin gives egress receipts": capabilities.egress_receipts is True,
            "the plugin labels transcripts": capabilities.labelled_transcripts is True,
        }
    )


def accept_plan(plan: Plan, context: AccessContext, now: datetime) -> Plan:
    """Return a plan that was made for exactly this context."""
    require({"the plan is one": type(plan) is Plan})
    require(
        {
            "the plan has this version": plan.version == PLAN_VERSION,
            "the plan is for this context": plan.context_fingerprint == fingerprint(context),
            "the plan is for this operation": plan.operation is context.operation,
            "the plan is for this window": plan.session_identity_revision == context.session_identity_revision,
            "the plan is for this subject": plan.subject_revision == context.subject_revision,
            "the plan is for this delivery": plan.delivery_revision == context.delivery.delivery_revision,
            "the plan has not expired": plan.expires_at > now,
        }
    )
    return plan


def accept_run(receipt: RunReceipt, context: AccessContext) -> Exposure:
    """Return what a run begins with."""
    require({"the run receipt is one": type(receipt) is RunReceipt})
    require(
        {
            "the run receipt has this version": receipt.version == RECEIPT_VERSION,
            "the run receipt is for this run": receipt.run_id == context.run_id,
        }
    )
    return Exposure(revision=receipt.run_exposure_revision, policy_set_id=receipt.policy_set_id)


def accept_envelope(
    envelope: Envelope[Content], context: AccessContext, plan: Plan, before: Exposure
) -> tuple[Content, Exposure]:
    """Return the content of an envelope, and what the run was shown with it."""
    require({"content comes in an envelope": type(envelope) is Envelope})
    receipt, egress = envelope.exposure, envelope.egress
    require(
        {
            "the exposure receipt is one": type(receipt) is ExposureReceipt,
            "the egress receipt is one": type(egress) is EgressReceipt,
        }
    )
    require(
        {
            "the exposure receipt has this version": receipt.version == RECEIPT_VERSION,
            "the exposure receipt is for this context": receipt.context_fingerprint == fingerprint(context),
            "the exposure receipt is for this plan": receipt.plan_id == plan.plan_id,
            "the exposure receipt is for this run": receipt.run_id == context.run_id,
            "exposure only grows": receipt.run_exposure_revision >= before.revision,
            "everything shown is in the receipt": set(handles(envelope.value)) <= set(receipt.exposed_handles),
        }
    )
    after = Exposure(revision=receipt.run_exposure_revision, policy_set_id=receipt.policy_set_id)
    accept_egress(egress, context, after)
    return envelope.value, after


def handles(value: object) -> Iterator[ResourceHandle]:
    """Yield the handles of the passages in a content."""
    match value:
        case Passage():
            yield value.handle
        case Card():
            yield from (entry.handle for entry in value.entries)
        case tuple():
            for member in value:  # pyright: ignore[reportUnknownVariableType]
                yield from handles(member)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            raise NonconformingError("memory unavailable: content of an unknown form")


def accept_egress(receipt: EgressReceipt, context: AccessContext, exposure: Exposure) -> EgressReceipt:
    """Return an egress receipt for exactly this context and all that its run was shown."""
    require({"the egress receipt is one": type(receipt) is EgressReceipt})
    delivery = context.delivery
    require(
        {
            "the egress receipt has this version": receipt.version == RECEIPT_VERSION,
            "the egress receipt is for this context": receipt.context_fingerprint == fingerprint(context),
            "the egress receipt is for this run": receipt.run_id == context.run_id,
            "the egress receipt covers all that was shown": receipt.run_exposure_revision == exposure.revision,
            "the egress receipt is for this policy set": receipt.policy_set_id == exposure.policy_set_id,
            "the egress receipt is for this delivery": receipt.delivery_revision == delivery.delivery_revision,
            "the egress receipt is for this registry": receipt.egress_registry_revision
            == delivery.egress_registry_revision,
            "no audience was added": set(receipt.allowed_audiences) <= set(delivery.audiences),
        }
    )
    return receipt


def accept_event(receipt: EventReceipt, event: TranscriptEvent) -> EventReceipt:
    """Return the receipt of exactly this event."""
    require({"the event receipt is one": type(receipt) is EventReceipt})
    require({"the event receipt is for this event": receipt.event_id == event.event_id})
    return receipt


def accept_written(written: WriteResult, kind: type[Written]) -> Written:
    """Return the answer of a write, if it is of the kind that its mutation has."""
    if not isinstance(written, kind):
        raise NonconformingError("memory unavailable: a write answered something else")
    return written


def accept_preview(preview: ForgetPreview, handle: ResourceHandle) -> ForgetPreview:
    """Return a preview, if it is of what was asked about and names handles only."""
    require({"a preview answers a preview": type(preview) is ForgetPreview})
    names = preview.descendants
    require(
        {
            "the preview is of the handle": preview.handle == handle,
            "descendants are handles": type(names) is tuple and all(type(name) is str for name in names),
        }
    )
    return preview


def accept_people(people: tuple[SubjectHandle, ...]) -> tuple[SubjectHandle, ...]:
    """Return subject handles, if they are names and nothing else."""
    require({"people are handles": type(people) is tuple and all(type(handle) is str for handle in people)})
    return people
