"""Principals, bindings and what is withdrawn of them, in a host's database."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from privity.backends.sqlite import host_queries as queries
from privity.backends.sqlite import host_rows as rows
from privity.backends.sqlite.codec import to_micros
from privity.backends.sqlite.database import Database
from privity.backends.sqlite.host_database import HostDatabase
from privity.backends.sqlite.host_facts import KnownFacts
from privity.host.records import BindingRecord, Head, PrincipalRecord, PrincipalState
from privity.model.ids import GroupId, PrincipalId

TWO: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteIdentities:
    """Implement `privity.host.ports.IdentityStore`."""

    host: HostDatabase
    heads: KnownFacts[PrincipalId, Head | None] = field(default_factory=KnownFacts[PrincipalId, Head | None])
    bindings: KnownFacts[str, tuple[BindingRecord, ...]] = field(
        default_factory=KnownFacts[str, tuple[BindingRecord, ...]]
    )

    def add_principal(self, principal: PrincipalRecord) -> None:
        """Add a principal."""
        added = rows.principal_bindings(principal)
        with self.host.writing() as database:
            database.run(queries.ADD_PRINCIPAL, added)

    def find_head(self, principal_id: PrincipalId) -> Head | None:
        """Return who `principal_id` is now."""
        return self.heads.load(self.host, principal_id, lambda database: find_head(database, principal_id))

    def list_principals(self, after: PrincipalId | None, limit: int) -> tuple[PrincipalRecord, ...]:
        """Return up to `limit` principals in the order of their ids."""
        with self.host.reading() as database:
            found = database.rows(queries.LIST_PRINCIPALS, {"after": after or "", "limit": limit})
        return tuple(rows.principal_of(row) for row in found)

    def find_bindings(self, sender_key: str) -> tuple[BindingRecord, ...]:
        """Return every binding of one sender, oldest first."""
        return self.bindings.load(self.host, sender_key, lambda database: find_bindings(database, sender_key))

    def find_binding(self, binding_id: str) -> BindingRecord | None:
        """Return one binding, a revoked one too."""
        with self.host.reading() as database:
            found = database.row(queries.FIND_BINDING, {"binding_id": binding_id})
        return None if found is None else rows.binding_of(found)

    def add_binding(self, binding: BindingRecord) -> None:
        """Add a binding beside whatever the sender has."""
        added = rows.binding_bindings(binding)
        with self.host.writing() as database:
            database.run(queries.ADD_BINDING, added)

    def bind_first(self, principal: PrincipalRecord, binding: BindingRecord) -> tuple[BindingRecord, ...]:
        """Add `binding` and its new principal, unless its sender ever had a binding."""
        with self.host.writing() as database:
            found = find_bindings(database, binding.sender_key)
            if found:
                return found
            database.run(queries.ADD_PRINCIPAL, rows.principal_bindings(principal))
            database.run(queries.ADD_BINDING, rows.binding_bindings(binding))
            return (binding,)

    def list_bindings(self, principal_ids: Sequence[PrincipalId]) -> tuple[BindingRecord, ...]:
        """Return every binding of these principals, oldest first."""
        with self.host.reading() as database:
            found = database.rows(queries.LIST_BINDINGS, {"principal_ids": json.dumps(list(principal_ids))})
        return tuple(rows.binding_of(row) for row in found)


def find_head(database: Database, principal_id: PrincipalId) -> Head | None:
    """Return who a principal is now."""
    row = database.row(queries.FIND_HEAD, {"principal_id": principal_id})
    if row is None:
        return None
    merged = database.rows(queries.LIST_MERGED, {"principal_id": row[0]})
    return Head(principal=rows.principal_of(row), merged_ids=tuple(one[0] for one in merged))


def find_bindings(database: Database, sender_key: str) -> tuple[BindingRecord, ...]:
    """Return every binding of one sender, oldest first."""
    return tuple(rows.binding_of(row) for row in database.rows(queries.FIND_BINDINGS, {"sender_key": sender_key}))


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteWithdrawals:
    """Implement `privity.host.ports.Withdrawals`."""

    host: HostDatabase

    def revoke_principal(self, principal_id: PrincipalId) -> bool:
        """Revoke one principal."""
        with self.host.writing() as database:
            named = {"principal_id": principal_id, "revoked": PrincipalState.REVOKED}
            return raised(database, changed=database.row(queries.REVOKE_PRINCIPAL, named) is not None)

    def revoke_binding(self, binding_id: str, at: datetime) -> bool:
        """Revoke one binding."""
        with self.host.writing() as database:
            named = {"binding_id": binding_id, "at": to_micros(at)}
            return raised(database, changed=database.row(queries.REVOKE_BINDING, named) is not None)

    def merge(self, source: PrincipalId, head: PrincipalId) -> bool:
        """Make `head` the merge head of `source` and of all that was merged into it."""
        named = {"source": source, "head": head}
        with self.host.writing() as database:
            if database.rows(queries.COUNT_HEADS, named) != [(TWO,)]:
                return False
            database.run(queries.MERGE, named)
            return raised(database, changed=True)

    def depart(self, group_id: GroupId, principal_ids: Sequence[PrincipalId], at: datetime) -> bool:
        """Record that these principals left a group at `at`."""
        with self.host.writing() as database:
            found = [
                database.row(queries.DEPART, {"group_id": group_id, "principal_id": one, "at": to_micros(at)})
                for one in principal_ids
            ]
            return raised(database, changed=any(row is not None for row in found))

    def name_owner(self, conversation_id: PrincipalId, owner_id: PrincipalId | None) -> bool:
        """Name the owner of a conversation."""
        with self.host.writing() as database:
            named = {"conversation_id": conversation_id, "owner_id": owner_id}
            return raised(database, changed=database.row(queries.NAME_OWNER, named) is not None)


def raised(database: Database, *, changed: bool) -> bool:
    """Raise every agent's epoch if something was withdrawn; say whether it was."""
    if changed:
        database.run(queries.RAISE_EPOCHS)
    return changed
