"""The view of a context a second time: one store after another, asked in plain words."""

from datetime import datetime

from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext, Visibility
from privity.model.principals import PrincipalActor, SenderStrength
from privity.model.reasons import Reason
from privity.model.standing import ContextStanding
from privity.model.stores import StoreFacts, StoreKind
from privity.model.subjects import AmbiguousSubject, AutonomousSubject, ConversationSubject, UserSubject
from tests.policy.reference_people import actor_ids, all_ids, belongs, same, somebody_is_gone, subject_id

Standing = set[str] | Reason | None
"""What may be asked of a store, or why it is withheld, or `None` where it is outside the view."""

LOOK = "retrieve read"
USE = "retrieve read derive"
KEEP = "retrieve read derive append export sync"
OWN = "retrieve read derive append export sync replace delete"


def stand(context: AccessContext, store: StoreFacts, standing: ContextStanding, now: datetime) -> Standing:
    """Return how a context stands to a store."""
    offered = offer(context, store)
    if offered is None or not handed_on(context, store):
        return None
    if is_private(store) and (why := objection(context, store, standing, now)):
        return why
    words = set(offered.split())
    if not isinstance(context.actor, PrincipalActor):
        words &= {"retrieve", "read"}
    if context.delegation is not None:
        words &= {str(op) for op in context.delegation.allowed_operations}
    return words


def offer(context: AccessContext, store: StoreFacts) -> str | None:
    """Return what the kind of session may ask of a store, before anything speaks against it."""
    if store.agent_id != context.agent_id or store.state != "active":
        return None
    subject, cell = context.session_subject, is_cell(context, store.audience)
    if context.visibility == Visibility.INCOGNITO or isinstance(subject, AmbiguousSubject):
        return LOOK if store.kind == StoreKind.AGENT_SHARED and cell else None
    if cell and store.kind in (StoreKind.AGENT_SHARED, StoreKind.PROJECTION):
        return USE
    if isinstance(subject, ConversationSubject):
        return offer_to_room(subject, store)
    if store.kind == StoreKind.ROLE and is_group_of_subject(context, store.audience):
        return USE
    if isinstance(subject, UserSubject):
        return offer_to_person(context, subject, store)
    return offer_to_service(subject, store)


def offer_to_service(subject: AutonomousSubject, store: StoreFacts) -> str | None:
    """Return what a service may ask of its own store."""
    own = Audience(kind=AudienceKind.AGENT, id=subject.principal_id)
    return KEEP if store.kind == StoreKind.AGENT and store.audience == own else None


def offer_to_room(subject: ConversationSubject, store: StoreFacts) -> str | None:
    """Return what a conversation may ask of its own stores."""
    if store.audience != Audience(kind=AudienceKind.CONVERSATION, id=subject.conversation_id):
        return None
    return {StoreKind.CONVERSATION: OWN, StoreKind.PROJECTION: USE}.get(store.kind)


def offer_to_person(context: AccessContext, subject: UserSubject, store: StoreFacts) -> str | None:
    """Return what a person may ask of their own stores, and of what was projected to their groups."""
    if store.kind == StoreKind.PROJECTION and is_group_of_subject(context, store.audience):
        return USE
    mine = store.audience.kind == AudienceKind.USER and same(context, store.audience.id, subject.principal_id)
    return OWN if store.kind == StoreKind.USER and mine else None


def is_cell(context: AccessContext, audience: Audience) -> bool:
    """The audience is everybody in the cell."""
    return audience == Audience(kind=AudienceKind.AGENT_SHARED, id=context.agent_id)


def is_group_of_subject(context: AccessContext, audience: Audience) -> bool:
    """The session subject was at some time seen in the group."""
    whose = subject_id(context)
    return (
        whose is not None
        and audience.kind == AudienceKind.ROLE
        and any(
            m.group_id == audience.id and m.principal_id in all_ids(context, whose)
            for m in context.verified_memberships
        )
    )


def handed_on(context: AccessContext, store: StoreFacts) -> bool:
    """No delegation excludes the store."""
    given = context.delegation
    if given is None:
        return True
    return given.depth in range(1, 9) and any(
        a == store.audience
        or (a.kind == AudienceKind.USER == store.audience.kind and same(context, a.id, store.audience.id))
        for a in given.maximum_audiences
    )


def is_private(store: StoreFacts) -> bool:
    """The store is not the whole cell's."""
    return store.audience.kind != AudienceKind.AGENT_SHARED


def objection(context: AccessContext, store: StoreFacts, standing: ContextStanding, now: datetime) -> Reason | None:
    """Return why a store that is offered is withheld all the same."""
    subject, actor = context.session_subject, context.actor
    if somebody_is_gone(context, standing, now):
        return Reason.IDENTITY_REVOKED
    if isinstance(subject, ConversationSubject):
        here = not isinstance(actor, PrincipalActor) or belongs(
            context, actor_ids(context), subject.conversation_id, now
        )
        return None if here else Reason.MEMBERSHIP_STALE
    whose = all_ids(context, subject_id(context) or "")
    if not acts_for(context, whose):
        return Reason.OUTSIDE_VIEW
    if store.audience.kind == AudienceKind.ROLE and not belongs(context, whose, store.audience.id, now):
        return Reason.MEMBERSHIP_STALE
    return None


def acts_for(context: AccessContext, whose: set[str]) -> bool:
    """The actor is provably the session subject, or was sent by them."""
    actor, given = context.actor, context.delegation
    if not isinstance(actor, PrincipalActor):
        return False
    if actor.strength in (SenderStrength.UNVERIFIED, SenderStrength.MUTABLE):
        return False
    return actor.principal_id in whose or (given is not None and given.root_principal_id in whose)
