"""The claims of a context on stores: which places they lead to, and what speaks against them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext, Delegation
from privity.model.principals import UnattributedActor
from privity.model.reasons import Reason
from privity.model.standing import ContextStanding
from privity.model.stores import StoreKind
from privity.model.subjects import ConversationSubject
from privity.policy.algebra import Evidence, canonical
from privity.policy.identities import actor_stands_for_subject, find_subject_id, identities_hold
from privity.policy.mapping import OWN_STORE, SESSION_MAPPING, Claim, Row, shape_of

MAXIMUM_DEPTH: Final = 8
"""How many delegations may stand between a run and the context it began with."""

Place = tuple[StoreKind, Audience]


def list_places(context: AccessContext, evidence: Evidence) -> Mapping[Place, Row]:
    """Return the places `context` has a claim on, in the order of the session mapping."""
    return {
        (row.kind, audience): row
        for row in SESSION_MAPPING[shape_of(context)]
        for audience in AUDIENCES[row.claim](context, evidence)
        if is_handed_on(audience, context.delegation, evidence)
    }


def is_handed_on(audience: Audience, delegation: Delegation | None, evidence: Evidence) -> bool:
    """No delegation stands in between, or it is near enough and names the audience."""
    if delegation is None:
        return True
    maximum = {canonical(allowed, evidence) for allowed in delegation.maximum_audiences}
    return depth_is_bounded(delegation) and canonical(audience, evidence) in maximum


def depth_is_bounded(delegation: Delegation) -> bool:
    """The chain of delegations is short; a circular one would not be."""
    return 1 <= delegation.depth <= MAXIMUM_DEPTH


def own_audiences(context: AccessContext, evidence: Evidence) -> tuple[Audience, ...]:
    """Return the subject's own audience; a person has one for each of their ids."""
    own = own_place(context, evidence)
    if own is None:
        return ()
    _, audience = own
    if audience.kind is not AudienceKind.USER:
        return (audience,)
    ids = sorted(evidence.merge_class(audience.id))
    return tuple(Audience(kind=AudienceKind.USER, id=same) for same in ids)


def own_place(context: AccessContext, evidence: Evidence) -> Place | None:
    """Return where the session subject's own memory is kept, under the merge head."""
    kinds, subject_id = OWN_STORE.get(shape_of(context)), find_subject_id(context)
    if kinds is None or subject_id is None:
        return None
    store_kind, audience_kind = kinds
    return store_kind, canonical(Audience(kind=audience_kind, id=subject_id), evidence)


def shared_audiences(context: AccessContext, _evidence: Evidence) -> tuple[Audience, ...]:
    """Return the audience of the agent's whole cell."""
    _, audience = shared_place(context)
    return (audience,)


def shared_place(context: AccessContext) -> Place:
    """Return where the cell's shared memory is kept."""
    return StoreKind.AGENT_SHARED, Audience(kind=AudienceKind.AGENT_SHARED, id=context.agent_id)


def role_audiences(context: AccessContext, evidence: Evidence) -> tuple[Audience, ...]:
    """Return the groups the session subject was seen in, whether or not that still holds."""
    subject_id = find_subject_id(context)
    if subject_id is None:
        return ()
    same = evidence.merge_class(subject_id)
    groups = sorted({m.group_id for m in evidence.memberships if m.principal_id in same})
    return tuple(Audience(kind=AudienceKind.ROLE, id=group) for group in groups)


AUDIENCES: Final[Mapping[Claim, Callable[[AccessContext, Evidence], tuple[Audience, ...]]]] = MappingProxyType(
    {
        Claim.OWN: own_audiences,
        Claim.SHARED: shared_audiences,
        Claim.MEMBER: role_audiences,
    }
)


def find_reason(
    claim: Claim,
    audience: Audience,
    context: AccessContext,
    standing: ContextStanding,
    evidence: Evidence,
) -> Reason | None:
    """Return why a store of the view is withheld at this moment, or nothing."""
    if claim is Claim.SHARED:
        return None
    if not identities_hold(context, standing, evidence):
        return Reason.IDENTITY_REVOKED
    if isinstance(context.session_subject, ConversationSubject):
        return None if actor_takes_part(context, evidence) else Reason.MEMBERSHIP_STALE
    if not actor_stands_for_subject(context, evidence):
        return Reason.OUTSIDE_VIEW
    if claim is Claim.MEMBER and not subject_is_member(audience, context, evidence):
        return Reason.MEMBERSHIP_STALE
    return None


def actor_takes_part(context: AccessContext, evidence: Evidence) -> bool:
    """The actor belongs to the conversation now, or is nobody in particular and only looks on."""
    if isinstance(context.actor, UnattributedActor):
        return True
    conversation_id = find_subject_id(context)
    return conversation_id is not None and evidence.is_member(context.actor.principal_id, conversation_id)


def subject_is_member(audience: Audience, context: AccessContext, evidence: Evidence) -> bool:
    """The session subject belongs to the role now."""
    subject_id = find_subject_id(context)
    return subject_id is not None and evidence.is_member(subject_id, audience.id)
