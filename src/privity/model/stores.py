"""Stores: one boundary of placement and policy each."""

from dataclasses import dataclass
from enum import StrEnum

from privity.model.audiences import Audience
from privity.model.ids import AgentId, StoreId


class StoreKind(StrEnum):
    """The scope kinds of the seed, in our words."""

    USER = "user"
    CONVERSATION = "conversation"
    ROLE = "role"
    AGENT_SHARED = "agent-shared"
    AGENT = "agent"
    PROJECTION = "projection"
    QUARANTINE = "quarantine"


class StoreState(StrEnum):
    """Whether a store may be mounted at all."""

    ACTIVE = "active"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """One store as the catalog has it now. `audience` is its base scope."""

    agent_id: AgentId
    store_id: StoreId
    kind: StoreKind
    audience: Audience
    state: StoreState
