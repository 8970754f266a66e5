"""The picture in the README shows what the demo prints."""

import pytest

from tests.docs.picture import PICTURE, drawn, shown

pytestmark = pytest.mark.timeout(60)


@pytest.mark.proves("proof:step-4")
def test_the_picture_of_the_demo_is_of_this_demo() -> None:
    """`python -m tests.docs.picture` draws it anew when the demo changes."""
    assert PICTURE.read_text(encoding="utf-8") == drawn(shown())
