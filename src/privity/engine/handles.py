"""Handles: names for revisions, mounts and subjects that mean nothing outside their session.

Deterministic authenticated encryption (AES-SIV, RFC 5297) under a key of the session, so
that equal answers are equal byte for byte, and a foreign handle and garbage fail at the
same step. A handle is a name, never a grant.
"""

import base64
import binascii
from dataclasses import dataclass
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from privity.engine.records import RevisionRecord
from privity.engine.seals import Seals
from privity.model.context import AccessContext
from privity.model.ids import (
    AgentId,
    MountHandle,
    PrincipalId,
    ResourceHandle,
    RevisionId,
    SessionId,
    StoreId,
    SubjectHandle,
)

SEPARATOR = "\x00"
LONGEST = 512
SESSIONS = 256
"""How many sessions' keys are kept ready; the others are derived again when they speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a resource handle names."""

    store_id: StoreId
    revision_id: RevisionId


class Handles:
    """Seals and opens the handles of sessions."""

    def __init__(self, seals: Seals) -> None:
        self._seals = seals
        self._cipher_of = lru_cache(maxsize=SESSIONS)(self._derive_cipher)

    def resource(self, context: AccessContext, revision: RevisionRecord) -> ResourceHandle:
        """Return the handle of one revision as mounted in the context's session."""
        return ResourceHandle(self._encrypt(context, "r", (revision.store_id, revision.revision_id)))

    def open_resource(self, context: AccessContext, handle: str) -> Named | None:
        """Return what `handle` names in this session, or nothing at all."""
        match self._decrypt(context, "r", handle):
            case [store_id, revision_id]:
                return Named(store_id=StoreId(store_id), revision_id=RevisionId(revision_id))
            case _:
                return None

    def mount(self, context: AccessContext, store_id: StoreId) -> MountHandle:
        """Return the handle of one mount of the context's session."""
        return MountHandle(self._encrypt(context, "m", (store_id,)))

    def subject(self, context: AccessContext, principal_id: PrincipalId) -> SubjectHandle:
        """Return the handle of a person the host has verified or saw mentioned."""
        return SubjectHandle(self._encrypt(context, "s", (principal_id,)))

    def open_subject(self, context: AccessContext, handle: str) -> PrincipalId | None:
        """Return the principal that `handle` names in this session, or nothing at all."""
        match self._decrypt(context, "s", handle):
            case [principal_id]:
                return PrincipalId(principal_id)
            case _:
                return None

    def _cipher(self, context: AccessContext) -> AESSIV:
        return self._cipher_of(context.agent_id, context.session_id)

    def _derive_cipher(self, agent_id: AgentId, session_id: SessionId) -> AESSIV:
        return AESSIV(self._seals.derive(f"handle/{agent_id}/{session_id}", 64))

    def _encrypt(self, context: AccessContext, kind: str, parts: tuple[str, ...]) -> str:
        plain = SEPARATOR.join(parts).encode("utf-8")
        sealed = self._cipher(context).encrypt(plain, [kind.encode("ascii")])
        return f"{kind}1_{base64.urlsafe_b64encode(sealed).decode('ascii').rstrip('=')}"

    def _decrypt(self, context: AccessContext, kind: str, handle: str) -> list[str] | None:
        prefix = f"{kind}1_"
        if not handle.startswith(prefix) or len(handle) > LONGEST:
            return None
        body = handle.removeprefix(prefix)
        try:
            sealed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
            plain = self._cipher(context).decrypt(sealed, [kind.encode("ascii")])
        except (InvalidTag, binascii.Error, ValueError):
            return None
        if base64.urlsafe_b64encode(sealed).decode("ascii").rstrip("=") != body:
            return None  # one name has one spelling
        return plain.decode("utf-8").split(SEPARATOR)
