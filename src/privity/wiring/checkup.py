"""What the storage of a home that nobody has open looks like, in the doctor's words."""

from pathlib import Path
from typing import Final

from privity.backends.sqlite.checkup import Finding as StorageFinding
from privity.backends.sqlite.checkup import Problem, inspect_vault
from privity.ops.findings import Finding, fine, notice, problem
from privity.wiring.home import VAULT

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
    return found or (fine("storage", "every database is whole, and every file is the one the catalog names"),)


def said(finding: StorageFinding) -> Finding:
    """Return one finding, named by its opaque place."""
    text = f"{finding.problem}: {finding.count} at `{finding.place.name}`"
    if finding.problem in HARMLESS:
        return notice("storage", text, finding.remedy)
    return problem("storage", text, finding.remedy)
