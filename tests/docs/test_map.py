"""The map in ARCHITECTURE.md, and whatever else names a file, names files and functions that are there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.docs.pages import pages, text_of
from tools.sources import ROOT, SRC

FILE: Final = re.compile(r"`((?:src/privity/|tests/|tools/)?[\w/]+\.py)`")
PLACE: Final = re.compile(r"`([\w/]+\.py)` `([\w.]+)`")


def file_of(name: str) -> Path:
    """Return the file that a page means by a name: from the root, or from the package."""
    return ROOT / name if name.startswith(("src/", "tests/", "tools/")) else SRC / "privity" / name


def missing(page: Path) -> Iterator[str]:
    """Yield the files and functions that a page names and that are not there."""
    text = text_of(page)
    for name in FILE.findall(text):
        if "/" in name and not file_of(name).is_file():
            yield name
    for name, function in PLACE.findall(text):
        there = file_of(name)
        if there.is_file() and not is_defined(function.rpartition(".")[2], there):
            yield f"{name}: {function}"


def is_defined(name: str, file: Path) -> bool:
    """The file defines a function, a class or a constant of this name."""
    return (
        re.search(rf"^\s*(?:def|class) {name}\b|^{name}\b", file.read_text(encoding="utf-8"), re.MULTILINE) is not None
    )


@pytest.mark.proves("policy:order:eleven-steps")
@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_only_files_and_functions_that_are_there(page: Path) -> None:
    """Nobody is sent to a file that has moved."""
    assert list(missing(page)) == []
