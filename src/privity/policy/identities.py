"""Who the principals of a context are, and whether all of them still hold."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from privity.model.context import AccessContext
from privity.model.principals import Actor, PrincipalActor, SenderStrength, UnattributedActor
from privity.model.standing import ContextStanding
from privity.model.subjects import AutonomousSubject, ConversationSubject, UserSubject
from privity.policy.algebra import Evidence

STRONG: Final = frozenset({SenderStrength.VERIFIED, SenderStrength.ASSERTED})
"""Strengths that private memory may rest on. Source: decision 3."""


def identities_hold(context: AccessContext, standing: ContextStanding, evidence: Evidence) -> bool:
    """Nobody the context rests on has run out or was revoked."""
    return evidence_is_unexpired(context, evidence.now) and nobody_is_revoked(context, standing, evidence)


def evidence_is_unexpired(context: AccessContext, now: datetime) -> bool:
    """The evidence for the actor and for every verified principal still holds."""
    return actor_is_unexpired(context.actor, now) and all(
        verified.expires_at is None or now < verified.expires_at for verified in context.verified_principals
    )


def actor_is_unexpired(actor: Actor, now: datetime) -> bool:
    """The evidence for the actor still holds; an unattributed one has none that could end."""
    if isinstance(actor, UnattributedActor):
        return True
    return actor.expires_at is None or now < actor.expires_at


def nobody_is_revoked(context: AccessContext, standing: ContextStanding, evidence: Evidence) -> bool:
    """No principal the context rests on is revoked, under any of their ids."""
    if len(standing.revoked_ids) == 0:
        return True
    revoked = {evidence.head_of(principal_id) for principal_id in standing.revoked_ids}
    return revoked.isdisjoint(evidence.head_of(p) for p in list_principals(context, evidence))


def list_principals(context: AccessContext, evidence: Evidence) -> Iterator[str]:
    """Yield the principals a context rests on: actor, session subject, root and the verified."""
    if isinstance(context.actor, PrincipalActor):
        yield context.actor.principal_id
    yield from subject_ids(context, evidence)
    if context.delegation is not None:
        yield context.delegation.root_principal_id
    yield from (verified.principal_id for verified in context.verified_principals)


def subject_ids(context: AccessContext, evidence: Evidence) -> frozenset[str]:
    """Return every id of the session subject: only people are merged, and an ambiguous one has none."""
    match context.session_subject:
        case UserSubject() as subject:
            return evidence.merge_class(subject.principal_id)
        case AutonomousSubject() as subject:
            return frozenset({subject.principal_id})
        case ConversationSubject() as subject:
            return frozenset({subject.conversation_id})
        case _:
            return frozenset()


def actor_ids(context: AccessContext, evidence: Evidence) -> frozenset[str]:
    """Return every id of the actor; an unattributed one has none."""
    actor = context.actor
    return evidence.merge_class(actor.principal_id) if isinstance(actor, PrincipalActor) else frozenset()


def actor_stands_for_subject(context: AccessContext, evidence: Evidence) -> bool:
    """The actor is provably the session subject, or acts for them by delegation."""
    actor, delegation = context.actor, context.delegation
    if not isinstance(actor, PrincipalActor) or actor.strength not in STRONG:
        return False
    behind = actor.principal_id if delegation is None else delegation.root_principal_id
    return not subject_ids(context, evidence).isdisjoint({actor.principal_id, behind})
