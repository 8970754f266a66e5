"""The write pipeline: intent, staged, finalized, active, indexed, in this order.

The file comes first, then the catalog, then the index (decision 48): a crash between any
two leaves a file that nobody references, or a row that the index does not know yet and the
scan above its watermark finds.
"""

from datetime import timedelta
from typing import Final

from privity.engine.attempt import under_plan
from privity.engine.audit import Noted, record_of
from privity.engine.bound import Bound
from privity.engine.card import card_has_room
from privity.engine.indexing import Indexer
from privity.engine.intent import Draft, Intent, target
from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.people import open_people
from privity.engine.ports import MovedError
from privity.engine.records import (
    ActivateCommit,
    Active,
    Finalized,
    PolicyClass,
    RevisionRecord,
    RunRecord,
)
from privity.engine.text import NOTE_BYTES, encode_text
from privity.model.audit import AuditKind
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import ResourceId, RevisionId
from privity.model.mutations import Publish, Remember
from privity.model.operations import Operation
from privity.model.passages import Remembered, WriteResult
from privity.model.plans import Plan
from privity.model.resources import (
    Anonymity,
    Lineage,
    ResourceSubject,
    RevisionState,
    Section,
    SubjectKind,
)
from privity.sdk.errors import InputError, UnavailableError

SHORTEST_LIFETIME: Final = timedelta(seconds=1)


def remember(
    parts: Parts, indexer: Indexer, context: AccessContext, plan: Plan, mutation: Remember
) -> WriteResult | Denied:
    """Add a note or a card entry to the session's own store."""
    content = encode_text(mutation.text, where="text", most=NOTE_BYTES)
    people = tuple(open_people(parts, context, mutation.about))
    lifetime = parse_lifetime(mutation.lifetime)

    def once(bound: Bound, run: RunRecord) -> WriteResult | Deny:
        draft = Draft(
            content=content,
            section=mutation.section,
            anonymity=Anonymity.IDENTIFIED_ONLY,
            about=tuple(
                ResourceSubject(kind=SubjectKind.PERSON, id=person, evidence_revision=None) for person in people
            ),
            expires_at=None if lifetime is None else bound.snapshot.now + lifetime,
        )
        return commit(parts, indexer, bound, run, draft)

    return under_plan(parts, context, plan, once)


def publish(
    parts: Parts, indexer: Indexer, context: AccessContext, plan: Plan, mutation: Publish
) -> WriteResult | Denied:
    """Add a note to the agent-shared store."""
    content = encode_text(mutation.text, where="text", most=NOTE_BYTES)
    draft = Draft(
        content=content,
        section=Section.NOTE,
        anonymity=mutation.anonymity,
        about=(),
        expires_at=None,
    )
    return under_plan(parts, context, plan, lambda bound, run: commit(parts, indexer, bound, run, draft))


def commit(parts: Parts, indexer: Indexer, bound: Bound, run: RunRecord, draft: Draft) -> WriteResult | Deny:
    """Write one revision, step by step."""
    intent = target(parts, bound, run, draft)
    if isinstance(intent, Deny):
        return intent
    if draft.section is Section.CARD:
        card_has_room(parts, intent.store, draft.content)
    revision_id = RevisionId(parts.entropy.token("rev"))
    staged = parts.backend.artifacts.stage(
        run.agent_id, intent.store.path_key, draft.section, revision_id, draft.content
    )
    active = activate_or_discard(parts, bound, intent, parts.backend.artifacts.finalize(staged))
    index(parts, indexer, intent)
    return Remembered(
        handle=parts.handles.resource(bound.snapshot.context, active.revision),
        derived=intent.operation is Operation.DERIVE,
    )


def activate_or_discard(parts: Parts, bound: Bound, intent: Intent, finalized: Finalized) -> Active:
    """Make a finalized file active, or leave none where the catalog refuses it.

    What it was derived from may have just been forgotten, and it may hold the same words.
    """
    try:
        return activate(parts, bound, intent, finalized)
    except MovedError:
        parts.backend.artifacts.remove(finalized.agent_id, finalized.path_key, finalized.section, finalized.revision_id)
        raise


def activate(parts: Parts, bound: Bound, intent: Intent, finalized: Finalized) -> Active:
    """Make a finalized file the active revision of a new resource, in one transaction."""
    policy_class = class_of(intent)
    revision = revision_of(parts, intent, finalized, policy_class)
    said = Noted(
        kind=AuditKind.WRITE,
        operation=intent.operation,
        revision_ids=(revision.revision_id,),
        store_ids=(revision.store_id,),
        store_kinds=(intent.store.facts.kind,),
        result_count=1,
        exposure_revision=intent.run.exposure_revision,
        policy_set_id=intent.run.policy_set.policy_set_id,
        determining_rules=intent.determining_rules,
    )
    return Active(
        revision=parts.backend.revisions.activate(
            ActivateCommit(
                expected=bound.snapshot.authority,
                revision=revision,
                policy_class=policy_class,
                record=record_of(parts, bound.snapshot, said),
            )
        )
    )


def revision_of(parts: Parts, intent: Intent, finalized: Finalized, policy_class: PolicyClass) -> RevisionRecord:
    """Return the catalog row of a finalized file."""
    return RevisionRecord(
        agent_id=finalized.agent_id,
        store_id=intent.store.facts.store_id,
        resource_id=ResourceId(parts.entropy.token("res")),
        revision_id=finalized.revision_id,
        number=1,
        state=RevisionState.ACTIVE,
        lineage=Lineage.INTACT,
        content_hash=finalized.content_hash,
        size=finalized.size,
        section=finalized.section,
        anonymity=intent.draft.anonymity,
        class_id=policy_class.class_id,
        origin=intent.origin,
        about=intent.draft.about,
        lifetime=intent.lifetime,
        own_policy_ids=policy_class.own_policy_ids,
        requirements=intent.requirements,
        parents=intent.parents,
        change=0,
    )


def class_of(intent: Intent) -> PolicyClass:
    """Return the policy class of what an intent writes, named by what it is."""
    own = (intent.store.policy_id,)
    inherited = tuple(sorted({requirement.policy_id for requirement in intent.requirements}))
    name = fingerprint((own, inherited, intent.draft.anonymity))[:32]
    return PolicyClass(
        class_id=f"cls_{name}",
        own_policy_ids=own,
        inherited_policy_ids=inherited,
        anonymity=intent.draft.anonymity,
    )


def index(parts: Parts, indexer: Indexer, intent: Intent) -> None:
    """Index what was written. The write stands if that fails: the scan finds it meanwhile."""
    try:
        indexer.catch_up(intent.store)
    except UnavailableError:
        parts.meter.count(Count.INDEX_LAGGING)


def parse_lifetime(lifetime: timedelta | None) -> timedelta | None:
    """Return a lifetime that ends, and not at once.

    Raises:
        InputError: it is shorter than a second.
    """
    if lifetime is not None and lifetime < SHORTEST_LIFETIME:
        raise InputError("the lifetime is under a second", where="lifetime", remedy="give it a longer one")
    return lifetime
