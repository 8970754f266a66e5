"""What the packages are is what the import contracts and the wheel say."""

import configparser
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

import pytest

import privity
from tools.coverage_floors import FLOORS
from tools.sources import ROOT, SRC

LEAVES: Final = {"model", "policy", "sdk"}
"""Their layer says it all: nothing stands below them that they may not import."""

UNRESTRICTED: Final = {"wiring"}
"""The composition root may import everything below it."""


def packages() -> set[str]:
    """Return the names of the packages and modules of privity."""
    entries = (path for path in (SRC / "privity").iterdir() if path.suffix in {"", ".py"})
    return {path.stem for path in entries if not path.stem.startswith("_") and path.name != "py.typed"}


def restricted() -> set[str]:
    """Return the packages that a forbidden contract speaks of."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    named = " ".join(contracts[section].get("source_modules", "") for section in contracts.sections())
    return {name.removeprefix("privity.").split(".")[0] for name in named.split()}


def test_every_package_has_its_import_contract() -> None:
    """A package that has arrived is restricted to what the architecture lets it import."""
    assert packages() - restricted() <= LEAVES | UNRESTRICTED


def test_every_package_has_a_coverage_floor() -> None:
    """No package is left out of the floors."""
    floors = FLOORS.read_text(encoding="utf-8")

    assert not {name for name in packages() if f'"privity.{name}"' not in floors}


def test_importing_privity_imports_nothing_else_of_it() -> None:
    """An application pays for what it uses."""
    code = "import sys, privity; print([name for name in sys.modules if name.startswith('privity.')])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)  # noqa: S603

    assert shown.stdout.strip() == "[]"


def test_a_name_that_privity_does_not_have_is_an_attribute_error() -> None:
    """The lazy face misses a name as any module does."""
    with pytest.raises(AttributeError, match="has no attribute `shut`"):
        getattr(privity, "shut")  # noqa: B009


def test_the_suite_runs_against_what_was_installed() -> None:
    """In the environment of `make test`, privity comes from the wheel."""
    installed = Path(sysconfig.get_path("purelib")) / "privity"
    editable = Path(sys.prefix).name == ".venv"

    assert editable or Path(privity.__file__).parent == installed


def test_the_wheel_says_that_it_is_typed() -> None:
    """A type checker believes the annotations of a package that ships the marker."""
    assert (Path(privity.__file__).parent / "py.typed").exists()
