"""Report what nothing uses. The parameters of a body that only declares are its contract, not unused."""

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from tools.sources import ROOT

MIN_CONFIDENCE: Final = 80
PATHS: Final = ("src", "tests", "tools")


class Finding(Protocol):
    """What vulture says of one name."""

    filename: Path
    first_lineno: int
    message: str
    typ: str


class Vulture(Protocol):
    """The part of vulture that is used here; it ships no types."""

    def scavenge(self, paths: list[Path]) -> None:
        """Read the modules below `paths`."""
        ...

    def get_unused_code(self, min_confidence: int) -> list[Finding]:
        """Return what is unused, with at least this confidence in per cent."""
        ...


def declares_only(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """The body holds a docstring or an ellipsis and nothing else."""
    return all(isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) for line in function.body)


def declared_lines(file: Path) -> Iterator[int]:
    """Yield the lines of `file` that belong to a declaration without a body."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and declares_only(node):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def unused(paths: list[Path]) -> list[Finding]:
    """Return what is unused below `paths`."""
    vulture = cast("Vulture", import_module("vulture").Vulture())
    vulture.scavenge(paths)
    found = vulture.get_unused_code(min_confidence=MIN_CONFIDENCE)
    declared = {file: frozenset(declared_lines(file)) for file in {finding.filename for finding in found}}
    return [f for f in found if not (f.typ == "variable" and f.first_lineno in declared[f.filename])]


def main() -> int:
    """Print the findings; fail if there are any."""
    findings = unused([ROOT / path for path in sys.argv[1:] or PATHS])
    for finding in findings:
        print(f"{finding.filename}:{finding.first_lineno}: {finding.message}")
    return min(1, len(findings))


if __name__ == "__main__":
    sys.exit(main())
