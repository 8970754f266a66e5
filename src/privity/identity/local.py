"""The local adapter: an operator vouches for a sender, for trying out and for evaluation.

INVARIANT: no transport stands behind these events. They are `vouched-by-operator`, which a
production home takes from nobody (identity:strength:vouched).
"""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from privity.identity.document import Fields, parse_document
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import InputError
from privity.sdk.identity import (
    AdmittedEvent,
    MembershipChange,
    SenderClaim,
    SignedRequest,
)
from privity.sdk.strict import strict

NAME: Final = "local"
ACCOUNT: Final = "local"
ID_HEADER: Final = "privity-local-id"
SEAL_HEADER: Final = "privity-local-seal"


@strict
class LocalAdapter:
    """Makes and verifies events on the operator's word. Satisfies `IdentityAdapter` and `Voucher`."""

    def __init__(self, key: bytes, clock: Clock, entropy: Entropy) -> None:
        self._key = key
        self._clock = clock
        self._entropy = entropy

    @property
    def name(self) -> str:
        """The one namespace it speaks for."""
        return NAME

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
        event_id = self._entropy.token("lcl")
        document = {
            "sender": {"id": sender},
            "conversation": {"kind": "direct"} if conversation is None else {"kind": "group", "id": conversation},
            "text": text,
            "mentions": list(mentions),
            "changes": [{"kind": change.kind, "id": change.sender_id} for change in changes],
            "occurred_at": (self._clock.now() if occurred_at is None else occurred_at).isoformat(),
        }
        body = json.dumps(document).encode("ascii")
        return SignedRequest(headers={ID_HEADER: event_id, SEAL_HEADER: self._seal(event_id, body)}, body=body)

    def verify(self, headers: Mapping[str, str], body: bytes) -> AdmittedEvent:
        """Return the event, if this home's operator made it."""
        event_id, seal = headers.get(ID_HEADER, ""), headers.get(SEAL_HEADER, "")
        if not hmac.compare_digest(
            self._seal(event_id, body).encode("ascii"), seal.encode("utf-8", "backslashreplace")
        ):
            raise InputError("does not fit the body", where=SEAL_HEADER, remedy="use what `host.local.event` returns")
        return parse_document(
            body, Fields(adapter=NAME, account=ACCOUNT, event_id=event_id, claim=SenderClaim.VOUCHED), self._clock.now()
        )

    def _seal(self, event_id: str, body: bytes) -> str:
        """Return the seal that only this home can make."""
        named = event_id.encode("utf-8", "backslashreplace")
        message = len(named).to_bytes(8, "big") + named + body
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()
