"""What an administrator does with identities. Each act is audited, and no act goes by a name."""

from typing import Final

from privity.host.bindings import Absence, Unattributed
from privity.host.inputs import parse_identifier, parse_name, parse_page, parse_text
from privity.host.records import BindingMethod, BindingRecord, Head, HostAct, PrincipalRecord, PrincipalState
from privity.host.workings import Workings
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalKind
from privity.sdk.errors import ConflictError, InputError
from privity.sdk.strict import strict

LOCAL: Final = ("local", "local")
"""Adapter and account of people whom the operator vouches for."""

MAX_JUSTIFICATION: Final = 500


@strict
class Identities:
    """Principals and bindings of one home, for its administrator."""

    def __init__(self, workings: Workings) -> None:
        self._workings = workings

    def add_local_person(self, name: str) -> PrincipalId:
        """Make a person whom the local adapter knows as `name`.

        Raises:
            InputError: the name is none that a sender can have.
            ConflictError: the local adapter knows somebody by this name.
        """
        label = parse_name(name, where="name")
        self._unbound_key(*LOCAL, label)
        principal_id = self._add(PrincipalKind.USER, label)
        self.bind(*LOCAL, label, principal_id)
        return principal_id

    def add_service(self, name: str) -> PrincipalId:
        """Make a service that can act for itself."""
        return self._add(PrincipalKind.SERVICE, parse_name(name, where="name"))

    def bind(self, adapter: str, account: str, sender_id: str, principal_id: PrincipalId) -> str:
        """Tie a sender of an account to a principal; return the binding's id.

        Raises:
            InputError: the account is not one of this home, or there is no such live person.
            ConflictError: the sender is bound already. Revoke that binding first.
        """
        key = self._unbound_key(adapter, account, sender_id)
        head = self.person(principal_id)
        binding = self._workings.resolver.fresh_binding(
            key,
            (adapter, account),
            head.principal.principal_id,
            BindingMethod.OPERATOR,
            created_by=self._workings.operator_id,
        )
        self._workings.stores.identities.add_binding(binding)
        self._note(HostAct.BINDING_ADDED, binding.binding_id, head.principal.principal_id)
        return binding.binding_id

    def merge(self, source: PrincipalId, into: PrincipalId, justification: str) -> None:
        """Make `into` the merge head of `source`, for a stated reason.

        Raises:
            InputError: the two are one already, or no reason is given.
            ConflictError: one of them was merged meanwhile.
        """
        why = parse_text(justification, where="justification")
        if len(why) > MAX_JUSTIFICATION:
            raise InputError("is too long", where="justification", remedy=f"use {MAX_JUSTIFICATION} characters")
        one, other = self.person(source).principal, self.person(into).principal
        if one == other:
            raise InputError("is the same person", where="source", remedy="name two people")
        if not self._workings.stores.withdrawals.merge(one.principal_id, other.principal_id):
            raise ConflictError("one of the two was merged meanwhile: look again")
        self._workings.epochs.settle()
        self._note(HostAct.PRINCIPALS_MERGED, one.principal_id, other.principal_id, justification=why)

    def revoke_binding(self, binding_id: str) -> None:
        """Withdraw a binding. When this returns, no cell acts on it any more; once more changes nothing.

        Raises:
            InputError: there is no such binding.
        """
        if self._workings.stores.identities.find_binding(binding_id) is None:
            raise InputError("names no binding", where="binding_id", remedy="use an id from `bindings()`")
        withdrawals = self._workings.stores.withdrawals
        changed = withdrawals.revoke_binding(binding_id, self._workings.clock.now())
        self._workings.epochs.settle()
        if changed:
            self._note(HostAct.BINDING_REVOKED, binding_id)

    def revoke_principal(self, principal_id: PrincipalId) -> None:
        """Withdraw a person or a service, and whoever was merged into it. When this returns, no cell acts for it.

        Once more changes nothing.

        Raises:
            InputError: there is no such principal, or it is the administrator or an agent, without
                whom nobody could mend anything.
        """
        principal = self.known(principal_id).principal
        if principal.kind not in WITHDRAWABLE:
            raise InputError("is no person and no service", where="principal_id", remedy="name one of them")
        head = principal.principal_id
        changed = self._workings.stores.withdrawals.revoke_principal(head)
        self._workings.epochs.settle()
        if changed:
            self._note(HostAct.PRINCIPAL_REVOKED, head)

    def people(self, after: PrincipalId | None = None, limit: int = 100) -> tuple[PrincipalRecord, ...]:
        """Return up to `limit` principals in the order of their ids, after one of them."""
        return self._workings.stores.identities.list_principals(after, parse_page(limit))

    def bindings(self, principal_id: PrincipalId) -> tuple[BindingRecord, ...]:
        """Return the bindings of a principal and of whoever was merged into it."""
        return self._workings.stores.identities.list_bindings(self.known(principal_id).all_ids)

    def known(self, principal_id: PrincipalId) -> Head:
        """Return who a principal is now.

        Raises:
            InputError: there is no such principal. A name is none.
        """
        head = self._workings.stores.identities.find_head(principal_id)
        if head is None:
            raise InputError("names no principal", where="principal_id", remedy="use an id from `people()`")
        return head

    def person(self, principal_id: PrincipalId) -> Head:
        """Return who a live person is now.

        Raises:
            InputError: it is no person, or a revoked one.
        """
        head = self.known(principal_id)
        live = head.principal.state is PrincipalState.LIVE
        if head.principal.kind is not PrincipalKind.USER or not live:
            raise InputError("names no live person", where="principal_id", remedy="use an id from `people()`")
        return head

    def _unbound_key(self, adapter: str, account: str, sender_id: str) -> str:
        """Return the lookup key of a sender who can be bound, before anything is written."""
        require_account(self._workings, adapter, account)
        resolver = self._workings.resolver
        key = resolver.sender_key(adapter, account, parse_identifier(sender_id, where="sender_id"))
        if resolver.find(key) not in UNBOUND:
            raise ConflictError("this sender is bound already: revoke that binding first")
        return key

    def _add(self, kind: PrincipalKind, label: str) -> PrincipalId:
        """Add a principal and write it down."""
        principal = self._workings.resolver.fresh_principal(kind, label)
        self._workings.stores.identities.add_principal(principal)
        self._note(HostAct.PRINCIPAL_ADDED, principal.principal_id)
        return principal.principal_id

    def _note(self, act: HostAct, *target_ids: str, justification: str = "") -> None:
        """Write down what the administrator did."""
        self._workings.trail.note(
            act,
            actor_id=self._workings.operator_id,
            target_ids=target_ids,
            justification=justification,
        )


WITHDRAWABLE: Final = frozenset({PrincipalKind.USER, PrincipalKind.SERVICE})
UNBOUND: Final = (Unattributed(absence=Absence.UNBOUND), Unattributed(absence=Absence.REVOKED))


def require_account(workings: Workings, adapter: str, account: str) -> None:
    """Refuse an account that no event can come from, such as a misspelt one.

    Raises:
        InputError: the settings do not name it.
    """
    if (adapter, account) not in workings.options.accounts:
        raise InputError("is no account of this home", where="account", remedy="name it in the settings")
