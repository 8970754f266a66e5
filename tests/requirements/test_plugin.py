"""The plugin, run over small planted projects: proven, failing, planned, unknown, parallel."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.requirements.claims import Claim
from tests.requirements.model import DIRECTORY

ROOT: Final = DIRECTORY.parent.parent
REQUIREMENT: Final = 'text = "One."\nsource = ["decision/1"]\nstage = 1\nsurfaces = ["engine"]\n'
STATES: Final = {"read:built": "built", "read:other": "built", "read:planned": "planned"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How one planted project ended, and what it claims."""

    code: int
    output: str
    claims: dict[str, tuple[str, list[str]]]


def run(project: Path, tests: str, *arguments: str) -> Run:
    """Run pytest with only this plugin over one module of `tests`."""
    (project / "pytest.ini").write_text("[pytest]\nrequirements_dir = requirements\nclaims_file = build/claims.json\n")
    (project / "requirements").mkdir()
    entries = (f'["{one}"]\n{REQUIREMENT}state = "{state}"\n' for one, state in STATES.items())
    (project / "requirements" / "read.toml").write_text("\n".join(entries))
    (project / "test_planted.py").write_text(f"import pytest\n\n{tests}\n")
    command = [sys.executable, "-m", "pytest", "-p", "tests.requirements.plugin", "--strict-markers", "-q", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": ""}
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - pytest itself
    claims_file = project / "build" / "claims.json"
    claims = load_claims(claims_file) if claims_file.exists() else {}
    return Run(code=ended.returncode, output=ended.stdout + ended.stderr, claims=claims)


def load_claims(file: Path) -> dict[str, tuple[str, list[str]]]:
    """Return the state and the tests of each requirement in a claims file."""
    found: dict[str, Claim] = json.loads(file.read_text())["requirements"]
    return {one: (claim["state"], claim["tests"]) for one, claim in found.items()}


def test_a_requirement_is_proven_by_a_test_that_passed(tmp_path: Path) -> None:
    """A built requirement is proven, and only that one."""
    ended = run(tmp_path, '@pytest.mark.proves("read:built", "read:planned")\ndef test_one(): pass')

    assert ended.code == pytest.ExitCode.OK
    assert ended.claims == {
        "read:built": ("proven", ["test_planted.py::test_one"]),
        "read:other": ("planned", []),
        "read:planned": ("planned", ["test_planted.py::test_one"]),
    }


def test_one_failure_makes_a_requirement_failing(tmp_path: Path) -> None:
    """A failure shows whatever else passed, also when it happens after the test itself."""
    ended = run(
        tmp_path,
        '@pytest.mark.proves("read:built")\ndef test_one(): pass\n\n'
        '@pytest.mark.proves("read:built")\ndef test_two(): assert False\n\n'
        "@pytest.fixture\ndef broken():\n    yield\n    raise RuntimeError\n\n"
        '@pytest.mark.proves("read:planned")\ndef test_three(broken): pass',
    )

    assert ended.claims["read:built"][0] == "failing"
    assert ended.claims["read:planned"][0] == "failing"


@pytest.mark.parametrize(
    "mark", ["@pytest.mark.skip", "@pytest.mark.xfail(run=False)", "@pytest.mark.xfail(strict=True, raises=KeyError)"]
)
def test_a_test_that_proves_nothing_leaves_a_requirement_planned(tmp_path: Path, mark: str) -> None:
    """Skipped tests and expected failures are no evidence, also beside one that passed."""
    ended = run(
        tmp_path,
        f'@pytest.mark.proves("read:built")\n{mark}\ndef test_one(): raise KeyError\n\n'
        '@pytest.mark.proves("read:built")\ndef test_two(): pass',
    )

    assert ended.code == pytest.ExitCode.OK
    assert ended.claims["read:built"][0] == "planned"


def test_an_unknown_id_is_a_collection_error(tmp_path: Path) -> None:
    """The run stops and names the test and the id."""
    ended = run(tmp_path, '@pytest.mark.proves("read:nowhere")\ndef test_one(): pass')

    assert ended.code == pytest.ExitCode.INTERRUPTED
    assert "test_planted.py::test_one names unknown requirements: read:nowhere" in ended.output


def test_marks_of_module_class_and_parameter_count(tmp_path: Path) -> None:
    """A test names what its surroundings name, and each parameter is a test of its own."""
    ended = run(
        tmp_path,
        'pytestmark = pytest.mark.proves("read:built")\n\n'
        '@pytest.mark.proves("read:other")\nclass TestGroup:\n    def test_one(self): pass\n\n'
        '@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.proves("read:planned"))])\n'
        "def test_two(x): pass",
    )

    assert ended.claims["read:built"][1] == [
        "test_planted.py::TestGroup::test_one",
        "test_planted.py::test_two[1]",
        "test_planted.py::test_two[2]",
    ]
    assert ended.claims["read:other"][1] == ["test_planted.py::TestGroup::test_one"]
    assert ended.claims["read:planned"][1] == ["test_planted.py::test_two[2]"]


def test_workers_report_to_one_file(tmp_path: Path) -> None:
    """Under pytest-xdist the controller writes the claims of all workers."""
    pytest.importorskip("xdist")
    ended = run(
        tmp_path,
        '@pytest.mark.proves("read:built")\n@pytest.mark.parametrize("x", range(4))\ndef test_one(x): pass\n\n'
        '@pytest.mark.proves("read:other")\ndef test_two(): assert False',
        "-n",
        "2",
    )

    assert ended.claims["read:built"] == ("proven", [f"test_planted.py::test_one[{x}]" for x in range(4)])
    assert ended.claims["read:other"] == ("failing", ["test_planted.py::test_two"])


def test_workers_refuse_an_unknown_id(tmp_path: Path) -> None:
    """The collection error also stops a parallel run."""
    pytest.importorskip("xdist")
    ended = run(tmp_path, '@pytest.mark.proves("read:nowhere")\ndef test_one(): pass', "-n", "2")

    assert ended.code != pytest.ExitCode.OK
    assert "names unknown requirements: read:nowhere" in ended.output


@pytest.mark.parametrize(
    "choice",
    [
        ["--collect-only"],
        ["test_planted.py"],
        ["-k", "one"],
        ["-m", "proves"],
        ["-x"],
        ["--deselect", "test_planted.py::test_two"],
    ],
    ids=" ".join,
)
def test_a_run_of_chosen_tests_claims_nothing(tmp_path: Path, choice: list[str]) -> None:
    """A part of the tests leaves the last claims as they are."""
    ended = run(tmp_path, '@pytest.mark.proves("read:built")\ndef test_one(): pass', *choice)

    assert ended.code == pytest.ExitCode.OK
    assert ended.claims == {}


def test_excluding_marks_keeps_a_run_whole(tmp_path: Path) -> None:
    """Leaving out what a mark names, as the project's own settings do, is still a whole run."""
    ended = run(tmp_path, '@pytest.mark.proves("read:built")\ndef test_one(): pass', "-m", "not skip")

    assert ended.claims["read:built"][0] == "proven"
