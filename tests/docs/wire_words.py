"""The reference page of wire words, made from the source; `python -m tests.docs.wire_words` rewrites it."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.docs.pages import REFERENCE
from tools.sources import sources
from tools.wire_enums import is_wire_enum, module_name, words

PAGE: Final = REFERENCE / "wire-enums.md"
SHOWN: Final = ("privity.model.", "privity.sdk.", "privity.host.options", "privity.host.records")
"""The packages whose words leave the process: in the audit, in `--json`, through the contract and in settings."""

HEAD: Final = """# Wire words

Every closed set of words that leaves the process: in the audit, in `--json`, through the plugin contract, in a database
or in the settings. A word never changes its meaning and is never used again for another one. This page is made from the
source by `python -m tests.docs.wire_words`.
"""


def rendered() -> str:
    """Return the page."""
    return HEAD + "".join(sections())


def sections() -> Iterator[str]:
    """Yield a section for each enumeration, in the order of their modules."""
    for source in sources():
        module = module_name(source)
        if module.startswith(SHOWN):
            for node in source.tree.body:
                if isinstance(node, ast.ClassDef) and is_wire_enum(node):
                    yield section(module, node)


def section(module: str, node: ast.ClassDef) -> str:
    """Return the section of one enumeration."""
    said = (ast.get_docstring(node) or "").splitlines()[0].replace("the seed", "the specification")
    listed = ", ".join(f"`{word}`" for _, word in words(node))
    return f"\n## {node.name}\n\n`{module}` · {said}\n\n{listed}\n"


if __name__ == "__main__":
    PAGE.write_text(rendered(), encoding="utf-8")
