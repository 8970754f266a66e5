"""The leak matrix: ten thousand generated trials, judged by an oracle that knows nothing of the policy."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from privity.backends.inmemory.backend import InMemoryBackend, open_memory
from privity.backends.sqlite.backend import open_vault
from privity.backends.sqlite.flusher import Durability
from tests.engine.desk import START, CountingEntropy, StoppedClock
from tests.leaks.doors import Door
from tests.leaks.host_door import HostDoor
from tests.leaks.matrix import Episode, Tally
from tests.leaks.plants import PLANTS, sound
from tests.leaks.tallies import publish

IS_LONG: Final = os.environ.get("PRIVITY_LONG") == "1"
SCALE: Final = 10 if IS_LONG else 1
STEPS: Final = 160
SHARDS: Final = 4
TRIALS: Final = {"engine": 2_000, "sqlite": 500, "library": 2_000}
"""Trials of each shard of the engine, and of the other two whole."""

pytestmark = [pytest.mark.leaks, pytest.mark.timeout(1_800 if IS_LONG else 180)]

Build = Callable[[InMemoryBackend, StoppedClock, CountingEntropy], Door]
Opener = Callable[[StoppedClock, CountingEntropy], Door]


@contextmanager
def on_memory(build: Build) -> Generator[Opener]:
    """Open each episode's home in memory."""
    opened: list[Callable[[], None]] = []

    def door(clock: StoppedClock, entropy: CountingEntropy) -> Door:
        backend = open_memory(entropy=entropy)
        opened.append(backend.close)
        return build(backend, clock, entropy)

    yield door
    for close in opened:
        close()


@contextmanager
def on_disk(path: Path) -> Generator[Opener]:
    """Open each episode's home on disk, the one before it closed."""
    opened: list[Callable[[], None]] = []

    def door(clock: StoppedClock, entropy: CountingEntropy) -> Door:
        while opened:
            opened.pop()()
        home = path / f"home{len(list(path.iterdir()))}"
        backend = open_vault(home, clock=clock, entropy=entropy, durability=Durability.GROUPED)
        opened.append(backend.close)
        return sound(backend, clock, entropy)

    yield door
    while opened:
        opened.pop()()


def library(backend: InMemoryBackend, clock: StoppedClock, entropy: CountingEntropy) -> Door:
    """Return the library as a door."""
    return HostDoor(backend, clock, entropy)


def trials(opener: Opener, first_seed: int, wanted: int) -> Tally:
    """Run episodes until there were so many trials."""
    tally, seed = Tally(), first_seed
    while tally.trials < wanted:
        clock, entropy = StoppedClock(), CountingEntropy()
        tally.add(Episode(seed, opener(clock, entropy), START).run(STEPS))
        seed += 1
    return tally


def expect_clean(tally: Tally, wanted: int) -> None:
    """Expect enough trials, enough of them with a rightful answer, no leak, and nothing rightful kept back."""
    assert tally.leaks == []
    assert tally.blocked == []
    assert tally.trials >= wanted
    assert tally.non_empty >= 0.3 * tally.trials


@pytest.mark.proves(
    "read:isolation:two-people",
    "egress:exposure-bounds-egress",
    "egress:exposure:window",
    "egress:exposure:cumulative",
)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_generated_trial_of_the_engine_leaks_or_keeps_back(shard: int, testrun_uid: str) -> None:
    """Every passage and every egress is rightful by the oracle, and what is rightful and best is returned."""
    wanted = TRIALS["engine"] * SCALE
    with on_memory(sound) as opener:
        tally = trials(opener, 100_000 * shard, wanted)
    publish(testrun_uid, f"engine-{shard}", tally, [])

    expect_clean(tally, wanted)


@pytest.mark.proves("read:isolation:two-people", "case:READ-11")
def test_READ_11_no_generated_trial_on_disk_leaks_or_keeps_back(testrun_uid: str, tmp_path: Path) -> None:
    """The same over SQLite with Markdown."""
    wanted = TRIALS["sqlite"] * SCALE
    with on_disk(tmp_path) as opener:
        tally = trials(opener, 500_000, wanted)
    publish(testrun_uid, "sqlite", tally, [])

    expect_clean(tally, wanted)


@pytest.mark.proves(
    "read:isolation:two-people",
    "identity:binding:revocation",
    "session:conversation:view",
    "egress:release:all-audiences",
)
def test_no_generated_trial_of_the_library_leaks_or_keeps_back(testrun_uid: str) -> None:
    """The same through events, sessions, runs and releases."""
    wanted = TRIALS["library"] * SCALE
    with on_memory(library) as opener:
        tally = trials(opener, 600_000, wanted)
    publish(testrun_uid, "library", tally, [])

    expect_clean(tally, wanted)


@pytest.mark.proves("read:postfilter:authoritative", "egress:exposure:window", "plugin:handle:no-bearer")
def test_every_planted_leak_is_found(testrun_uid: str) -> None:
    """Replace one part at a time by one that does not do its work: each time the oracle says so."""
    found = [name for name, build in PLANTS.items() if is_found(build)]
    publish(testrun_uid, "planted", Tally(), found)

    assert found == list(PLANTS)


def is_found(build: Build) -> bool:
    """A leak shows within some episodes."""
    with on_memory(build) as opener:
        for seed in range(700_000, 700_060):
            clock, entropy = StoppedClock(), CountingEntropy()
            if Episode(seed, opener(clock, entropy), START).run(STEPS).leaks:
                return True
    return False
