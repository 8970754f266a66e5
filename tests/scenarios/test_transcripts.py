"""Each transcript beside this file is run against the real command line and compared line by line."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.scenarios.transcript import play

HERE: Final = Path(__file__).parent

Playing = Callable[[str], None]


@pytest.fixture
def playing(tmp_path: Path) -> Playing:
    """Return the act of running a transcript in an environment of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PRIVITY_", "CI"))}
    environment = {**kept, "PRIVITY_HOME": str(tmp_path / "home"), "HOME": str(tmp_path), "COLUMNS": "200"}
    return lambda name: play(HERE / name, environment)


@pytest.mark.timeout(90)
@pytest.mark.proves(
    "proof:step-1",
    "proof:step-2",
    "proof:step-3",
    "proof:step-4",
    "session:credential:local",
    "read:isolation:two-people",
    "case:READ-01",
    "case:SIDE-07",
)
def test_first_steps(playing: Playing) -> None:
    """Two people in private, both in a room, and who leaves the room is out of it."""
    playing("first_steps.txt")


@pytest.mark.timeout(90)
@pytest.mark.proves("proof:step-1", "proof:step-2", "proof:step-3", "proof:step-4", "proof:step-7", "case:EGR-02")
def test_demo(playing: Playing) -> None:
    """The demo says the same every time: what a shared notebook leaks, and what privity refuses."""
    playing("demo.txt")


@pytest.mark.timeout(90)
@pytest.mark.proves("share:publish:capability", "share:no-direct-grants")
def test_publish(playing: Playing) -> None:
    """Publishing needs leave and a look."""
    playing("publish.txt")


@pytest.mark.timeout(90)
@pytest.mark.proves("proof:step-7", "audit:trail:reading-is-recorded", "case:DEL-02", "case:AUD-02")
def test_forget_and_explain(playing: Playing) -> None:
    """What is forgotten is gone on every path, and the audit says why something was denied."""
    playing("forget_and_explain.txt")


@pytest.mark.timeout(90)
@pytest.mark.proves("isolation:claim:not-before-proof", "operation:home:modes")
def test_doctor(playing: Playing) -> None:
    """The doctor and the settings of a fresh home."""
    playing("doctor.txt")


@pytest.mark.timeout(90)
@pytest.mark.proves("case:MIG-01", "operation:home:modes")
def test_import_chat(playing: Playing) -> None:
    """Published chat goes into an evaluation home, and goes on where it stopped."""
    playing("import_chat.txt")


@pytest.mark.timeout(120)
@pytest.mark.proves("case:API-17", "case:FILE-02", "case:READ-02", "case:ID-22")
def test_bad_input(playing: Playing) -> None:
    """Whatever is typed, the answer is a clear error."""
    playing("bad_input.txt")
