"""Exposure: what a run was shown becomes part of what binds it, before it is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import reduce
from typing import Final

from privity.engine.audit import Noted, record_of
from privity.engine.parts import Parts
from privity.engine.postfilter import Permitted, named_policies
from privity.engine.records import ExposureCommit, RevisionRecord, RunRecord
from privity.engine.snapshot import Snapshot, with_policies
from privity.model.audiences import Audience
from privity.model.ids import (
    PlanId,
    PolicyId,
    PolicyRevision,
    ReceiptId,
    ResourceHandle,
    RunExposureRevision,
)
from privity.model.policies import Policy, PolicySet, Requirement
from privity.model.receipts import RECEIPT_VERSION, EgressReceipt, ExposureReceipt
from privity.policy.algebra import Evidence, bound_of, evidence_of
from privity.policy.sets import canonical_set, make_set, placement_set, set_covers, unite

EGRESS_LIFETIME: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The receipts of one exposure, sealed."""

    exposure: ExposureReceipt
    egress: EgressReceipt


def expose(
    parts: Parts,
    snapshot: Snapshot,
    run: RunRecord,
    plan_id: PlanId,
    permitted: Sequence[Permitted],
    noted: Noted,
) -> Shown:
    """Record that `permitted` is about to be shown, in one commit, and return the receipts.

    Raises:
        MovedError: the authority or the run moved on since the snapshot; nothing was recorded.
    """
    revisions = [row.revision for row in permitted]
    policies = with_policies(parts, snapshot, all_policies(revisions))
    evidence = evidence_of(snapshot.context, snapshot.now)
    after = run_after(run, revisions, policies, evidence)
    receipt_id = ReceiptId(parts.entropy.token("rcp"))
    said = replace(
        noted,
        exposure_revision=after.exposure_revision,
        policy_set_id=after.policy_set.policy_set_id,
        receipt_id=receipt_id,
    )
    parts.backend.runs.expose(
        ExposureCommit(
            expected=snapshot.authority,
            before=run.exposure_revision,
            run=after,
            window_policies=window_policies(parts, after, evidence),
            shown=tuple(row.revision_id for row in revisions),
            captured=captured(revisions, policies),
            record=record_of(parts, snapshot, said),
        )
    )
    handles = tuple(parts.handles.resource(snapshot.context, row.revision) for row in permitted)
    return receipts(parts, snapshot, after, plan_id, receipt_id, handles)


def all_policies(revisions: Sequence[RevisionRecord]) -> frozenset[PolicyId]:
    """Return the ids of every policy that any of `revisions` depends on."""
    return frozenset(policy_id for revision in revisions for policy_id in named_policies(revision))


def captured(
    revisions: Sequence[RevisionRecord], policies: Mapping[PolicyId, Policy]
) -> Mapping[PolicyId, PolicyRevision]:
    """Return the policy revisions that `revisions` are shown under."""
    return {
        policy_id: policies[policy_id].policy_revision
        for policy_id in sorted(all_policies(revisions))
        if policy_id in policies
    }


def run_after(
    run: RunRecord,
    revisions: Sequence[RevisionRecord],
    policies: Mapping[PolicyId, Policy],
    evidence: Evidence,
) -> RunRecord:
    """Return the run as it is once `revisions` were shown in it."""
    if not revisions:
        return run
    bindings = dict.fromkeys((row.own_policy_ids, row.requirements) for row in revisions)
    sets = [set_of(own, inherited, policies, evidence) for own, inherited in bindings]
    return replace(
        run,
        exposure_revision=RunExposureRevision(run.exposure_revision + 1),
        policy_set=reduce(unite, sets, canonical_set(run.policy_set, evidence)),
    )


def set_of(
    own: Sequence[PolicyId],
    inherited: Sequence[Requirement],
    policies: Mapping[PolicyId, Policy],
    evidence: Evidence,
) -> PolicySet:
    """Return the policy set that a row brings with it: its own policies and what it inherited."""
    placed = [placement_set(policies[policy_id]) for policy_id in own]
    needed = [make_set((r,), bound_of(policies[r.policy_id].audience)) for r in inherited]
    return reduce(unite, [canonical_set(each, evidence) for each in (*placed, *needed)])


def window_policies(parts: Parts, run: RunRecord, evidence: Evidence) -> PolicySet:
    """Return the policy set of the window of `run` once it was shown what the run was shown."""
    window = parts.backend.runs.load_window(run.agent_id, run.session_id)
    own = canonical_set(run.policy_set, evidence)
    return own if window is None else unite(canonical_set(window.policy_set, evidence), own)


def receipts(
    parts: Parts,
    snapshot: Snapshot,
    run: RunRecord,
    plan_id: PlanId,
    receipt_id: ReceiptId,
    handles: tuple[ResourceHandle, ...],
) -> Shown:
    """Return the sealed receipts of an exposure that was committed."""
    exposure = ExposureReceipt(
        version=RECEIPT_VERSION,
        receipt_id=receipt_id,
        context_fingerprint=snapshot.fingerprint,
        plan_id=plan_id,
        run_id=run.run_id,
        run_exposure_revision=run.exposure_revision,
        policy_set_id=run.policy_set.policy_set_id,
        exposed_handles=handles,
        recorded_at=snapshot.now,
        seal=b"",
    )
    agent_id = snapshot.context.agent_id
    return Shown(
        exposure=replace(exposure, seal=parts.seals.seal(agent_id, exposure)),
        egress=egress_receipt(parts, snapshot, run, allowed_audiences(parts, snapshot, run)),
    )


def allowed_audiences(parts: Parts, snapshot: Snapshot, run: RunRecord) -> tuple[Audience, ...]:
    """Return the audiences of the context's delivery that everything shown in `run` may reach."""
    named = {requirement.policy_id for requirement in run.policy_set.requirements}
    policies = with_policies(parts, snapshot, named)
    evidence = evidence_of(snapshot.context, snapshot.now)
    return tuple(
        audience
        for audience in snapshot.context.delivery.audiences
        if set_covers(run.policy_set, audience, policies, evidence)
    )


def egress_receipt(parts: Parts, snapshot: Snapshot, run: RunRecord, audiences: tuple[Audience, ...]) -> EgressReceipt:
    """Return a sealed egress receipt for the context's delivery."""
    context = snapshot.context
    receipt = EgressReceipt(
        version=RECEIPT_VERSION,
        receipt_id=ReceiptId(parts.entropy.token("egr")),
        context_fingerprint=snapshot.fingerprint,
        run_id=run.run_id,
        run_exposure_revision=run.exposure_revision,
        policy_set_id=run.policy_set.policy_set_id,
        allowed_audiences=audiences,
        delivery_revision=context.delivery.delivery_revision,
        egress_registry_revision=context.delivery.egress_registry_revision,
        expires_at=min(context.expires_at, snapshot.now + EGRESS_LIFETIME),
        seal=b"",
    )
    return replace(receipt, seal=parts.seals.seal(context.agent_id, receipt))
