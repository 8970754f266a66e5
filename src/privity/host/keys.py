"""Keyed digests under the host's root key, one derived key for each purpose."""

import hashlib
import hmac
from enum import StrEnum


class Purpose(StrEnum):
    """What a digest is for; digests of different purposes never compare equal."""

    SENDER = "sender"
    CONVERSATION = "conversation"
    SESSION = "session"
    ADMISSION = "admission"
    ROUTE = "route"
    TRANSPORT = "transport"
    PRINCIPAL = "principal"
    BRAND = "brand"
    CHECK = "check"


class HostKeys:
    """The host's key material. It holds secrets: it is never logged, compared or shown."""

    def __init__(self, root: bytes) -> None:
        self._keys = {purpose: derived_key(root, purpose) for purpose in Purpose}

    def digest(self, purpose: Purpose, *parts: str) -> str:
        """Return the keyed digest of `parts`, in hex. Different parts give different digests."""
        return hmac.new(self._keys[purpose], joined(parts), hashlib.sha256).hexdigest()

    def brand(self, message: bytes) -> bytes:
        """Return the brand of `message`."""
        return hmac.new(self._keys[Purpose.BRAND], message, hashlib.sha256).digest()


def derived_key(root: bytes, label: str) -> bytes:
    """Return the key for one purpose under `root`."""
    return hmac.new(root, b"privity/host/1/" + label.encode("ascii"), hashlib.sha256).digest()


def joined(parts: tuple[str, ...]) -> bytes:
    """Return `parts` as bytes from which they can be told apart again, each with its length before it."""
    encoded = [part.encode("utf-8") for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in encoded)
