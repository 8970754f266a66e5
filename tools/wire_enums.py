"""Compare the wire words of every enumeration with their snapshot; `--update` rewrites it."""

import ast
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from tools.sources import ROOT, Source, dotted, sources

GOLDEN: Final = ROOT / "tests" / "architecture" / "golden" / "wire_enums.json"

Words = dict[str, str]


def is_wire_enum(node: ast.ClassDef) -> bool:
    """The class is an enumeration of wire words."""
    return any(dotted(base) in {"StrEnum", "enum.StrEnum"} for base in node.bases)


def words(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield the members of an enumeration with their words."""
    for line in node.body:
        match line:
            case ast.Assign(targets=[ast.Name(id=member)], value=ast.Constant(value=str() as word)):
                yield member, word
            case _:
                pass


def module_name(source: Source) -> str:
    """Return the name under which the module is imported."""
    return source.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def wire_enums(tree: Iterable[Source]) -> dict[str, Words]:
    """Return the words of each enumeration, under its dotted name."""
    return {
        f"{module_name(source)}.{node.name}": dict(words(node))
        for source in tree
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ClassDef) and is_wire_enum(node)
    }


def rendered(enums: dict[str, Words]) -> str:
    """Return the snapshot's text."""
    return json.dumps(enums, indent=2, sort_keys=True) + "\n"


def main() -> int:
    """Rewrite the snapshot when asked to, else fail where it differs."""
    text = rendered(wire_enums(sources()))
    if "--update" in sys.argv[1:]:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
        return 0
    return int(not GOLDEN.exists() or GOLDEN.read_text(encoding="utf-8") != text)


if __name__ == "__main__":
    sys.exit(main())
