"""Measure privity beside its peers and floors, print a table, and write `build/bench.json`."""

import json
import tempfile
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bench import Row
from bench.search import MOST, NOTES, Corpus, Times
from bench.search import measure as measure_search

REPORT: Final = Path(__file__).parents[1] / "build" / "bench.json"
MILLI: Final = 1e3


def main() -> None:
    """Measure everything."""
    rows = [*decision_rows(), *search_rows()]
    print("\n".join(table(rows)))
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps([entry(row) for row in rows], indent=2) + "\n", "utf-8")


def decision_rows() -> list[Row]:
    """Measure decisions beside the peers, where those are installed."""
    if find_spec("bench.decisions") is None:
        print("no decisions are measured: `bench.decisions` is not there")
        return []
    return list(import_module("bench.decisions").measure())


def search_rows() -> list[Row]:
    """Measure search in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="privity-bench-") as work:
        times, corpus = measure_search(Path(work))
    return rows_of(times, corpus)


def rows_of(times: Times, corpus: Corpus) -> list[Row]:
    """Return the rows of search, in milliseconds."""
    what = f"{NOTES:,} notes, k = {MOST}, {corpus.origin}"
    return [
        timed(f"search under a plan, p50 ({what})", times.engine, times.floor, "floor"),
        timed(f"search under a plan, p95 ({what})", times.engine_p95, times.floor_p95, "floor"),
        timed("search through the library, context and plan included, p50", times.library, times.floor, "floor"),
        timed("context and plan, p50", times.context_and_plan, None, ""),
        timed("plan alone, p50", times.plan, None, ""),
    ]


def timed(name: str, ours: float, other: float | None, other_name: str) -> Row:
    """Return a row in milliseconds."""
    beside = None if other is None else other * MILLI
    return Row(name=name, ours=ours * MILLI, other=beside, other_name=other_name, unit="ms")


def table(rows: Sequence[Row]) -> list[str]:
    """Return the rows as lines of a table."""
    width = max(len(row.name) for row in rows)
    lines = [f"{'':{width}}  {'privity':>12}  {'beside':>12}  {'ratio':>8}"]
    for row in rows:
        other = "" if row.other is None else f"{row.other:,.2f}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        lines.append(f"{row.name:{width}}  {row.ours:>12,.2f}  {other:>12}  {ratio:>8}  {row.unit} {row.other_name}")
    return lines


def entry(row: Row) -> dict[str, object]:
    """Return a row as the report has it."""
    return {
        "name": row.name,
        "ours": row.ours,
        row.beside: row.other,
        "ratio": row.ratio,
        "unit": row.unit,
    }


if __name__ == "__main__":
    main()
