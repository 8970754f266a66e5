"""The picture of the demo in the README, made from what the demo prints; `python -m tests.docs.picture` draws it anew."""

import os
import re
from itertools import takewhile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.docs.pages import DOCS
from tests.scenarios.transcript import run_privity

PICTURE: Final = DOCS / "demo.svg"
WIDTH: Final = 100
LAST_PART: Final = "3  "
STYLES: Final = {
    r"^\d  .*$": "bold bright_cyan",
    r"✓ \w+": "bold bright_green",
    r"✗ \w+": "bold bright_red",
    r"^   \S.*: .*\?$": "bold",
    r"^ +(could reach|outcome|why) ": "cyan",
}
FORMAT: Final = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>The demo of privity in a terminal</title>
<style>
.{unique_id}-matrix {{
    font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
    font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def shown() -> list[str]:
    """Return what the demo prints of the leak and of the three views."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
    printed = run_privity(["demo"], environment, stdin="").printed
    return list(takewhile(lambda line: not line.startswith(LAST_PART), printed))


def drawn(lines: list[str]) -> str:
    """Return the picture of these lines in a terminal."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True, color_system="truecolor")
        for line in lines:
            console.print(coloured(f"\n{line}" if re.match(r"\d  ", line) else line))
    return console.export_svg(title="make demo", theme=MONOKAI, code_format=FORMAT, unique_id="demo")


def coloured(line: str) -> Text:
    """Return a line with its marks in colour."""
    text = Text(line)
    for pattern, style in STYLES.items():
        text.highlight_regex(re.compile(pattern, re.MULTILINE), style)
    return text


if __name__ == "__main__":
    PICTURE.write_text(drawn(shown()), encoding="utf-8")
