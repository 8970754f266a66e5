"""Forgetting: tombstone first, so that every path denies at once; then index and file go."""

from dataclasses import replace

from privity.engine.attempt import under_plan
from privity.engine.audit import Noted, record_of
from privity.engine.bound import Bound, row_facts
from privity.engine.denials import deny_at
from privity.engine.indexing import Indexer
from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.placement import publishing_id, publishing_policy
from privity.engine.postfilter import named_policies
from privity.engine.records import RevisionRecord, RunRecord, StoreRecord, TombstoneCommit
from privity.engine.rows import find_row
from privity.engine.snapshot import with_policies
from privity.model.audit import AuditKind
from privity.model.context import AccessContext
from privity.model.decisions import Decision, Denied, Deny
from privity.model.ids import ResourceHandle
from privity.model.mutations import Forget
from privity.model.operations import Operation
from privity.model.passages import Forgotten, WriteResult
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.model.resources import Integrity
from privity.policy.evaluator import decide
from privity.sdk.errors import UnavailableError


def forget(
    parts: Parts, indexer: Indexer, context: AccessContext, plan: Plan, mutation: Forget
) -> WriteResult | Denied:
    """Tombstone the revision a handle names, if the run may delete it."""

    def once(bound: Bound, _: RunRecord) -> WriteResult | Deny:
        return forget_once(parts, indexer, bound, mutation.handle)

    return under_plan(parts, context, plan, once)


def forget_once(parts: Parts, indexer: Indexer, bound: Bound, handle: ResourceHandle) -> WriteResult | Deny:
    """Decide, tombstone, and clear away."""
    row = find_row(parts, bound, handle)
    if row is None:
        return deny_at(Reason.OUTSIDE_VIEW, 4)
    decision = decide_deletion(parts, bound, row.store, row.revision)
    if isinstance(decision, Deny):
        return decision
    descendants = tombstone(parts, bound, row.store, row.revision)
    clear_away(parts, indexer, row.store, row.revision)
    return Forgotten(handle=handle, descendants=descendants)


def decide_deletion(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord) -> Decision:
    """Decide without looking at the bytes: what is damaged may be forgotten too."""
    named = {*named_policies(revision), publishing_id(store.policy_id)}
    policies = with_policies(parts, bound.snapshot, named)
    facts = row_facts(bound, store, revision, Integrity.VERIFIED, policies)
    publishing = [publishing_policy(bound.snapshot.context, placement, policies) for placement in facts.own_policies]
    return decide(replace(facts, own_policies=(*facts.own_policies, *publishing)))


def tombstone(parts: Parts, bound: Bound, store: StoreRecord, revision: RevisionRecord) -> int:
    """Commit the tombstone with its audit record and return how many descendants fell with it."""
    said = Noted(
        kind=AuditKind.WRITE,
        operation=Operation.DELETE,
        revision_ids=(revision.revision_id,),
        store_ids=(revision.store_id,),
        store_kinds=(store.facts.kind,),
        result_count=1,
    )
    return parts.backend.revisions.tombstone(
        TombstoneCommit(
            expected=bound.snapshot.authority,
            agent_id=revision.agent_id,
            store_id=revision.store_id,
            revision_id=revision.revision_id,
            record=record_of(parts, bound.snapshot, said),
        )
    )


def clear_away(parts: Parts, indexer: Indexer, store: StoreRecord, revision: RevisionRecord) -> None:
    """Drop the index row and the file. It is denied already, so a failure here loses nothing."""
    try:
        indexer.catch_up(store)
        parts.backend.artifacts.remove(revision.agent_id, store.path_key, revision.section, revision.revision_id)
    except UnavailableError:
        parts.meter.count(Count.ARTIFACT_LEFT)
