"""Nothing in the documentation leads nowhere."""

from pathlib import Path

import pytest

from tests.docs.pages import dead_links, pages
from tools.sources import ROOT

pytestmark = pytest.mark.proves("isolation:claim:not-before-proof")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_of_a_page_resolves(page: Path) -> None:
    """Each link leads to a page of the project, and to a heading of it where it names one."""
    assert list(dead_links(page)) == []
