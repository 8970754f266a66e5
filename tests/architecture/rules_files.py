"""House rules about files: their length, their names and what their imports may hide."""

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from tools.sources import Source

LONGEST: Final = 500
NAMELESS: Final = frozenset({"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"})


def a_file_has_at_most_500_lines(source: Source) -> Iterator[int]:
    """A file has at most 500 lines."""
    if len(source.text.splitlines()) > LONGEST:
        yield LONGEST + 1


def a_module_is_named_for_what_it_holds(source: Source) -> Iterator[int]:
    """No module is called utils, helpers, common, base or manager."""
    path = PurePosixPath(source.path)
    if NAMELESS & {path.stem, *path.parent.parts}:
        yield 1


def annotations_are_real(source: Source) -> Iterator[int]:
    """Nothing imports `annotations` from `__future__`."""
    for node in ast.walk(source.tree):
        match node:
            case ast.ImportFrom(module="__future__", names=names) if "annotations" in {n.name for n in names}:
                yield node.lineno
            case _:
                pass


def imports_are_real(source: Source) -> Iterator[int]:
    """Nothing is imported under `TYPE_CHECKING`."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
                yield node.lineno
            case ast.ImportFrom(names=names) if "TYPE_CHECKING" in {name.name for name in names}:
                yield node.lineno
            case _:
                pass
