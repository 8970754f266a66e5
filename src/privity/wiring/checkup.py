"""What the storage of a home that nobody has open looks like, in the doctor's words."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from privity.backends.sqlite.checkup import Finding as StorageFinding
from privity.backends.sqlite.checkup import Problem, inspect_vault
from privity.ops.findings import Finding, fine, notice, problem
from privity.wiring.clock import SystemClock, read_mark
from privity.wiring.home import CLOCK
from privity.wiring.places import HOST, VAULT

TOLERATED: Final = timedelta(minutes=1)
CLOCK_REMEDY: Final = (
    "set the machine's clock right; where that is right, stop whatever has the home open and remove `host/clock`: "
    "what expired only by the wrong clock holds again"
)
HARMLESS: Final = frozenset(
    {Problem.UNINDEXED, Problem.UNKNOWN_FILE, Problem.UNREGISTERED_STORE, Problem.UNREGISTERED_CELL}
)
"""What costs nothing but room or a moment: nobody can read it, or everybody finds it all the same."""


def inspect_storage(home: Path) -> tuple[Finding, ...]:
    """Return what is wrong with the storage of a home; nothing of it is changed.

    Raises:
        HomeInUseError: a process owns the home.
        StorageFailedError: it cannot be read.
    """
    found = tuple(said(finding) for finding in inspect_vault(home / VAULT))
    whole = fine("storage", "every database is whole, and every file is the one the catalog names")
    return (*(found or (whole,)), *inspect_clock(home / HOST / CLOCK, SystemClock().now()))


def inspect_clock(path: Path, machine: datetime) -> tuple[Finding, ...]:
    """Return whether the clock of a home runs ahead of the machine's, as after a clock that was once set wrong."""
    ahead = read_mark(path) - machine
    if ahead <= TOLERATED:
        return ()
    text = f"the clock of this home is {ahead.days} days and {ahead.seconds} seconds ahead of the machine's, and creeps"
    return (problem("clock", text, CLOCK_REMEDY),)


def said(finding: StorageFinding) -> Finding:
    """Return one finding, named by its opaque place."""
    text = f"{finding.problem}: {finding.count} at `{finding.place.name}`"
    if finding.problem in HARMLESS:
        return notice("storage", text, finding.remedy)
    return problem("storage", text, finding.remedy)
