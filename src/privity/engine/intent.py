"""The intent stage: the session subject chose the store, never the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from privity.engine.bound import Asked, Bound, facts_of
from privity.engine.denials import deny_at
from privity.engine.parts import Parts
from privity.engine.placement import audience_policy, open_store, publishing_id, publishing_policy
from privity.engine.records import RevisionRecord, RunRecord, StoreRecord
from privity.engine.snapshot import ABSENT, absent_store, store_at, view_with, with_policies
from privity.model.audiences import Audience
from privity.model.context import AccessContext
from privity.model.decisions import Decision, Deny
from privity.model.ids import PolicyId, PrincipalId, RevisionId, RuleId
from privity.model.operations import Operation
from privity.model.policies import Policy, Requirement
from privity.model.principals import ActorKind, PrincipalActor
from privity.model.reasons import Reason
from privity.model.resources import (
    Anonymity,
    Lifetime,
    Lineage,
    Origin,
    ResourceSubject,
    RevisionState,
    Section,
    TrustClass,
)
from privity.model.stores import StoreFacts, StoreKind
from privity.model.subjects import UserSubject
from privity.policy.evaluator import decide
from privity.policy.facts import Facts, View
from privity.policy.view import write_target


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a mutation wants to add, before anybody decided where."""

    content: bytes
    section: Section
    anonymity: Anonymity
    about: tuple[ResourceSubject, ...]
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a draft would go: a store, made or not, and what decides there."""

    address: tuple[StoreKind, Audience]
    made: StoreRecord | None
    facts: StoreFacts
    view: View
    placement: Policy
    publishing: Policy
    requirements: tuple[Requirement, ...]
    policies: Mapping[PolicyId, Policy]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """A draft with its store, the policies it is bound by, and the rules that allowed it."""

    draft: Draft
    store: StoreRecord
    run: RunRecord
    operation: Operation
    requirements: tuple[Requirement, ...]
    parents: tuple[RevisionId, ...]
    origin: Origin
    lifetime: Lifetime
    determining_rules: tuple[RuleId, ...]


def target(parts: Parts, bound: Bound, run: RunRecord, draft: Draft) -> Intent | Deny:
    """Decide where a draft goes and whether it may, and make the store if it is its first.

    A run that was shown memory derives: what it writes inherits what it was shown.
    """
    there = destination(parts, bound, run, draft.section)
    if isinstance(there, Deny):
        return there
    decision = decide_target(bound, run, there, draft.section)
    if isinstance(decision, Deny):
        return decision
    snapshot = bound.snapshot
    sources = sources_of(parts, run)
    return Intent(
        draft=draft,
        store=there.made or open_store(parts, snapshot, there.address),
        run=run,
        operation=operation_of(snapshot.context, run),
        requirements=there.requirements,
        parents=tuple(source.revision_id for source in sources),
        origin=origin_of(snapshot.context, sources),
        lifetime=Lifetime(recorded_at=snapshot.now, expires_at=draft.expires_at),
        determining_rules=decision.determining_rules,
    )


def destination(parts: Parts, bound: Bound, run: RunRecord, section: Section) -> Destination | Deny:
    """Return where the context's mutation goes, from the session subject alone."""
    snapshot = bound.snapshot
    address = write_target(snapshot.context, snapshot.context.operation, section)
    if address is None:
        return deny_at(Reason.DEFAULT_DENY, 8)
    made = store_at(snapshot, address)
    placement = audience_policy(snapshot, made, address)
    if placement is None:
        return deny_at(Reason.DEFAULT_DENY, 8)
    facts = absent_store(snapshot, address) if made is None else made.facts
    requirements = inherited(run, placement.policy_id)
    named = {requirement.policy_id for requirement in requirements}
    policies = with_policies(parts, snapshot, {*named, publishing_id(placement.policy_id)})
    return Destination(
        address=address,
        made=made,
        facts=facts,
        view=view_with(snapshot, facts) if facts.store_id == ABSENT else bound.view,
        placement=placement,
        publishing=publishing_policy(snapshot.context, placement, policies),
        requirements=requirements,
        policies=policies,
    )


def inherited(run: RunRecord, placement: PolicyId) -> tuple[Requirement, ...]:
    """Return what a write of `run` inherits, beyond the placement it gets anyway.

    A run that was shown no memory holds the events of its own store only, and appends.
    """
    if not run.was_shown:
        return ()
    return tuple(r for r in run.policy_set.requirements if r.policy_id != placement)


def decide_target(bound: Bound, run: RunRecord, there: Destination, section: Section) -> Decision:
    """Decide the mutation as itself and, where the run was shown memory, as a derivation too."""
    own = bound.snapshot.context.operation
    if run.was_shown:
        derived = decide(target_facts(bound, there, Operation.DERIVE, section))
        if isinstance(derived, Deny):
            return derived
    return decide(target_facts(bound, there, own, section))


def target_facts(bound: Bound, there: Destination, operation: Operation, section: Section) -> Facts:
    """Return the facts of adding something new at a destination."""
    asked = Asked(
        operation=operation,
        store=there.facts,
        revision=None,
        section=section,
        own_policies=(there.placement, there.publishing),
        requirements=there.requirements,
        policies=there.policies,
    )
    return facts_of(replace(bound, view=there.view), asked)


def operation_of(context: AccessContext, run: RunRecord) -> Operation:
    """Return what a mutation really is: an append by a run that was shown memory derives."""
    if run.was_shown and context.operation is Operation.APPEND:
        return Operation.DERIVE
    return context.operation


def sources_of(parts: Parts, run: RunRecord) -> tuple[RevisionRecord, ...]:
    """Return the revisions shown in the run that still stand.

    One that was tombstoned since is no source any more: what its audience was still binds the
    write through the policy set, and a person who had something forgotten can go on.
    """
    ids = parts.backend.runs.list_shown(run.agent_id, run.run_id, run.exposure_revision)
    shown = parts.backend.revisions.load_revisions(run.agent_id, ids)
    return tuple(
        row
        for row in (shown[key] for key in ids if key in shown)
        if row.state is RevisionState.ACTIVE and row.lineage is Lineage.INTACT
    )


def origin_of(context: AccessContext, sources: Sequence[RevisionRecord]) -> Origin:
    """Return where a write comes from. The trust of a derived one is the lowest of its sources."""
    ranks = list(TrustClass)
    trusts = [trust_of(context), *(source.origin.trust for source in sources)]
    return Origin(trust=max(trusts, key=ranks.index), author_id=author(context), event_id=None)


def trust_of(context: AccessContext) -> TrustClass:
    """Return the trust of the actor's own words."""
    match context.actor, context.session_subject:
        case PrincipalActor(actor_kind=ActorKind.HUMAN), UserSubject():
            return TrustClass.OWNER
        case PrincipalActor(actor_kind=ActorKind.HUMAN), _:
            return TrustClass.PARTICIPANT
        case PrincipalActor(actor_kind=ActorKind.SYSTEM), _:
            return TrustClass.SYSTEM
        case PrincipalActor(), _:
            return TrustClass.AGENT
        case _:
            return TrustClass.UNTRUSTED


def author(context: AccessContext) -> PrincipalId | None:
    """Return the principal who wrote, if the actor is one."""
    return context.actor.principal_id if isinstance(context.actor, PrincipalActor) else None
