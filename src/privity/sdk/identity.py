"""What an identity adapter tells the host: evidence about one event, never a principal.

An adapter verifies the transport and states what the provider said. The host alone turns
that evidence into principals, conversations and sessions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class SenderClaim(StrEnum):
    """How the adapter established who sent an event, strongest first.

    `vouched-by-operator` is no transport's word at all: somebody at the keyboard said so.
    Only development and evaluation homes accept it.
    """

    VERIFIED = "verified"
    VOUCHED = "vouched-by-operator"
    ASSERTED = "asserted"
    UNVERIFIED = "unverified"
    MUTABLE = "mutable"


class ConversationKind(StrEnum):
    """Which form of conversation an event came from; a form the adapter does not know is `unknown`."""

    DIRECT = "direct"
    GROUP = "group"
    SHARED_MAIN = "shared-main"
    UNKNOWN = "unknown"


class ChangeKind(StrEnum):
    """How a membership changed."""

    JOINED = "joined"
    LEFT = "left"


@dataclass(frozen=True, slots=True, kw_only=True)
class SenderEvidence:
    """Who sent an event, in the provider's words. `label` is for people and never compared."""

    sender_id: str = field(repr=False)
    claim: SenderClaim
    label: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEvidence:
    """Where an event was said; `conversation_id` may be empty for a direct message."""

    kind: ConversationKind
    conversation_id: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipChange:
    """Somebody joined or left the conversation of the event."""

    kind: ChangeKind
    sender_id: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedEvent:
    """One event whose transport the adapter verified.

    `event_id` is the provider's, unique within the account: the host refuses it a second
    time. Identifiers are the provider's stable ones, normalised as the provider defines.
    """

    adapter: str
    account: str
    event_id: str = field(repr=False)
    sender: SenderEvidence
    conversation: ConversationEvidence
    mentions: tuple[str, ...] = field(repr=False)
    changes: tuple[MembershipChange, ...]
    text: str = field(repr=False)
    occurred_at: datetime


class IdentityAdapter(Protocol):
    """One provider's door. Conformance: it states evidence and decides nothing."""

    @property
    def name(self) -> str:
        """The one namespace it may speak for."""
        ...

    def verify(self, headers: Mapping[str, str], body: bytes) -> AdmittedEvent:
        """Return the event that the transport vouches for.

        Raises:
            InputError: the signature, the time or the form is wrong. Nothing was changed.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRequest:
    """Headers and body as a transport would deliver them."""

    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Voucher(Protocol):
    """Makes events on an operator's word, for trying out and for evaluation."""

    def event(
        self,
        *,
        sender: str,
        conversation: str | None,
        text: str,
        occurred_at: datetime | None = None,
        mentions: tuple[str, ...] = (),
        changes: tuple[MembershipChange, ...] = (),
    ) -> SignedRequest:
        """Return a signed event of `sender`, in a group `conversation` or in a direct message."""
        ...
