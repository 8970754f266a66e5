"""A fresh backend of each family, in a directory of the test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from privity.backends.inmemory.backend import open_memory
from privity.backends.sqlite.backend import SqliteBackend
from privity.engine.ports import Backend
from tests.backends.doubles import CountedEntropy, open_home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SqliteBackend]:
    """Yield a SQLite backend on a new vault."""
    backend = open_home(tmp_path)
    yield backend
    backend.close()


@pytest.fixture(params=["inmemory", "sqlite"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """Yield a fresh backend of each family in turn."""
    opened = open_memory(entropy=CountedEntropy()) if request.param == "inmemory" else open_home(tmp_path)
    yield opened
    opened.close()
