"""Two commands at once: the second waits for the first, and not for ever."""

import subprocess
import sys
from pathlib import Path

import pytest

from privity.wiring import open as open_home
from tests.cli.running import keyboard

pytestmark = pytest.mark.timeout(60)


@pytest.mark.proves("operation:single-machine")
def test_commands_at_once_all_succeed(tmp_path: Path) -> None:
    """Each has the home for a moment; nobody is turned away for that."""
    shell = keyboard(tmp_path)
    typed = [[sys.executable, "-m", "privity.cli", "remember", f"note {number}"] for number in range(4)]
    started = [
        subprocess.Popen(line, env=dict(shell.environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603 - our own command line
        for line in typed
    ]
    ended = [(process.communicate(), process.returncode) for process in started]
    with open_home(shell.home) as host:
        kept = host.health(host.agent("robin")).revisions

    assert [code for _, code in ended] == [0, 0, 0, 0]
    assert kept["active"] == len(typed)


@pytest.mark.proves("operation:single-machine")
def test_a_home_that_stays_in_use_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    """The command says what it waits for, and ends with the owner's error."""
    shell = keyboard(tmp_path)
    with open_home(shell.home):
        ran = shell.run("status")

    assert ran.code == 3
    assert "! waiting for the process that has the home" in ran.printed
    assert any("another process owns" in line for line in ran.printed)
