"""Keys of the engine: seals over plans and receipts, session handles, and query digests."""

import hmac
from dataclasses import fields
from hashlib import sha256

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from privity.model.canonical import canonical_bytes
from privity.model.ids import AgentId
from privity.model.plans import Plan
from privity.model.receipts import EgressReceipt, ExposureReceipt, RunReceipt

Sealed = Plan | RunReceipt | ExposureReceipt | EgressReceipt


class Seals:
    """Authenticates what the engine hands out and takes back."""

    def __init__(self, home_key: bytes) -> None:
        self._home_key = home_key
        self._seal_key = self.derive("seal", 32)
        self._digest_key = self.derive("query-digest", 32)

    def derive(self, purpose: str, length: int) -> bytes:
        """Return a key of its own for `purpose`."""
        expand = HKDF(algorithm=SHA256(), length=length, salt=None, info=f"privity/1/{purpose}".encode())
        return expand.derive(self._home_key)

    def seal(self, agent_id: AgentId, value: Sealed) -> bytes:
        """Return the seal of every field of `value` but the seal itself, within one cell."""
        content = [getattr(value, f.name) for f in fields(value) if f.name != "seal"]
        message = canonical_bytes([type(value).__name__, agent_id, content])
        return hmac.digest(self._seal_key, message, "sha256")

    def is_sealed(self, agent_id: AgentId, value: Sealed) -> bool:
        """This engine sealed exactly this value for this cell."""
        return hmac.compare_digest(self.seal(agent_id, value), value.seal)

    def digest(self, query: str) -> str:
        """Return the keyed digest of a query, which is all that an audit record holds of it."""
        return hmac.new(self._digest_key, query.encode("utf-8"), sha256).hexdigest()
