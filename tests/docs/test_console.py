"""The commands of the documentation are typed as they stand, each page in a fresh home."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from privity.cli.exits import ExitCode
from tests.docs.pages import DOCS, REFERENCE, blocks
from tests.scenarios.transcript import play, run_privity
from tools.sources import ROOT

pytestmark = pytest.mark.timeout(120)

FILES: Final = ("episodes.json", "rooms.json")
GUIDES: Final = DOCS / "how-to"


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """Return the environment of somebody who has no home yet, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PRIVITY_")}
    return {**inherited, "PRIVITY_HOME": str(tmp_path / "home"), "COLUMNS": "100", "NO_COLOR": "1"}


def play_page(page: Path, environment: Mapping[str, str]) -> None:
    """Type the commands of a page, in a home with one agent unless the page makes its own."""
    play_text(page.stem, "".join(blocks(page, "console")), environment)


def play_text(name: str, typed: str, environment: Mapping[str, str]) -> None:
    """Type commands."""
    assert typed
    if "$ privity init" not in typed:
        for words in (["init"], ["agent", "add", "robin"]):
            assert run_privity(words, environment, stdin="").code == ExitCode.OK
    transcript = Path(f"{name}.txt")
    transcript.write_text(typed, encoding="utf-8")
    play(transcript, environment)


@pytest.mark.proves("isolation:claim:not-before-proof")
def test_the_doctor_of_the_guide_states_the_level(environment: Mapping[str, str]) -> None:
    """What the guide shows of the doctor is what the doctor says."""
    play_page(GUIDES / "doctor.md", environment)


@pytest.mark.proves("session:credential:local")
@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        REFERENCE / "cli.md",
        DOCS / "tutorial" / "first-hour.md",
        GUIDES / "forget.md",
        GUIDES / "publish.md",
        GUIDES / "read-an-explanation.md",
    ],
    ids=lambda page: page.stem,
)
def test_the_commands_of_a_page_print_what_it_says(environment: Mapping[str, str], page: Path) -> None:
    """Each command ends as the page says, line by line."""
    play_page(page, environment)


@pytest.mark.proves("case:MIG-01")
def test_the_import_of_the_guide_works_on_the_files_of_the_guide(environment: Mapping[str, str]) -> None:
    """The files on the page are the files of the example."""
    page = GUIDES / "import-chats.md"
    typed = "".join(blocks(page, "console"))
    for name, content in zip(FILES, blocks(page, "json"), strict=True):
        Path(name).write_text(content, encoding="utf-8")
        typed = typed.replace(name, str(Path(name).absolute()))
    play_text(page.stem, typed, environment)


@pytest.mark.proves("isolation:claim:not-before-proof")
def test_the_demo_in_the_readme_is_what_the_demo_prints(environment: Mapping[str, str]) -> None:
    """Each line of the capture is a line of the real output, in its order."""
    (capture,) = blocks(ROOT / "README.md", "text")
    printed = iter(run_privity(["demo"], environment, stdin="").printed)

    assert [line for line in capture.splitlines() if line not in {"", "…"} and line not in printed] == []
