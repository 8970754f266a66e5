"""Every engine test runs over both backends: the oracle, and SQLite with Markdown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from privity.backends.inmemory.backend import open_memory
from privity.backends.sqlite.backend import open_vault
from privity.backends.sqlite.flusher import Durability
from tests.engine.desk import CountingEntropy, Desk, StoppedClock


@pytest.fixture(params=["inmemory", "sqlite"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """Return a desk over a fresh backend."""
    clock, entropy = StoppedClock(), CountingEntropy()
    if request.param == "inmemory":
        backend = open_memory(entropy=entropy)
    else:
        backend = open_vault(tmp_path / "vault", clock=clock, entropy=entropy, durability=Durability.GROUPED)
    made = Desk(backend, clock=clock, entropy=entropy)
    yield made
    backend.close()
