"""Forgetting: tombstone first, so that every path denies at once; then index and files go.

What was derived from the revision is tombstoned with it, in the same transaction, and its
text goes with it as well: it may hold the same words.
"""

from dataclasses import replace

from privity.engine.attempt import under_plan
from privity.engine.audit import Noted, record_of
from privity.engine.bound import Bound, row_facts
from privity.engine.denials import deny_at
from privity.engine.indexing import Indexer
from privity.engine.leftovers import clear_leftovers
from privity.engine.parts import Parts
from privity.engine.placement import publishing_id, publishing_policy
from privity.engine.postfilter import named_policies
from privity.engine.records import RevisionRecord, RunRecord, StoreRecord, TombstoneCommit
from privity.engine.rows import Row, find_row
from privity.engine.snapshot import with_policies
from privity.model.audit import AuditKind
from privity.model.context import AccessContext
from privity.model.decisions import Allow, Decision, Denied, Deny
from privity.model.ids import ResourceHandle
from privity.model.mutations import Forget
from privity.model.operations import Operation
from privity.model.passages import ForgetPreview, Forgotten, WriteResult
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.model.resources import Integrity
from privity.policy.evaluator import decide


def forget(
    parts: Parts, indexer: Indexer, context: AccessContext, plan: Plan, mutation: Forget
) -> WriteResult | Denied:
    """Tombstone the revision a handle names with whatever was derived from it, if the run may delete it."""

    def once(bound: Bound, _: RunRecord) -> WriteResult | Deny:
        return forget_once(parts, indexer, bound, mutation.handle)

    return under_plan(parts, context, plan, once)


def preview_forget(parts: Parts, context: AccessContext, plan: Plan, handle: ResourceHandle) -> ForgetPreview | Denied:
    """Say what forgetting would take with it, if the run may delete what a handle names."""

    def once(bound: Bound, _: RunRecord) -> ForgetPreview | Deny:
        row = deletable(parts, bound, handle)
        if isinstance(row, Deny):
            return row
        return ForgetPreview(handle=handle, descendants=readable_descendants(parts, bound, row.revision))

    return under_plan(parts, context, plan, once)


def forget_once(parts: Parts, indexer: Indexer, bound: Bound, handle: ResourceHandle) -> WriteResult | Deny:
    """Decide, tombstone, and clear away."""
    row = deletable(parts, bound, handle)
    if isinstance(row, Deny):
        return row
    descendants = readable_descendants(parts, bound, row.revision)
    tombstone(parts, bound, row.store, row.revision)
    clear_leftovers(parts, indexer, row.revision.agent_id)
    return Forgotten(handle=handle, descendants=descendants)


def deletable(parts: Parts, bound: Bound, handle: ResourceHandle) -> Row | Deny:
    """Return the row that a handle names, if the run may delete it."""
    row = find_row(parts, bound, handle)
    if row is None:
        return deny_at(Reason.OUTSIDE_VIEW, 4)
    decision = decide_deletion(parts, bound, row.store, row.revision)
    return decision if isinstance(decision, Deny) else row


def readable_descendants(parts: Parts, bound: Bound, revision: RevisionRecord) -> tuple[ResourceHandle, ...]:
    """Return handles of what was derived from a revision and may be read here, oldest first.

    Nothing outside the mounted stores is looked at, so it is neither counted nor waited for.
    """
    mounted = {store.facts.store_id: store for store in bound.stores}
    derived = parts.backend.revisions.list_derived(revision.agent_id, revision.revision_id, list(mounted))
    context = bound.snapshot.context
    return tuple(
        parts.handles.resource(context, row) for row in derived if is_readable(parts, bound, mounted[row.store_id], row)
    )


def is_readable(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord) -> bool:
    """The run could read the row; its bytes are not looked at, as they do not leave."""
    policies = with_policies(parts, bound.snapshot, named_policies(revision))
    facts = row_facts(bound, store, revision, Integrity.VERIFIED, policies)
    return isinstance(decide(replace(facts, operation=Operation.READ)), Allow)


def decide_deletion(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord) -> Decision:
    """Decide without looking at the bytes: what is damaged may be forgotten too."""
    named = {*named_policies(revision), publishing_id(store.policy_id)}
    policies = with_policies(parts, bound.snapshot, named)
    facts = row_facts(bound, store, revision, Integrity.VERIFIED, policies)
    publishing = [publishing_policy(bound.snapshot.context, placement, policies) for placement in facts.own_policies]
    return decide(replace(facts, own_policies=(*facts.own_policies, *publishing)))


def tombstone(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord) -> None:
    """Commit the tombstone, of whatever was derived too, with its audit record."""
    said = Noted(
        kind=AuditKind.WRITE,
        operation=Operation.DELETE,
        revision_ids=(revision.revision_id,),
        store_ids=(revision.store_id,),
        store_kinds=(store.facts.kind,),
        result_count=1,
    )
    parts.backend.revisions.tombstone(
        TombstoneCommit(
            expected=bound.snapshot.authority,
            agent_id=revision.agent_id,
            store_id=revision.store_id,
            revision_id=revision.revision_id,
            record=record_of(parts, bound.snapshot, said),
        )
    )
