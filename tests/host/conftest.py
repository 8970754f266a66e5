"""Every host test runs over both families of host stores, with the fake plugin behind them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from privity.backends.inmemory.host_stores import open_host_memory
from privity.backends.sqlite.host_stores import open_host_stores
from privity.host.ports import HostStores
from tests.fakes import CountingEntropy, StandingClock
from tests.host.house import Builder, House


@pytest.fixture(params=["inmemory", "sqlite"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostStores]:
    """Return fresh stores of a host."""
    if request.param == "inmemory":
        yield open_host_memory()
        return
    opened = open_host_stores(tmp_path / "host")
    yield opened
    opened.close()


@pytest.fixture
def builder(stores: HostStores) -> Builder:
    """Return a builder of houses over the same stores."""
    return Builder(stores=stores, clock=StandingClock(), entropy=CountingEntropy())


@pytest.fixture
def house(builder: Builder) -> House:
    """Return a house."""
    return builder.build()
