"""The documentation's navigation and its pages are the same set."""

import tomllib
from collections.abc import Iterator
from typing import cast

from tools.sources import ROOT


def pages(entries: object) -> Iterator[str]:
    """Yield the pages that a navigation names, however deep."""
    match entries:
        case str() as page:
            yield page
        case list():
            for entry in cast("list[object]", entries):
                yield from pages(entry)
        case dict():
            for entry in cast("dict[str, object]", entries).values():
                yield from pages(entry)
        case _:
            pass


def test_every_page_is_in_the_navigation_and_exists() -> None:
    """No page is unreachable, and no entry leads nowhere."""
    project = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    written = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}

    assert set(pages(project["nav"])) == written
