"""Who may receive content, and the conjunction of audiences a derived text is bound to."""

from dataclasses import dataclass
from enum import StrEnum


class AudienceKind(StrEnum):
    """The kinds of audience a resource or a delivery can have."""

    USER = "user"
    CONVERSATION = "conversation"
    ROLE = "role"
    AGENT_SHARED = "agent-shared"
    AGENT = "agent"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Audience:
    """One audience: `id` is a principal id, or the agent id for `agent-shared` and `internal`."""

    kind: AudienceKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AudienceBound:
    """A conjunction: content so bound may reach only what **every** member covers.

    An empty conjunction would mean everybody, so it cannot be made: `NOBODY` is the bound
    that nothing satisfies, and a bound without members is that one.
    """

    members: frozenset[Audience]

    @property
    def is_nobody(self) -> bool:
        """Nothing may receive this."""
        return not self.members


NOBODY = AudienceBound(members=frozenset())
