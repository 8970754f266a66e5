"""Shell completion: the script is printed, and it completes commands and options."""

from pathlib import Path

import pytest

from tests.cli.running import Keyboard
from tests.scenarios.transcript import run_privity

pytestmark = pytest.mark.timeout(60)


@pytest.mark.proves("plugin:inventory:every-path")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion_script(tmp_path: Path, shell: str) -> None:
    """Printed, and nothing is installed by that."""
    keyboard = Keyboard(home=tmp_path / "home")
    ran = keyboard.run("--show-completion", shell)

    assert ran.code == 0
    assert any("_PRIVITY_COMPLETE" in line for line in ran.printed)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.proves("plugin:inventory:every-path")
def test_a_shell_completes_commands(tmp_path: Path) -> None:
    """What is typed so far is completed from the list of commands, without opening a home."""
    keyboard = Keyboard(home=tmp_path / "home")
    words = {"_PRIVITY_COMPLETE": "complete_bash", "COMP_WORDS": "privity se", "COMP_CWORD": "1"}
    ran = run_privity([], {**keyboard.environment, **words}, stdin="")

    assert ran.printed == ("search", "session")
    assert list(tmp_path.iterdir()) == []
