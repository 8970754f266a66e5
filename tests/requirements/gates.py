"""The exit gates of the rollout stages, the completion criteria and the steps of the end-to-end proof, by number."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

GATES: Final = MappingProxyType(
    {
        "stage-0:exit": 4,
        "stage-1:exit": 8,
        "stage-2:exit": 5,
        "stage-3:exit": 6,
        "stage-4:exit": 5,
        "stage-5:exit": 3,
        "completion": 8,
        "end-to-end": 7,
    }
)


def list_gates() -> frozenset[str]:
    """Return the name of every gate, such as `stage-1:exit:3`."""
    return frozenset(_names())


def _names() -> Iterator[str]:
    for prefix, count in GATES.items():
        for number in range(1, count + 1):
            yield f"{prefix}:{number}"
