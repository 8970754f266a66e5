"""What the documentation says: its pages, the rows of their tables, and where their links lead."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tools.sources import ROOT

DOCS: Final = ROOT / "docs"
REFERENCE: Final = DOCS / "reference"
STANDING: Final = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LINK: Final = re.compile(r"(?<!!)\[[^\]\[]*\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_IN_ANCHORS: Final = re.compile(r"[^\w\- ]")

Row = tuple[str, ...]


def pages() -> tuple[Path, ...]:
    """Return every page: those beside the source, and those of the site."""
    return (*(ROOT / name for name in STANDING), *sorted(DOCS.rglob("*.md")))


def text_of(page: Path) -> str:
    """Return the text of a page."""
    return page.read_text(encoding="utf-8")


def flowing(page: Path) -> str:
    """Return the text of a page on one line, without the marks that wrapping and emphasis leave."""
    return " ".join(text_of(page).replace("*", "").split())


def blocks(page: Path, language: str) -> tuple[str, ...]:
    """Return the fenced blocks of one language."""
    return tuple(body for found, body in FENCE.findall(text_of(page)) if found == language)


def rows(page: Path) -> tuple[Row, ...]:
    """Return the rows of all tables of a page, cell by cell, headings included."""
    lines = (line.strip() for line in text_of(page).splitlines())
    return tuple(
        tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines if line.startswith("| ")
    )


def first_cells(page: Path) -> frozenset[str]:
    """Return the words in code marks that stand first in a row."""
    return frozenset(word for row in rows(page) for word in re.findall(r"`([^`]+)`", row[0]))


def links(page: Path) -> Iterator[str]:
    """Yield the targets of a page's links, those in code left out."""
    prose = FENCE.sub("", text_of(page))
    yield from LINK.findall(prose)


def anchors(page: Path) -> frozenset[str]:
    """Return the anchors that the headings of a page have."""
    prose = FENCE.sub("", text_of(page))
    return frozenset(anchor_of(heading) for heading in HEADING.findall(prose))


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading."""
    return NOT_IN_ANCHORS.sub("", heading.lower()).strip().replace(" ", "-")


def dead_links(page: Path) -> Iterator[str]:
    """Yield those links of a page that lead to no file or no heading of this project."""
    for target in links(page):
        if target.startswith(("https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        if not there.is_file() or (anchor and anchor not in anchors(there)):
            yield target
