"""What the documentation promises and refuses to promise, said where a reader looks for it."""

from typing import Final

import pytest

from privity.ops.isolation import SUPPORTED, IsolationLevel, claim_line
from tests.docs.pages import DOCS, first_cells, flowing, pages, text_of
from tools.sources import ROOT

BOUNDARY: Final = DOCS / "explanation" / "trust-boundary.md"
SECURITY: Final = ROOT / "SECURITY.md"
CLAIM: Final = "Isolation level this version supports:"


@pytest.mark.proves("isolation:claim:not-before-proof")
def test_no_page_claims_another_level_than_the_generated_one() -> None:
    """Wherever the level is stated, the line is the generated one."""
    stated = [line for page in pages() for line in text_of(page).splitlines() if CLAIM in line]

    assert set(stated) == {claim_line()}


@pytest.mark.proves("isolation:claim:not-before-proof")
def test_every_level_is_explained_beside_the_one_that_is_claimed() -> None:
    """The ladder on the page is the ladder of the code."""
    assert set(IsolationLevel) <= first_cells(BOUNDARY)
    assert SUPPORTED in IsolationLevel


@pytest.mark.proves("isolation:claim:hostile-tenants", "governance:home:is-tenant")
@pytest.mark.parametrize("page", [SECURITY, BOUNDARY], ids=lambda page: page.stem)
def test_people_who_distrust_one_another_are_sent_to_separate_homes(page: object) -> None:
    """No level is offered to them inside one home."""
    said = flowing(SECURITY if page == SECURITY else BOUNDARY)

    assert "separate homes, in separate processes, with separate credentials and separate storage" in said
    assert "One home is one tenant" in said


@pytest.mark.proves("context:brand:honest-limit")
def test_the_brand_of_a_context_is_said_to_stop_so_much_and_no_more() -> None:
    """It claims nothing against code in the host's own process."""
    said = flowing(BOUNDARY)

    assert "This stops mistakes, models, and other processes." in said
    assert "It claims nothing against code that runs inside the host's own process" in said


@pytest.mark.proves("derive:honest-limit")
@pytest.mark.parametrize("name", ["trust-boundary.md", "exposure.md"])
def test_rephrasing_is_said_to_be_beyond_prevention(name: str) -> None:
    """Records bound where it may go; they do not prevent it."""
    said = flowing(DOCS / "explanation" / name)

    assert "in other words" in said
    assert "prevent" in said


@pytest.mark.proves("lifecycle:revoke:honest-limit")
@pytest.mark.parametrize("name", ["trust-boundary.md", "exposure.md"])
def test_cleaning_up_after_a_revocation_is_said_to_be_best_effort(name: str) -> None:
    """Nobody is told that a model or a recipient forgets."""
    assert "best effort" in flowing(DOCS / "explanation" / name)


@pytest.mark.proves("operation:priorities")
def test_the_order_of_priorities_is_stated() -> None:
    """Whoever has to choose finds what comes first."""
    order = "confidentiality, durability, correctness, availability of the conversation, speed"

    assert order in flowing(BOUNDARY)
