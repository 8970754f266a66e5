"""Where the source is, and what a tool needs to know of a file of it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
SRC: Final = ROOT / "src"
BUILD: Final = ROOT / "build"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One module: its path below `src/`, its text and its tree."""

    path: str
    text: str
    tree: ast.Module


def parse(path: str, text: str) -> Source:
    """Return `text` as the module at `path`."""
    return Source(path=path, text=text, tree=ast.parse(text, filename=path))


def sources(root: Path = SRC) -> Iterator[Source]:
    """Yield every module below `root`, in the order of their paths."""
    for file in sorted(root.rglob("*.py")):
        yield parse(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` as it is written; what is not a plain name is left out."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=name):
            return f"{dotted(value)}.{name}".lstrip(".")
        case _:
            return ""
