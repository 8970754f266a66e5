"""Stores: one boundary of placement and policy each."""

from enum import StrEnum


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
