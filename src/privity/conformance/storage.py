"""Suite B: the laws of storage, for whoever writes a backend.

A law is a function that takes a fresh, empty backend and raises `BrokenLawError` when the
backend does not keep it. Run each of `STORAGE_LAWS` on a backend of its own.
"""

from collections.abc import Callable
from typing import Final

from privity.conformance import (
    storage_artifacts,
    storage_index,
    storage_outbox,
    storage_revisions,
    storage_runs,
    storage_stores,
)
from privity.conformance.storage_checks import BrokenLawError
from privity.engine.ports import Backend

Law = Callable[[Backend], None]

STORE_LAWS: Final[tuple[Law, ...]] = storage_stores.LAWS
REVISION_LAWS: Final[tuple[Law, ...]] = storage_revisions.LAWS
RUN_LAWS: Final[tuple[Law, ...]] = storage_runs.LAWS
OUTBOX_LAWS: Final[tuple[Law, ...]] = storage_outbox.LAWS
ARTIFACT_LAWS: Final[tuple[Law, ...]] = storage_artifacts.LAWS
INDEX_LAWS: Final[tuple[Law, ...]] = storage_index.LAWS

STORAGE_LAWS: Final[tuple[Law, ...]] = (
    *STORE_LAWS,
    *REVISION_LAWS,
    *RUN_LAWS,
    *OUTBOX_LAWS,
    *ARTIFACT_LAWS,
    *INDEX_LAWS,
)

__all__ = [
    "ARTIFACT_LAWS",
    "INDEX_LAWS",
    "OUTBOX_LAWS",
    "REVISION_LAWS",
    "RUN_LAWS",
    "STORAGE_LAWS",
    "STORE_LAWS",
    "BrokenLawError",
    "Law",
]
