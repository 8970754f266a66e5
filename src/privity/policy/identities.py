"""Who the principals of a context are, and whether all of them still hold."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from privity.model.context import AccessContext
from privity.model.ids import PrincipalId
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
    return revoked.isdisjoint(evidence.head_of(p) for p in list_principals(context))


def list_principals(context: AccessContext) -> Iterator[PrincipalId]:
    """Yield the principals a context rests on: actor, session subject, root and the verified."""
    if isinstance(context.actor, PrincipalActor):
        yield context.actor.principal_id
    subject_id = find_subject_id(context)
    if subject_id is not None:
        yield subject_id
    if context.delegation is not None:
        yield context.delegation.root_principal_id
    yield from (verified.principal_id for verified in context.verified_principals)


def find_subject_id(context: AccessContext) -> PrincipalId | None:
    """Return the principal of the session subject; an ambiguous one has none."""
    match context.session_subject:
        case UserSubject() | AutonomousSubject() as subject:
            return subject.principal_id
        case ConversationSubject() as subject:
            return subject.conversation_id
        case _:
            return None


def actor_is(principal_id: PrincipalId | None, actor: Actor, evidence: Evidence) -> bool:
    """The actor is that principal, under whichever of their ids."""
    return (
        principal_id is not None
        and isinstance(actor, PrincipalActor)
        and evidence.head_of(actor.principal_id) == evidence.head_of(principal_id)
    )


def actor_stands_for_subject(context: AccessContext, evidence: Evidence) -> bool:
    """The actor is provably the session subject, or acts for them by delegation."""
    actor, subject_id = context.actor, find_subject_id(context)
    if not isinstance(actor, PrincipalActor) or actor.strength not in STRONG:
        return False
    return actor_is(subject_id, actor, evidence) or (
        subject_id is not None
        and context.delegation is not None
        and evidence.head_of(context.delegation.root_principal_id) == evidence.head_of(subject_id)
    )
