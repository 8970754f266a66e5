"""Resolve evidence about a sender to a principal, or to nobody. Equal names mean nothing here."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from privity.host.keys import HostKeys, Purpose
from privity.host.options import FirstContact, HostOptions, Mode
from privity.host.ports import IdentityStore
from privity.host.records import (
    BindingMethod,
    BindingRecord,
    Head,
    PrincipalRecord,
    PrincipalState,
)
from privity.model.ids import EvidenceRevision, PrincipalId
from privity.model.principals import Assurance, PrincipalKind, SenderStrength
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import NonconformingError
from privity.sdk.identity import SenderClaim

RANK: Final = {strength: rank for rank, strength in enumerate(reversed(SenderStrength))}
"""How strong a strength is; the enumeration names them strongest first."""


class Absence(StrEnum):
    """Why a sender is nobody."""

    UNBOUND = "unbound"
    CONFLICTING = "conflicting"
    TOO_WEAK = "too-weak"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """A sender as the host knows one: a keyed digest, and how strongly it is established now."""

    sender_key: str
    adapter: str
    account: str
    claim: SenderClaim
    transport_ref: str
    """An opaque name of the event, for the audit of what nobody in particular did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The sender is bound to a live principal."""

    head: Head
    binding: BindingRecord
    strength: SenderStrength


@dataclass(frozen=True, slots=True, kw_only=True)
class Unattributed:
    """The sender is nobody whom the host knows."""

    absence: Absence


Resolution = Resolved | Unattributed


class Resolver:
    """Looks senders up under the options of this home."""

    def __init__(
        self, identities: IdentityStore, keys: HostKeys, options: HostOptions, clock: Clock, entropy: Entropy
    ) -> None:
        self._identities = identities
        self._keys = keys
        self._options = options
        self._clock = clock
        self._entropy = entropy

    def sender_key(self, adapter: str, account: str, sender_id: str) -> str:
        """Return the lookup key of a sender. The id itself is kept nowhere."""
        return self._keys.digest(Purpose.SENDER, adapter, account, sender_id)

    def resolve(self, sender: Sender) -> Resolution:
        """Say who `sender` is now."""
        strength = self.strength(sender.claim)
        if RANK[strength] < RANK[self._options.minimum_strength]:
            return Unattributed(absence=Absence.TOO_WEAK)
        return self.choose(self._identities.find_bindings(sender.sender_key), strength)

    def find(self, sender_key: str) -> Resolution:
        """Say who somebody is whom another one's verified event names."""
        return self.choose(self._identities.find_bindings(sender_key), SenderStrength.ASSERTED)

    def heads(self, sender_key: str) -> tuple[Head, ...]:
        """Return everybody a sender was ever bound to, whatever became of it."""
        bindings = self._identities.find_bindings(sender_key)
        return tuple(self.load_head(binding.principal_id) for binding in bindings)

    def admit(self, sender: Sender) -> Resolution:
        """Say who `sender` is, making a fresh principal at the first contact of a verified one.

        A sender that ever had a binding gets none by itself again: a revocation stands until
        the operator binds anew.
        """
        resolution = self.resolve(sender)
        unknown = isinstance(resolution, Unattributed) and resolution.absence is Absence.UNBOUND
        if not unknown or not self.may_introduce(sender.claim):
            return resolution
        principal = self.fresh_principal(PrincipalKind.USER, "")
        binding = self.fresh_binding(
            sender.sender_key,
            (sender.adapter, sender.account),
            principal.principal_id,
            introduction(sender.claim),
            created_by=None,
        )
        bindings = self._identities.bind_first(principal, binding)
        return self.choose(bindings, self.strength(sender.claim))

    def may_introduce(self, claim: SenderClaim) -> bool:
        """An event with this claim may make a principal."""
        creates = self._options.first_contact is FirstContact.CREATE
        return creates and self.strength(claim) is SenderStrength.VERIFIED

    def strength(self, claim: SenderClaim) -> SenderStrength:
        """Return the strength of a claim in this home. A word vouched for is nothing in production."""
        if claim is not SenderClaim.VOUCHED:
            return SenderStrength(claim)
        vouched = self._options.mode is not Mode.PRODUCTION
        return SenderStrength.VERIFIED if vouched else SenderStrength.UNVERIFIED

    def choose(self, bindings: tuple[BindingRecord, ...], strength: SenderStrength) -> Resolution:
        """Return the one live principal that `bindings` lead to, if they agree on one.

        A binding to somebody who was revoked leads to nobody, so that an operator can bind the sender anew.
        """
        standing = [binding for binding in bindings if binding.revoked_at is None]
        led = [(binding, self.load_head(binding.principal_id)) for binding in standing]
        live = [(binding, head) for binding, head in led if head.principal.state is PrincipalState.LIVE]
        if not live:
            return Unattributed(absence=Absence.REVOKED if bindings else Absence.UNBOUND)
        if len({head.principal.principal_id for _, head in live}) > 1:
            return Unattributed(absence=Absence.CONFLICTING)
        binding, head = live[0]
        return Resolved(head=head, binding=binding, strength=strength)

    def load_head(self, principal_id: PrincipalId) -> Head:
        """Return the merge head of a principal that a row refers to."""
        head = self._identities.find_head(principal_id)
        if head is None:
            raise NonconformingError("identity unavailable")
        return head

    def fresh_principal(self, kind: PrincipalKind, label: str) -> PrincipalRecord:
        """Return a new principal that is not stored yet."""
        return PrincipalRecord(
            principal_id=PrincipalId(self._entropy.token(kind)),
            kind=kind,
            label=label,
            state=PrincipalState.LIVE,
            merged_into=None,
            created_at=self._clock.now(),
        )

    def fresh_binding(
        self,
        sender_key: str,
        account: tuple[str, str],
        principal_id: PrincipalId,
        method: BindingMethod,
        *,
        created_by: PrincipalId | None,
    ) -> BindingRecord:
        """Return a new binding that is not stored yet."""
        return BindingRecord(
            binding_id=self._entropy.token("bnd"),
            sender_key=sender_key,
            principal_id=principal_id,
            adapter=account[0],
            account=account[1],
            assurance=Assurance.ADAPTER_ATTESTED,
            method=method,
            evidence_revision=EvidenceRevision(self._entropy.token("evr")),
            created_by=created_by,
            created_at=self._clock.now(),
            revoked_at=None,
        )


def introduction(claim: SenderClaim) -> BindingMethod:
    """Return how a first contact under `claim` binds."""
    return BindingMethod.VOUCHED if claim is SenderClaim.VOUCHED else BindingMethod.FIRST_CONTACT
