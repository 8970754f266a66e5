"""Who is who in a context: the ids of one person, owners, members and those who are gone."""

from datetime import datetime

from privity.model.context import AccessContext
from privity.model.principals import PrincipalActor
from privity.model.standing import ContextStanding
from privity.model.subjects import AmbiguousSubject, ConversationSubject, UserSubject


def has_ended(end: datetime | None, now: datetime) -> bool:
    """The end is now or was before."""
    return end is not None and end <= now


def classes(context: AccessContext) -> list[frozenset[str]]:
    """Return the sets of ids that are one and the same, one for each merge head."""
    heads = {v.principal_id for v in context.verified_principals}
    merged = {h: {i for v in context.verified_principals if v.principal_id == h for i in v.merged_ids} for h in heads}
    return [frozenset({head, *merged[head]}) for head in sorted(heads)]


def same(context: AccessContext, one: str, other: str) -> bool:
    """Two ids are one and the same."""
    return one == other or any({one, other} <= together for together in classes(context))


def all_ids(context: AccessContext, principal_id: str) -> set[str]:
    """Return every id of somebody."""
    return {principal_id}.union(*(c for c in classes(context) if principal_id in c))


def actor_ids(context: AccessContext) -> set[str]:
    """Return every id of the actor; nobody's where there is none."""
    return all_ids(context, context.actor.principal_id) if isinstance(context.actor, PrincipalActor) else set()


def owners(context: AccessContext) -> set[str]:
    """Return whose card it is."""
    subject, room = context.session_subject, context.conversation
    if isinstance(subject, UserSubject):
        return all_ids(context, subject.principal_id)
    if isinstance(subject, ConversationSubject) and room and room.owner_id:
        return all_ids(context, room.owner_id) if room.conversation_id == subject.conversation_id else set()
    return set()


def subject_id(context: AccessContext) -> str | None:
    """Return the id of the session subject."""
    subject = context.session_subject
    if isinstance(subject, AmbiguousSubject):
        return None
    return subject.conversation_id if isinstance(subject, ConversationSubject) else subject.principal_id


def involved(context: AccessContext) -> set[str]:
    """Return every id that the context rests on."""
    named = {v.principal_id for v in context.verified_principals}
    if isinstance(context.actor, PrincipalActor):
        named |= {context.actor.principal_id}
    if context.delegation is not None:
        named |= {context.delegation.root_principal_id}
    whose = subject_id(context)
    return set[str]().union(*(all_ids(context, name) for name in (named | {whose} if whose else named)))


def somebody_is_gone(context: AccessContext, standing: ContextStanding, now: datetime) -> bool:
    """Somebody the context rests on is revoked, or the evidence has run out."""
    ends = [v.expires_at for v in context.verified_principals]
    if isinstance(context.actor, PrincipalActor):
        ends.append(context.actor.expires_at)
    revoked = set[str]().union(*(all_ids(context, gone) for gone in standing.revoked_ids))
    return any(has_ended(end, now) for end in ends) or bool(revoked & involved(context))


def belongs(context: AccessContext, ids: set[str], group_id: str, now: datetime) -> bool:
    """Somebody under one of the ids is in the group now."""
    return any(
        m.group_id == group_id and m.principal_id in ids and m.observed_at <= now and not has_ended(m.expires_at, now)
        for m in context.verified_memberships
    )
