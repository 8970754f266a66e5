"""The webhook adapter, which needs an extra: loaded only by a home that has webhook accounts."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final

from privity.sdk.ambient import Clock
from privity.sdk.errors import InputError
from privity.sdk.identity import IdentityAdapter, SenderClaim

WEBHOOK: Final = "webhook"
PREFIX: Final = "whsec_"
SHORTEST: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Who may sign events, and how far it establishes their senders."""

    account: str
    secret: str = field(repr=False)
    claim: SenderClaim


def make_webhook(signers: Sequence[Signer], clock: Clock) -> IdentityAdapter:
    """Return the adapter of these accounts.

    Raises:
        InputError: the extra is not installed, or a secret is too short or not its account's alone.
    """
    keys = {key_of(signer) for signer in signers}
    if len(keys) != len(signers):
        raise InputError("are not all different", where="webhook secrets", remedy="give each account its own")
    try:
        adapter = import_module("privity.identity.webhook")
    except ModuleNotFoundError as error:
        raise InputError("is not installed", where="webhook", remedy="run `pip install 'privity[webhook]'`") from error
    accounts = [adapter.WebhookSigner(account=one.account, secret=one.secret, claim=one.claim) for one in signers]
    return adapter.WebhookAdapter(accounts, clock)


def key_of(signer: Signer) -> bytes:
    """Return the key that a secret stands for, as Standard Webhooks writes it."""
    try:
        key = base64.b64decode(signer.secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise InputError("is not base 64", where=f"secret of `{signer.account}`", remedy="make a new one") from error
    if len(key) < SHORTEST:
        raise InputError("is too short", where=f"secret of `{signer.account}`", remedy="use 24 random bytes or more")
    return key
