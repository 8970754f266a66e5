"""What the operator decides about a home, as the host needs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from privity.model.principals import SenderStrength


class Mode(StrEnum):
    """What a home is for. `evaluation` is stamped when the home is made and never changes."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"
    EVALUATION = "evaluation"


class FirstContact(StrEnum):
    """What an event of a verified but unknown sender does."""

    CREATE = "create"
    REQUIRE_LINK = "require-link"


class MembershipRule(StrEnum):
    """What proves that somebody belongs to a conversation of an account."""

    EVENT = "event"
    ROSTER = "roster"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignerOptions:
    """One account of one adapter."""

    membership: MembershipRule


AccountName = tuple[str, str]
"""The adapter and the account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetimes:
    """How long evidence and what the host issues stay good."""

    context: timedelta
    conversation_membership: timedelta
    role_membership: timedelta
    roster_membership: timedelta
    delivery: timedelta
    replay_memory: timedelta


DEFAULT_LIFETIMES: Final = Lifetimes(
    context=timedelta(minutes=5),
    conversation_membership=timedelta(hours=24),
    role_membership=timedelta(minutes=15),
    roster_membership=timedelta(days=30),
    delivery=timedelta(hours=1),
    replay_memory=timedelta(minutes=11),
)
"""`replay_memory` outlasts twice the tolerance of a signature's time, which may lie ahead as well as behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """Everything the host is told by its operator.

    `adapters` is the allow-list of names that may register. `sinks` is that of sinks,
    beside those of the adapters' names, or `None` where the operator's code may register any. An account that is not in `accounts` is refused.
    """

    mode: Mode
    first_contact: FirstContact
    minimum_strength: SenderStrength
    adapters: frozenset[str]
    sinks: frozenset[str] | None
    accounts: Mapping[AccountName, SignerOptions]
    lifetimes: Lifetimes
