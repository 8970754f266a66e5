"""Report the lengths of functions and files beside those of code we admire. It never fails."""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from statistics import median, quantiles
from typing import Final

from tools.sources import BUILD, Source, sources

TOP: Final = 10
TENTHS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long something is, and where it is."""

    lines: int
    where: str


def functions(source: Source) -> Iterator[Length]:
    """Yield the length of each function of `source`, signature and docstring included."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Length(lines=lines, where=f"{source.path}:{node.lineno} {node.name}")


def file_length(source: Source) -> Length:
    """Return the length of the file."""
    return Length(lines=len(source.text.splitlines()), where=source.path)


def p90(lengths: list[Length]) -> float:
    """Return the length that nine in ten do not exceed."""
    lines = [length.lines for length in lengths]
    return quantiles(lines, n=TENTHS)[-1] if len(lines) > 1 else float(sum(lines))


def middle(lengths: list[Length]) -> float:
    """Return the median length."""
    return float(median([length.lines for length in lengths] or [0]))


def show(what: str, models: str, lengths: list[Length]) -> None:
    """Print median, 90th percentile and the longest."""
    print(f"{what}: {len(lengths)}, median {middle(lengths):.0f}, p90 {p90(lengths):.0f}   (models: {models})")
    for length in sorted(lengths, key=lambda length: -length.lines)[:TOP]:
        print(f"    {length.lines:4} {length.where}")


def main() -> None:
    """Print the report and write build/shape.json."""
    tree = list(sources())
    every_function = list(chain.from_iterable(functions(source) for source in tree))
    every_file = [file_length(source) for source in tree]
    show("functions", "median 4-11, p90 35", every_function)
    show("files", "120-250", every_file)
    figures = {
        "function_median": middle(every_function),
        "function_p90": p90(every_function),
        "file_max": max((file.lines for file in every_file), default=0),
    }
    BUILD.mkdir(exist_ok=True)
    (BUILD / "shape.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
