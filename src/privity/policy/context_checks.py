"""Steps 1 and 2: what the host says about the context, and whether the plan belongs to it."""

from typing import Final

from privity.model.context import CONTEXT_VERSION
from privity.model.operations import Operation
from privity.model.resources import Section
from privity.model.standing import Authenticity
from privity.policy.case import Case
from privity.policy.claims import depth_is_bounded
from privity.policy.identities import identities_hold

WRITES_NEW: Final = frozenset({Operation.APPEND, Operation.REPLACE, Operation.PUBLISH})
"""Operations that write text, which may depend on what the run was shown."""


def words_are_known(case: Case) -> bool:
    """The operation and the section are words of ours, not merely strings that look like them."""
    return (
        type(case.context.operation) is Operation
        and type(case.facts.operation) is Operation
        and type(case.facts.section) is Section
    )


def context_is_genuine(case: Case) -> bool:
    """The host issued this very object in this version, and still holds it."""
    return case.facts.standing.authenticity is Authenticity.GENUINE and case.context.version == CONTEXT_VERSION


def context_is_in_time(case: Case) -> bool:
    """The context has begun and not ended; at its very end it has."""
    now = case.facts.now
    return now.utcoffset() is not None and case.context.issued_at <= now < case.context.expires_at


def merges_are_coherent(case: Case) -> bool:
    """Nobody was merged into two principals, or into one that was merged away itself."""
    verified = case.context.verified_principals
    merges = {(old, head.principal_id) for head in verified for old in head.merged_ids}
    if not merges:
        return True
    merged = {old for old, _ in merges}
    return len(merged) == len(merges) and merged.isdisjoint(head.principal_id for head in verified)


def session_is_current(case: Case) -> bool:
    """The session key still maps to this window and this subject."""
    standing, context = case.facts.standing, case.context
    return (
        standing.session_identity_revision is not None
        and standing.session_identity_revision == context.session_identity_revision
        and standing.subject_revision is not None
        and standing.subject_revision == context.subject_revision
    )


def delivery_is_current(case: Case) -> bool:
    """The output still goes where the context says, through the same registry."""
    standing, delivery = case.facts.standing, case.context.delivery
    return (
        standing.delivery_revision == delivery.delivery_revision
        and standing.egress_registry_revision == delivery.egress_registry_revision
    )


def host_facts_are_current(case: Case) -> bool:
    """Nothing was revoked in the cell since the context was issued."""
    return case.facts.standing.host_facts_revision == case.context.host_facts_revision


def identities_are_current(case: Case) -> bool:
    """Every identity the context rests on still holds."""
    return identities_hold(case.context, case.facts.standing, case.evidence)


def delegation_permits(case: Case) -> bool:
    """Whoever handed the task on handed on everything the operation requires, and near enough."""
    delegation = case.context.delegation
    return delegation is None or (
        depth_is_bounded(delegation) and case.question.capabilities <= delegation.allowed_operations
    )


def plan_is_bound(case: Case) -> bool:
    """The plan was made for exactly this context, operation and cell."""
    plan, context = case.facts.plan, case.context
    return (
        plan.context_fingerprint == case.facts.fingerprint
        and plan.operation == context.operation
        and decides_what_was_asked(case)
        and plan.agent_id == context.agent_id
    )


def decides_what_was_asked(case: Case) -> bool:
    """The decision is about the context's operation, or about what goes with it.

    That is deriving what would be written, and reading what would be deleted along.
    """
    asked, decided = case.context.operation, case.facts.operation
    return (
        decided is asked
        or (decided is Operation.DERIVE and asked in WRITES_NEW)
        or (decided is Operation.READ and asked is Operation.DELETE)
    )


def plan_delivers_there(case: Case) -> bool:
    """The plan was made for the delivery of the context."""
    return case.facts.plan.delivery_revision == case.context.delivery.delivery_revision


def plan_is_current(case: Case) -> bool:
    """The plan has not ended, and no policy of the cell has changed since."""
    plan = case.facts.plan
    return case.facts.now < plan.expires_at and plan.authority_revision == case.facts.authority_revision
