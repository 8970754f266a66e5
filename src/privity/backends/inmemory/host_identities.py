"""Principals, bindings and what is withdrawn of them, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from privity.backends.inmemory.host_memory import HostMemory
from privity.host.records import BindingRecord, Head, PrincipalRecord, PrincipalState
from privity.model.ids import GroupId, PrincipalId


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryIdentities:
    """Implement `privity.host.ports.IdentityStore`."""

    memory: HostMemory

    def add_principal(self, principal: PrincipalRecord) -> None:
        """Add a principal."""
        with self.memory.writing():
            self.memory.principals.setdefault(principal.principal_id, principal)

    def find_head(self, principal_id: PrincipalId) -> Head | None:
        """Return who `principal_id` is now."""
        with self.memory.lock:
            return self.memory.head(principal_id)

    def list_principals(self, after: PrincipalId | None, limit: int) -> tuple[PrincipalRecord, ...]:
        """Return up to `limit` principals in the order of their ids."""
        with self.memory.lock:
            ids = sorted(one for one in self.memory.principals if after is None or one > after)
            return tuple(self.memory.principals[one] for one in ids[:limit])

    def find_bindings(self, sender_key: str) -> tuple[BindingRecord, ...]:
        """Return every binding of one sender, oldest first."""
        with self.memory.lock:
            return tuple(one for one in self.memory.bindings if one.sender_key == sender_key)

    def find_binding(self, binding_id: str) -> BindingRecord | None:
        """Return one binding, a revoked one too."""
        with self.memory.lock:
            return next((one for one in self.memory.bindings if one.binding_id == binding_id), None)

    def add_binding(self, binding: BindingRecord) -> None:
        """Add a binding beside whatever the sender has."""
        with self.memory.writing():
            self.memory.bindings.append(binding)

    def bind_first(self, principal: PrincipalRecord, binding: BindingRecord) -> tuple[BindingRecord, ...]:
        """Add `binding` and its new principal, unless its sender ever had a binding."""
        with self.memory.writing():
            found = self.find_bindings(binding.sender_key)
            if found:
                return found
            self.add_principal(principal)
            self.add_binding(binding)
            return (binding,)

    def list_bindings(self, principal_ids: Sequence[PrincipalId]) -> tuple[BindingRecord, ...]:
        """Return every binding of these principals, oldest first."""
        with self.memory.lock:
            return tuple(one for one in self.memory.bindings if one.principal_id in principal_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWithdrawals:
    """Implement `privity.host.ports.Withdrawals`."""

    memory: HostMemory

    def revoke_principal(self, principal_id: PrincipalId) -> bool:
        """Revoke one principal."""
        with self.memory.writing():
            found = self.memory.principals.get(principal_id)
            if found is None or found.state is PrincipalState.REVOKED:
                return False
            self.memory.principals[principal_id] = replace(found, state=PrincipalState.REVOKED)
            self.memory.raise_epochs()
            return True

    def revoke_binding(self, binding_id: str, at: datetime) -> bool:
        """Revoke one binding."""
        with self.memory.writing():
            for place, binding in enumerate(self.memory.bindings):
                if binding.binding_id == binding_id and binding.revoked_at is None:
                    self.memory.bindings[place] = replace(binding, revoked_at=at)
                    self.memory.raise_epochs()
                    return True
            return False

    def merge(self, source: PrincipalId, head: PrincipalId) -> bool:
        """Make `head` the merge head of `source` and of all that was merged into it."""
        with self.memory.writing():
            principals = self.memory.principals
            ends = [principals.get(source), principals.get(head)]
            if source == head or any(one is None or one.merged_into is not None for one in ends):
                return False
            for one in list(principals.values()):
                if source in {one.principal_id, one.merged_into}:
                    principals[one.principal_id] = replace(one, merged_into=head)
            self.memory.raise_epochs()
            return True

    def depart(self, group_id: GroupId, principal_ids: Sequence[PrincipalId], at: datetime) -> bool:
        """Record that these principals left a group at `at`."""
        with self.memory.writing():
            departures = self.memory.departures
            newer = [one for one in principal_ids if departures.get((group_id, one), at) <= at]
            changed = [one for one in newer if departures.get((group_id, one)) != at]
            departures.update({(group_id, one): at for one in changed})
            if changed:
                self.memory.raise_epochs()
            return bool(changed)

    def name_owner(self, conversation_id: PrincipalId, owner_id: PrincipalId | None) -> bool:
        """Name the owner of a conversation."""
        with self.memory.writing():
            found = self.memory.conversations.get(conversation_id)
            if found is None or found.owner_id == owner_id:
                return False
            self.memory.conversations[conversation_id] = replace(found, owner_id=owner_id)
            self.memory.raise_epochs()
            return True
