"""What each mode and role of a collaborative session may see and change."""

from typing import Final

from privity.model.context import (
    Collaboration,
    CollaborationMode,
    CollaborationRole,
    NotCollaborative,
    SharedSession,
)

EVERYBODY: Final = frozenset(CollaborationRole)
CONTRIBUTORS: Final = frozenset({CollaborationRole.ADMIN, CollaborationRole.OWNER, CollaborationRole.MEMBER})
OWNERS: Final = frozenset({CollaborationRole.ADMIN, CollaborationRole.OWNER})
NO_ROLE: Final[frozenset[CollaborationRole]] = frozenset()

VISIBLE_TO: Final = {
    CollaborationMode.SHARED: EVERYBODY,
    CollaborationMode.READ_ONLY: EVERYBODY,
    CollaborationMode.SUGGEST: EVERYBODY,
    CollaborationMode.DRAFT: OWNERS,
}

MUTABLE_BY: Final = {
    CollaborationMode.SHARED: CONTRIBUTORS,
    CollaborationMode.READ_ONLY: NO_ROLE,
    CollaborationMode.SUGGEST: OWNERS,
    CollaborationMode.DRAFT: OWNERS,
}


def is_visible(collaboration: Collaboration) -> bool:
    """The host's decision about the session lets this actor see it."""
    if isinstance(collaboration, SharedSession):
        return collaboration.role in VISIBLE_TO[collaboration.mode]
    return type(collaboration) is NotCollaborative


def is_mutable(collaboration: Collaboration) -> bool:
    """The host's decision about the session lets this actor change something."""
    if isinstance(collaboration, SharedSession):
        return collaboration.role in MUTABLE_BY[collaboration.mode]
    return type(collaboration) is NotCollaborative
