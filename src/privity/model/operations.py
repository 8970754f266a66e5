"""What one may ask to do with memory."""

from enum import StrEnum
from typing import Final


class Operation(StrEnum):
    """One operation on memory; the same words name the capabilities it requires."""

    RETRIEVE = "retrieve"
    READ = "read"
    APPEND = "append"
    REPLACE = "replace"
    DERIVE = "derive"
    DEPOSIT = "deposit"
    PROJECT = "project"
    PUBLISH = "publish"
    IMPORT = "import"
    EXPORT = "export"
    DELETE = "delete"
    SYNC = "sync"
    POLICY_ADMIN = "policy-admin"


MUTATIONS: Final = frozenset(
    {
        Operation.APPEND,
        Operation.REPLACE,
        Operation.DERIVE,
        Operation.DEPOSIT,
        Operation.PROJECT,
        Operation.PUBLISH,
        Operation.IMPORT,
        Operation.DELETE,
        Operation.POLICY_ADMIN,
    }
)
"""Operations that change durable memory or the rules over it. `sync` only rebuilds derived state."""
