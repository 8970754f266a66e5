"""Which capabilities each operation requires."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from privity.model.operations import Operation

REQUIRED: Final[Mapping[Operation, frozenset[Operation]]] = MappingProxyType(
    {
        Operation.RETRIEVE: frozenset({Operation.RETRIEVE}),
        Operation.READ: frozenset({Operation.RETRIEVE, Operation.READ}),
        Operation.DERIVE: frozenset({Operation.RETRIEVE, Operation.READ, Operation.DERIVE}),
        Operation.EXPORT: frozenset({Operation.RETRIEVE, Operation.READ, Operation.EXPORT}),
        Operation.APPEND: frozenset({Operation.APPEND}),
        Operation.REPLACE: frozenset({Operation.APPEND, Operation.REPLACE}),
        Operation.DEPOSIT: frozenset({Operation.DEPOSIT}),
        Operation.PROJECT: frozenset({Operation.PROJECT}),
        Operation.PUBLISH: frozenset({Operation.PUBLISH}),
        Operation.IMPORT: frozenset({Operation.IMPORT}),
        Operation.DELETE: frozenset({Operation.DELETE}),
        Operation.SYNC: frozenset({Operation.SYNC}),
        Operation.POLICY_ADMIN: frozenset({Operation.POLICY_ADMIN}),
    }
)
"""Source: seed, "Permission lattice": derive implies read implies retrieve, replace implies append."""

GRANTED_ONLY: Final = frozenset({Operation.PUBLISH, Operation.POLICY_ADMIN})
"""Capabilities that no placement gives: somebody must have granted them by name."""

FLOWING: Final = frozenset({Operation.RETRIEVE, Operation.READ, Operation.DERIVE, Operation.EXPORT, Operation.PROJECT})
"""Capabilities over content, which follow it into whatever was derived from it."""

ON_EXISTING: Final = frozenset(
    {
        Operation.RETRIEVE,
        Operation.READ,
        Operation.EXPORT,
        Operation.REPLACE,
        Operation.DELETE,
        Operation.PROJECT,
    }
)
"""Operations that mean nothing without a revision to perform them on."""


def required(operation: Operation) -> frozenset[Operation]:
    """Return the capabilities that `operation` requires.

    Raises:
        KeyError: the operation is none of ours.
    """
    return REQUIRED[operation]
