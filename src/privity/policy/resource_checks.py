"""Steps 3 to 6: the view, the hard boundary, the revision's state, and the session's own limits."""

from typing import Final

from privity.model.context import Visibility
from privity.model.operations import MUTATIONS
from privity.model.principals import PrincipalActor
from privity.model.reasons import Reason
from privity.model.resources import Anonymity, Integrity, RevisionState, Section
from privity.model.stores import StoreState
from privity.model.subjects import AutonomousSubject, ConversationSubject, UserSubject
from privity.policy.case import Case
from privity.policy.collaboration import is_mutable, is_visible
from privity.policy.identities import actor_is
from privity.policy.lattice import ON_EXISTING

PARTICULAR: Final = (UserSubject, AutonomousSubject)
KNOWN: Final = (*PARTICULAR, ConversationSubject)


def identity_withholds_nothing(case: Case) -> bool:
    """The store is not withheld because an identity was revoked or has run out."""
    return find_withheld(case) is not Reason.IDENTITY_REVOKED


def membership_withholds_nothing(case: Case) -> bool:
    """The store is not withheld because a membership has run out."""
    return find_withheld(case) is not Reason.MEMBERSHIP_STALE


def nothing_withholds(case: Case) -> bool:
    """The store is not withheld for any other reason either."""
    return find_withheld(case) is None


def find_withheld(case: Case) -> Reason | None:
    """Return why the view withholds the store, or nothing."""
    return case.facts.view.withheld.get(case.facts.store.store_id)


def store_is_mounted(case: Case) -> bool:
    """The store is part of the memory view."""
    return case.facts.store.store_id in case.facts.view.mounts


def store_is_inside(case: Case) -> bool:
    """The store is active and of this cell, as are the facts and the context."""
    store = case.facts.store
    return (
        store.agent_id == case.facts.agent_id
        and store.agent_id == case.context.agent_id
        and store.state is StoreState.ACTIVE
    )


def revision_is_inside(case: Case) -> bool:
    """The revision belongs to that store."""
    revision, store = case.facts.revision, case.facts.store
    return revision is None or (revision.store_id == store.store_id and revision.agent_id == store.agent_id)


def somebody_is_known(case: Case) -> bool:
    """It is known whom the session is with, or the revision is safe where nobody is."""
    subject, revision = case.context.session_subject, case.facts.revision
    return (
        isinstance(subject, ConversationSubject)
        or (isinstance(subject, PARTICULAR) and isinstance(case.context.actor, PrincipalActor))
        or revision is None
        or revision.anonymity is Anonymity.ANONYMOUS_SAFE
    )


def revision_is_readable(case: Case) -> bool:
    """The revision is active, intact on disk and not expired; where one is needed there is one."""
    revision = case.facts.revision
    if revision is None:
        return case.facts.operation not in ON_EXISTING
    return (
        revision.state is RevisionState.ACTIVE
        and revision.integrity is Integrity.VERIFIED
        and (revision.expires_at is None or case.facts.now < revision.expires_at)
    )


def session_is_visible(case: Case) -> bool:
    """The collaboration decision lets the actor see the session."""
    return is_visible(case.context.collaboration)


def mutation_is_permitted(case: Case) -> bool:
    """The operation changes nothing, or somebody may leave durable traces in this session."""
    return case.facts.operation not in MUTATIONS or (
        case.context.visibility is Visibility.NORMAL
        and isinstance(case.context.session_subject, KNOWN)
        and isinstance(case.context.actor, PrincipalActor)
        and is_mutable(case.context.collaboration)
    )


def card_is_its_owners(case: Case) -> bool:
    """The operation leaves the card alone, or the actor is whom the card belongs to."""
    return case.facts.operation not in MUTATIONS or case.facts.section is Section.NOTE or actor_owns_card(case)


def actor_owns_card(case: Case) -> bool:
    """The actor is the session's person, or the owner the operator named for the conversation."""
    context = case.context
    match context.session_subject:
        case UserSubject() as subject:
            return actor_is(subject.principal_id, context.actor, case.evidence)
        case ConversationSubject() as subject:
            conversation = context.conversation
            return (
                conversation is not None
                and conversation.conversation_id == subject.conversation_id
                and actor_is(conversation.owner_id, context.actor, case.evidence)
            )
        case _:
            return False
