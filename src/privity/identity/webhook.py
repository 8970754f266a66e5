"""The webhook adapter: events signed as Standard Webhooks, one secret for each account.

The account is the one whose secret signed; nothing in the body names it. The body is
described in `privity.identity.document`. Headers: `webhook-id`, `webhook-timestamp`
(seconds since 1970) and `webhook-signature`.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from standardwebhooks.webhooks import Webhook

from privity.identity.document import Fields, parse_document
from privity.sdk.ambient import Clock
from privity.sdk.errors import InputError
from privity.sdk.identity import AdmittedEvent, SenderClaim
from privity.sdk.strict import strict

NAME: Final = "webhook"
TOLERANCE: Final = timedelta(minutes=5)
SECONDS: Final = re.compile(r"[1-9][0-9]{8,10}", re.ASCII)
MAX_SIGNATURES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSigner:
    """One account; `claim` is how far its signer establishes senders, as the operator declares."""

    account: str
    secret: str = field(repr=False)
    claim: SenderClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """The headers of a request, in their form if not yet believed."""

    event_id: str
    signed_at: datetime
    signatures: tuple[bytes, ...]


@strict
class WebhookAdapter:
    """Verifies signed requests. Satisfies `IdentityAdapter`."""

    def __init__(self, accounts: Sequence[WebhookSigner], clock: Clock) -> None:
        self._signers = tuple((account, Webhook(account.secret)) for account in accounts)
        self._clock = clock

    @property
    def name(self) -> str:
        """The one namespace it speaks for."""
        return NAME

    def verify(self, headers: Mapping[str, str], body: bytes) -> AdmittedEvent:
        """Return the event of a request that an account of this home signed just now."""
        now = self._clock.now()
        signed = parse_headers(headers)
        if abs(now - signed.signed_at) > TOLERANCE:
            raise InputError(
                "lies outside the tolerance of 5 minutes", where="webhook-timestamp", remedy="set both clocks right"
            )
        account = self.signer(signed, body)
        fields = Fields(adapter=NAME, account=account.account, event_id=signed.event_id, claim=account.claim)
        return parse_document(body, fields, now)

    def signer(self, signed: Signed, body: bytes) -> WebhookSigner:
        """Return the account that signed `body`; every secret is tried, whichever fits.

        Raises:
            InputError: none did.
        """
        text = decoded(body)
        found = [account for account, webhook in self._signers if fits(webhook, signed, text)]
        if len(found) != 1:
            raise InputError("fits no account of this home", where="webhook-signature", remedy="check the secret")
        return found[0]


def fits(webhook: Webhook, signed: Signed, text: str) -> bool:
    """One of the signatures is the one that this secret makes."""
    made = webhook.sign(signed.event_id, signed.signed_at, text).encode("ascii")
    return any(hmac.compare_digest(made, signature) for signature in signed.signatures)


def decoded(body: bytes) -> str:
    """Return the body as text.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", where="body", remedy="send JSON in UTF-8") from error


def parse_headers(headers: Mapping[str, str]) -> Signed:
    """Return the three headers of Standard Webhooks.

    Raises:
        InputError: one is missing or out of form.
    """
    lowered = {name.lower(): value for name, value in headers.items()}
    if len(lowered) != len(headers):
        raise InputError("names one twice", where="headers", remedy="send each header once")
    seconds = header(lowered, "webhook-timestamp")
    if not SECONDS.fullmatch(seconds):
        raise InputError("is no time", where="webhook-timestamp", remedy="send seconds since 1970")
    signatures = header(lowered, "webhook-signature").split(" ")
    if len(signatures) > MAX_SIGNATURES:
        raise InputError("holds too many", where="webhook-signature", remedy="send the current signatures only")
    return Signed(
        event_id=header(lowered, "webhook-id"),
        signed_at=datetime.fromtimestamp(int(seconds), tz=UTC),
        signatures=tuple(signature.encode("utf-8", "backslashreplace") for signature in signatures),
    )


def header(headers: Mapping[str, str], name: str) -> str:
    """Return a header that must be there and can be signed.

    Raises:
        InputError: it is missing, or no text.
    """
    value = headers.get(name, "")
    if not value or not value.isprintable():
        raise InputError("is missing or no text", where=name, remedy="send what Standard Webhooks asks for")
    return value
