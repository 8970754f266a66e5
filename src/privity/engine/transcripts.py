"""Runs and transcripts: every event with its label, and every run on top of its window."""

from dataclasses import replace

from privity.engine.attempt import attempt, hold, run_of
from privity.engine.audit import Noted, accessor, record_of
from privity.engine.denials import deny_at
from privity.engine.parts import Parts
from privity.engine.placement import open_store
from privity.engine.plan import own_store
from privity.engine.ports import MovedError
from privity.engine.records import EventCommit, EventLabel, RunCommit, RunRecord, StoreRecord
from privity.engine.snapshot import Snapshot, own_address, store_at, view_with
from privity.engine.text import EVENT_BYTES, encode_text
from privity.model.audit import AuditKind
from privity.model.context import AccessContext, Visibility
from privity.model.decisions import Denied, Deny
from privity.model.events import EventReceipt, TranscriptEvent
from privity.model.ids import Fingerprint, ReceiptId, RunExposureRevision, SessionId
from privity.model.operations import Operation
from privity.model.policies import PolicySet
from privity.model.principals import UnattributedActor
from privity.model.reasons import Reason
from privity.model.receipts import RECEIPT_VERSION, RunReceipt
from privity.policy.algebra import evidence_of
from privity.policy.sets import canonical_set, ephemeral_set, placement_set, unite


def begin_run(parts: Parts, context: AccessContext, event: TranscriptEvent | None) -> RunReceipt | Denied:
    """Begin a run on top of what its window was shown, with the incoming event if there is one."""
    if event is not None:
        encode_text(event.text, where="event", most=EVENT_BYTES)
    return attempt(parts, context, lambda mark: begin_once(parts, context, mark, event))


def begin_once(
    parts: Parts, context: AccessContext, mark: Fingerprint, event: TranscriptEvent | None
) -> RunReceipt | Deny:
    """Place the event and commit the run with it."""
    snapshot = hold(parts, context, mark)
    if isinstance(snapshot, Deny):
        return snapshot
    home = home_of(parts, snapshot)
    return home if isinstance(home, Deny) else commit_run(parts, snapshot, home, event)


def home_of(parts: Parts, snapshot: Snapshot) -> StoreRecord | Deny | None:
    """Return the store whose placement binds the session's events, made if it is new.

    There is none for a session that may leave no durable trace.
    """
    address = own_address(snapshot)
    own = own_store(snapshot)
    if address is None or own is None or snapshot.context.visibility is Visibility.INCOGNITO:
        return None
    view = view_with(snapshot, own)
    if own.store_id not in view.mounts:
        return deny_at(view.withheld.get(own.store_id, Reason.OUTSIDE_VIEW), 3)
    return store_at(snapshot, address) or open_store(parts, snapshot, address)


def commit_run(parts: Parts, snapshot: Snapshot, home: StoreRecord | None, event: TranscriptEvent | None) -> RunReceipt:
    """Commit the run and its incoming event in one transaction."""
    run = first_run(parts, snapshot, home)
    said = Noted(
        kind=AuditKind.EVENT,
        operation=snapshot.context.operation,
        store_ids=() if home is None else (home.facts.store_id,),
        store_kinds=() if home is None else (home.facts.kind,),
        exposure_revision=run.exposure_revision,
        policy_set_id=run.policy_set.policy_set_id,
    )
    kept = event if home is not None else None
    label = None if kept is None or home is None else label_of(snapshot, run, home, kept)
    parts.backend.runs.begin_run(
        RunCommit(
            expected=snapshot.authority,
            run=run,
            event=kept,
            label=label,
            record=record_of(parts, snapshot, said),
        )
    )
    return run_receipt(parts, snapshot, run)


def first_run(parts: Parts, snapshot: Snapshot, home: StoreRecord | None) -> RunRecord:
    """Return a run that starts from its window's policy set and the incoming event's."""
    context = snapshot.context
    own = event_set(parts, snapshot, home)
    window = parts.backend.runs.load_window(context.agent_id, context.session_id)
    evidence = evidence_of(context, snapshot.now)
    return RunRecord(
        agent_id=context.agent_id,
        run_id=context.run_id,
        session_id=context.session_id,
        exposure_revision=RunExposureRevision(0),
        policy_set=own if window is None else unite(canonical_set(window.policy_set, evidence), own),
        shown_before=0 if window is None else window.shown,
    )


def event_set(parts: Parts, snapshot: Snapshot, home: StoreRecord | None) -> PolicySet:
    """Return the policy set of an event of this session: where it is placed, or where it goes."""
    if home is None:
        return ephemeral_set(snapshot.context.delivery.audiences)
    policies = parts.backend.stores.load_policies(home.facts.agent_id, [home.policy_id])
    evidence = evidence_of(snapshot.context, snapshot.now)
    return canonical_set(placement_set(policies[home.policy_id]), evidence)


def label_of(snapshot: Snapshot, run: RunRecord, home: StoreRecord, event: TranscriptEvent) -> EventLabel:
    """Return the authorization companion of an event, from the context and the run alone."""
    context = snapshot.context
    actor = context.actor
    return EventLabel(
        session_key=context.session_key,
        session_id=context.session_id,
        session_subject=context.session_subject,
        store_id=home.facts.store_id,
        actor_id=accessor(actor),
        transport_audit_ref=actor.transport_audit_ref if isinstance(actor, UnattributedActor) else None,
        actor_evidence_revision=actor.evidence_revision,
        policy_set=run.policy_set,
        exposure_revision=run.exposure_revision,
        delivery_audiences=event.delivery_audiences,
        sink_kind=context.delivery.sink_kind,
        egress_registry_revision=context.delivery.egress_registry_revision,
        session_identity_revision=context.session_identity_revision,
        subject_revision=context.subject_revision,
        visibility=context.visibility,
        run_id=context.run_id,
    )


def run_receipt(parts: Parts, snapshot: Snapshot, run: RunRecord) -> RunReceipt:
    """Return the sealed receipt of a run that has begun."""
    receipt = RunReceipt(
        version=RECEIPT_VERSION,
        receipt_id=ReceiptId(parts.entropy.token("run")),
        run_id=run.run_id,
        run_exposure_revision=run.exposure_revision,
        policy_set_id=run.policy_set.policy_set_id,
        seal=b"",
    )
    return replace(receipt, seal=parts.seals.seal(snapshot.context.agent_id, receipt))


def append_event(parts: Parts, context: AccessContext, event: TranscriptEvent) -> EventReceipt | Denied:
    """Append one event with its label; in a session that leaves no trace, say so with sequence 0."""
    encode_text(event.text, where="event", most=EVENT_BYTES)
    return attempt(parts, context, lambda mark: append_once(parts, context, mark, event))


def append_once(parts: Parts, context: AccessContext, mark: Fingerprint, event: TranscriptEvent) -> EventReceipt | Deny:
    """Place one event and commit it with the label of what its run was shown by now."""
    snapshot = hold(parts, context, mark)
    if isinstance(snapshot, Deny):
        return snapshot
    home, run = home_of(parts, snapshot), run_of(parts, snapshot)
    if isinstance(home, Deny):
        return home
    return run if isinstance(run, Deny) else commit_event(parts, snapshot, run, home, event)


def commit_event(
    parts: Parts,
    snapshot: Snapshot,
    run: RunRecord,
    home: StoreRecord | None,
    event: TranscriptEvent,
) -> EventReceipt:
    """Commit one event."""
    sequence = 0
    if home is not None:
        said = Noted(
            kind=AuditKind.EVENT,
            operation=Operation.APPEND,
            store_ids=(home.facts.store_id,),
            store_kinds=(home.facts.kind,),
            exposure_revision=run.exposure_revision,
            policy_set_id=run.policy_set.policy_set_id,
        )
        sequence = parts.backend.runs.append_event(
            EventCommit(
                expected=snapshot.authority,
                agent_id=run.agent_id,
                event=event,
                label=label_of(snapshot, run, home, event),
                record=record_of(parts, snapshot, said),
            )
        )
    return EventReceipt(
        event_id=event.event_id,
        sequence=sequence,
        policy_set_id=run.policy_set.policy_set_id,
        run_exposure_revision=run.exposure_revision,
    )


def inherit_window(parts: Parts, context: AccessContext, source: SessionId) -> Denied | None:
    """Give the context's new window what the window `source` was shown, exactly; once more is as good as once."""
    return attempt(parts, context, lambda mark: inherit_once(parts, context, mark, source))


def inherit_once(parts: Parts, context: AccessContext, mark: Fingerprint, source: SessionId) -> Deny | None:
    """Copy one window to another that is still empty."""
    snapshot = hold(parts, context, mark)
    if isinstance(snapshot, Deny):
        return snapshot
    try:
        parts.backend.runs.copy_window(context.agent_id, source, context.session_id)
    except MovedError:
        return deny_at(Reason.SESSION_REBOUND, 1)
    return None
