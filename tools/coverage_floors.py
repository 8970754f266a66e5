"""Compare the branch coverage of each package with its floor in coverage_floors.toml."""

import json
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict, cast

from tools.sources import ROOT

FLOORS: Final = ROOT / "tools" / "coverage_floors.toml"


class Summary(TypedDict):
    """The counts coverage reports for one file."""

    num_statements: int
    covered_lines: int
    num_branches: int
    covered_branches: int


class FileReport(TypedDict):
    """What coverage reports for one file."""

    summary: Summary


class Report(TypedDict):
    """What coverage reports."""

    files: dict[str, FileReport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Lines and branches that ran, of those there are."""

    covered: int
    total: int

    def __add__(self, other: "Reached") -> "Reached":
        return Reached(covered=self.covered + other.covered, total=self.total + other.total)

    @property
    def percent(self) -> float:
        """Per cent of lines and branches that ran; nothing to run is all of it."""
        return 100 * self.covered / self.total if self.total else 100.0


def package(file: str) -> str:
    """Return the package of `file`: `src/privity/model/ids.py` is in `privity.model`."""
    below = Path(file).parts
    inside = below[below.index("privity") + 1 :]
    return "privity" if len(inside) == 1 else f"privity.{inside[0]}"


def reached(summary: Summary) -> Reached:
    """Return lines and branches of one file together."""
    return Reached(
        covered=summary["covered_lines"] + summary["covered_branches"],
        total=summary["num_statements"] + summary["num_branches"],
    )


def by_package(report: Report) -> dict[str, Reached]:
    """Return what was reached in each package."""
    totals: defaultdict[str, Reached] = defaultdict(lambda: Reached(covered=0, total=0))
    for file, data in report["files"].items():
        totals[package(file)] += reached(data["summary"])
    return dict(totals)


def below_floor(totals: dict[str, Reached], floors: dict[str, float]) -> list[str]:
    """Return the packages that miss their floor or have none."""
    return [name for name, total in totals.items() if total.percent < floors.get(name, 101)]


def main() -> int:
    """Print each package beside its floor; fail if one is below it."""
    report = cast("Report", json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    floors = cast("dict[str, float]", tomllib.loads(FLOORS.read_text(encoding="utf-8"))["floors"])
    totals = by_package(report)
    failing = below_floor(totals, floors)
    for name, total in sorted(totals.items()):
        floor = floors.get(name)
        print(f"{name:24} {total.percent:6.2f} %  floor {floor}{'  BELOW' if name in failing else ''}")
    return min(1, len(failing))


if __name__ == "__main__":
    sys.exit(main())
