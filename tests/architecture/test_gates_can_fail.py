"""Every gate of `make check` is shown once to fail: a violation is planted in a copy without product code."""

import configparser
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tools.sources import ROOT, SRC

pytestmark = pytest.mark.timeout(120)

BIN: Final = Path(sys.executable).parent
UV: Final = ROOT / ".venv-tools" / "bin" / "uv"
CONFIGURATION: Final = (".importlinter", "pyproject.toml", "README.md", "ruff.toml", "uv.lock")
PACKAGES: Final = (
    *("model", "policy", "sdk", "engine", "host", "backends", "backends/inmemory", "backends/sqlite"),
    *("identity", "ops", "migrate", "conformance", "wiring", "cli"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plant:
    """A violation: files below the copy's root, the gate that must report it, and the words it reports."""

    gate: str
    command: tuple[str, ...]
    files: dict[str, str]
    reports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a gate ended, and what it said."""

    code: int
    said: str


def run(root: Path, *command: str) -> Ran:
    """Run a gate in `root`, with the programs of this environment first."""
    environment = {
        **os.environ,
        "NO_COLOR": "1",
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(root / "src"),
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
    }
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False, text=True)
    return Ran(code=done.returncode, said=done.stdout + done.stderr)


def write(root: Path, files: dict[str, str]) -> None:
    """Write `files` below `root`."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the project that holds its configuration, its tools and empty packages."""
    for name in CONFIGURATION:
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    write(tmp_path, {f"src/privity/{package}/__init__.py": '"""A package."""\n' for package in PACKAGES})
    shutil.copy(SRC / "privity" / "__init__.py", tmp_path / "src" / "privity" / "__init__.py")
    return tmp_path


GATES: Final = (
    Plant(
        gate="ruff",
        command=("ruff", "check", "."),
        files={
            "src/privity/engine/a.py": (
                "import pickle\nimport random\nfrom contextvars import ContextVar\nfrom datetime import datetime\n"
                "from time import time\nfrom unittest.mock import patch\n\nSTARTED = datetime.now()\n"
            )
        },
        reports=(
            "`pickle` is banned: unpickling runs what it reads",
            "`random` is banned: guessable",
            "`contextvars.ContextVar` is banned: facts are passed",
            "`datetime.datetime.now` is banned: time is a fact",
            "`time.time` is banned: time is a fact",
            "`unittest.mock.patch` is banned: a patched name proves nothing",
        ),
    ),
    Plant(
        gate="ruff-complexity",
        command=("ruff", "check", "."),
        files={
            "src/privity/engine/a.py": "def f(x: int) -> None:\n"
            + "".join(f"    if x == {n}:\n        print(x)\n" for n in range(9))
        },
        reports=("C901", "PLR0912"),
    ),
    Plant(
        gate="ruff-format",
        command=("ruff", "format", "--check", "."),
        files={"src/privity/engine/a.py": "x=1\n"},
        reports=("src/privity/engine/a.py", "would be reformatted"),
    ),
    Plant(
        gate="pyright",
        command=("pyright", "--pythonpath", sys.executable),
        files={
            "src/privity/engine/a.py": "from privity.engine import b\n\nX = b.Y\n\n\ndef f(x):\n    return x\n",
            "src/privity/engine/b.py": "from privity.engine import a\n\nY: int = 1\nZ = a.f\n",
            "src/privity/engine/c.py": (
                "class A:\n    def f(self) -> int:\n        return 1  # pyright: ignore[reportGeneralTypeIssues]\n\n\n"
                "class B(A):\n    def f(self) -> int:\n        return 2\n"
            ),
        },
        reports=(
            "reportMissingParameterType",
            "reportImportCycles",
            "reportImplicitOverride",
            "reportUnnecessaryTypeIgnoreComment",
        ),
    ),
    Plant(
        gate="mypy",
        command=("mypy",),
        files={"src/privity/model/a.py": "def f(x):\n    return x\n", "src/privity/sdk/a.py": "X: int = 'one'\n"},
        reports=("src/privity/model/a.py:1: error", "src/privity/sdk/a.py:1: error"),
    ),
    Plant(
        gate="deptry",
        command=("deptry", "--no-ansi", "src"),
        files={"src/privity/engine/a.py": "import nowhere_listed\nimport pygments\nimport pytest\n"},
        reports=(
            "DEP001 'nowhere_listed'",
            "DEP003 'pygments'",
            "DEP004 'pytest'",
            "DEP002 'tomlkit'",
        ),
    ),
    Plant(
        gate="vulture",
        command=("python", "-m", "tools.unused", "src"),
        files={"src/privity/engine/a.py": "import json\n\n\ndef f(unread: int) -> None:\n    print(1)\n"},
        reports=("unused import 'json'", "unused variable 'unread'"),
    ),
    Plant(
        gate="vocabulary",
        command=("python", "-m", "tools.vocabulary"),
        files={"src/privity/engine/a.py": "class UserStore:\n    def get_store(self): ...\n"},
        reports=("UserStore: `user`: say principal", "get_store: `get`: say `find_x`"),
    ),
    Plant(
        gate="codespell",
        command=("codespell",),
        files={"docs/a.md": "It is t" + "eh same.\n"},
        reports=("docs/a.md:1: t" + "eh ==> the",),
    ),
    Plant(
        gate="pytest",
        command=("python", "-m", "pytest", "-p", "no:cacheprovider"),
        files={
            "tests/test_planted.py": (
                "import socket, warnings\nimport pytest\n\n"
                "def test_warns():\n    warnings.warn('deprecated', DeprecationWarning)\n\n"
                "def test_calls_out():\n    socket.create_connection(('192.0.2.1', 9), timeout=1)\n\n"
                "@pytest.mark.xfail\ndef test_passes_against_expectation():\n    pass\n\n"
                "def test_reaches_loopback():\n"
                "    with socket.create_server(('127.0.0.1', 0)) as server:\n"
                "        socket.create_connection(server.getsockname()).close()\n"
            )
        },
        reports=("DeprecationWarning: deprecated", "SocketConnectBlockedError", "XPASS(strict)", "3 failed, 1 passed"),
    ),
    Plant(
        gate="pytest-markers",
        command=("python", "-m", "pytest", "-p", "no:cacheprovider"),
        files={"tests/test_planted.py": "import pytest\n\n@pytest.mark.unheard_of\ndef test_one():\n    pass\n"},
        reports=("'unheard_of' not found in `markers` configuration option",),
    ),
    Plant(
        gate="uv-lock",
        command=(str(UV), "lock", "--check"),
        files={
            "pyproject.toml": (ROOT / "pyproject.toml")
            .read_text(encoding="utf-8")
            .replace("tomlkit>=", "tomlkit>0,>=0.1")
        },
        reports=("needs to be updated",),
    ),
)

CONTRACTS: Final = {
    "layers": {
        "src/privity/model/a.py": "import privity.sdk\n",
        "src/privity/surprise/__init__.py": '"""A package nobody listed."""\n',
    },
    "acyclic": {
        "src/privity/engine/a.py": "import privity.engine.b\n",
        "src/privity/engine/b.py": "import privity.engine.a\n",
    },
    "pure": {"src/privity/policy/a.py": "from time import monotonic\n"},
    "host": {
        "src/privity/host/a.py": "import privity.sdk.a\n",
        "src/privity/sdk/a.py": "import privity.policy\n",
    },
    "engine": {"src/privity/engine/a.py": "import privity.host\n"},
    "backends": {
        "src/privity/backends/sqlite/a.py": "import privity.engine.search\n",
        "src/privity/engine/search.py": '"""Not a port."""\n',
    },
    "backends-apart": {"src/privity/backends/sqlite/a.py": "import privity.backends.inmemory\n"},
    "concrete": {"src/privity/ops/a.py": "import privity.backends.sqlite\n"},
    "conformance": {"src/privity/conformance/a.py": "import privity.engine\n"},
    "identity": {"src/privity/identity/a.py": "import privity.host\n"},
    "ops": {"src/privity/ops/a.py": "import privity.policy\n"},
    "surfaces": {"src/privity/cli/a.py": "import privity.engine\n"},
}
"""For each contract of .importlinter, files that break it."""


@pytest.mark.parametrize("plant", GATES, ids=lambda plant: plant.gate)
def test_the_gate_reports_what_was_planted(copy: Path, plant: Plant) -> None:
    """The gate fails, and says what is wrong."""
    write(copy, plant.files)
    ran = run(copy, *plant.command)

    assert ran.code != 0
    assert not [words for words in plant.reports if words not in ran.said], ran.said


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_contract_reports_what_was_planted(copy: Path, contract: str) -> None:
    """The contract breaks on an import that it forbids."""
    write(copy, CONTRACTS[contract])
    ran = run(copy, "lint-imports", "--no-cache", "--contract", contract)

    assert ran.code != 0
    assert "0 kept, 1 broken" in ran.said, ran.said


def test_an_unlisted_package_breaks_the_layers(copy: Path) -> None:
    """Exhaustive means that a package without a layer fails by itself."""
    write(copy, {"src/privity/surprise/__init__.py": '"""A package nobody listed."""\n'})
    ran = run(copy, "lint-imports", "--no-cache", "--contract", "layers")

    assert ran.code != 0
    assert "surprise" in ran.said


def test_allowed_imports_keep_every_contract(copy: Path) -> None:
    """The contracts leave open what the architecture allows."""
    write(
        copy,
        {
            "src/privity/engine/ports.py": "import privity.model\nimport privity.policy\nimport privity.sdk\n",
            "src/privity/host/ports.py": "import privity.sdk\n",
            "src/privity/backends/sqlite/a.py": "import apsw\nimport privity.engine.ports\nimport privity.host.ports\n",
            "src/privity/ops/a.py": "import privity.engine\nimport privity.host\n",
            "src/privity/wiring/a.py": "import privity.backends.sqlite.a\nimport privity.identity\nimport privity.ops\n",
            "src/privity/cli/a.py": "import privity.ops\nimport privity.wiring.a\n",
        },
    )
    ran = run(copy, "lint-imports", "--no-cache")

    assert ran.code == 0, ran.said


def test_every_contract_has_a_planted_violation() -> None:
    """No contract goes untried."""
    configuration = configparser.ConfigParser()
    configuration.read(ROOT / ".importlinter")
    sections = configuration.sections()

    assert {name.removeprefix("importlinter:contract:") for name in sections[1:]} == set(CONTRACTS)


def test_the_composition_root_may_read_the_clock(copy: Path) -> None:
    """One file obtains the clock; the same line is banned in any other."""
    text = '"""The clock."""\n\nfrom datetime import UTC, datetime\n\nNOW = datetime.now(tz=UTC)\n'
    write(copy, {"src/privity/wiring/clock.py": text, "src/privity/wiring/other.py": text})

    assert run(copy, "ruff", "check", "src/privity/wiring/clock.py").code == 0
    assert run(copy, "ruff", "check", "src/privity/wiring/other.py").code != 0


def test_an_incomplete_public_type_is_reported(copy: Path) -> None:
    """`--verifytypes` reads an installed package, so the violation is planted in one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", copy / "installed"], check=True)
    (site,) = (copy / "installed").glob("lib/python3*/site-packages")
    shutil.copytree(copy / "src" / "privity", site / "privity")
    write(site / "privity", {"py.typed": "", "model/a.py": '"""A module."""\n\n\ndef f(x):\n    return x\n'})
    path = f"{copy / 'installed' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    ran = run(copy, "env", f"PATH={path}", str(BIN / "pyright"), "--verifytypes", "privity", "--ignoreexternal")

    assert ran.code != 0
    assert "privity.model.a.f" in ran.said
