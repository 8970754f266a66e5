"""Command line over the requirements: `python -m tests.requirements {summary,sync,mark-built,inventory,level}`."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from tests.requirements.inventory import (
    DOCUMENTS,
    SPECIFICATION_VARIABLE,
    find_drift,
    find_specification,
    load_inventory,
)
from tests.requirements.ledger import mark_built
from tests.requirements.levels import level_of_claims, level_of_states
from tests.requirements.model import DIRECTORY, State, load_requirements
from tests.requirements.scan import list_tests

TESTS: Final = DIRECTORY.parent
CLAIMS: Final = TESTS.parent / "build" / "claims.json"


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.requirements", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("summary", help="count the requirements by area and state")
    commands.add_parser("sync", help="mark as built every requirement that some test names")
    commands.add_parser("mark-built", help="mark requirements as built").add_argument("ids", nargs="+")
    commands.add_parser("inventory", help="list how the documents and the inventory differ")
    commands.add_parser("level", help="print the isolation level that states and last claims support")
    options = parser.parse_args(arguments)
    match options.command:
        case "summary":
            return _print(_summary())
        case "sync":
            return _print(mark_built(one for test in list_tests(TESTS) for one in test.proves))
        case "mark-built":
            return _print(mark_built(options.ids))
        case "inventory":
            return _inventory()
        case _:
            return _print(_level())


def _summary() -> Iterator[str]:
    counts = Counter((one.area, one.state) for one in load_requirements().values())
    yield f"{'area':<14}{'built':>7}{'planned':>9}"
    for area in (*sorted({area for area, _ in counts}), "total"):
        built, planned = (
            sum(count for (where, state), count in counts.items() if state is wanted and area in (where, "total"))
            for wanted in (State.BUILT, State.PLANNED)
        )
        yield f"{area:<14}{built:>7}{planned:>9}"


def _level() -> Iterator[str]:
    requirements = load_requirements()
    yield f"by state: {level_of_states(requirements)}"
    if CLAIMS.exists():
        yield f"by last claims: {level_of_claims(requirements, CLAIMS)}"


def _inventory() -> int:
    specification = find_specification()
    if specification is None:
        sys.stderr.write(f"{SPECIFICATION_VARIABLE} does not name the directory of the documents\n")
        return 2
    drifts = {document: find_drift(document, specification, load_inventory()) for document in DOCUMENTS}
    lines = [
        f"{document} {sign} {line}"
        for document, drift in drifts.items()
        for sign, found in (("+", drift.unlisted), ("-", drift.vanished))
        for line in found
    ]
    _print(lines)
    return 1 if lines else 0


def _print(lines: Iterable[str]) -> int:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
