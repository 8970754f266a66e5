"""How the demo fits a screen."""

from textwrap import wrap
from typing import Final

WIDTH: Final = 98


def hanging(lead: str, text: str) -> list[str]:
    """Return text in lines of the screen's width, the first one after `lead`."""
    return wrap(text, WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead))
