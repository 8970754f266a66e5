"""Change the evaluator and the postfilter in small ways; a change that no test notices is a survivor.

Each mutant runs in a copy of the source, with `python -B`: stale bytecode would run the unchanged program.
The tests are those of this checkout: while one is being edited, run this in a clone. Fails when a survivor has
no reason in mutation_reasons.toml, a reason has no survivor, or fewer than 95 of 100 mutants are noticed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final, cast

from tools.mutators import Mutant, mutants
from tools.sources import BUILD, ROOT, SRC, Source, sources

POLICY: Final = "privity/policy/"
POSTFILTER: Final = ("privity/engine/postfilter.py", "privity/engine/row_decisions.py")
TARGETS: Final = (POLICY, *POSTFILTER)
Rounds = tuple[tuple[str, ...], ...]
POLICY_ROUNDS: Final[Rounds] = (
    ("tests/policy/test_vectors.py", "tests/policy/test_evaluation_order.py", "tests/policy/test_session_mapping.py"),
    ("tests/policy", "--ignore=tests/policy/test_planted_faults.py"),
    ("tests/property/test_policy_differential.py", "tests/property/test_policy_prepared.py"),
    ("tests/policy/test_planted_faults.py", "tests/property"),
)
POSTFILTER_ROUNDS: Final[Rounds] = (("tests/engine",), ("tests/isolation",))
"""Tests in rounds, quick ones first: whatever one round notices the next is not asked about."""

REASONS: Final = ROOT / "tools" / "mutation_reasons.toml"
WORKERS: Final = 2
LEAST_NOTICED: Final = 0.95
PATIENCE: Final = 5
"""A mutant that takes this many times as long as the unchanged program hangs, and counts as noticed."""

PYTEST: Final = (
    *(sys.executable, "-B", "-m", "pytest", "-x", "-q", "--no-header", "--tb=no"),
    *("-p", "no:cacheprovider", "-p", "no:tests.requirements.plugin", "--hypothesis-seed=0"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """A copy of the source, in which one mutant at a time is tried."""

    root: Path

    def passes(self, tests: tuple[str, ...], timeout: float | None) -> bool:
        """The tests pass against this copy, in time."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(self.root / "hypothesis"),
        }
        try:
            done = subprocess.run(
                [*PYTEST, *tests], cwd=ROOT, env=environment, timeout=timeout, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def survives(self, mutant: Mutant, tests: tuple[str, ...], timeout: float) -> bool:
        """No test notices the mutant."""
        file = self.root / "src" / mutant.path
        unchanged = file.read_text(encoding="utf-8")
        file.write_text(mutant.text, encoding="utf-8")
        try:
            return self.passes(tests, timeout)
        finally:
            file.write_text(unchanged, encoding="utf-8")


def open_workshop(root: Path) -> Workshop:
    """Copy the source below `root`."""
    shutil.copytree(SRC, root / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return Workshop(root=root)


def targets(only: str) -> Iterator[Source]:
    """Yield the modules to change whose path holds `only`."""
    for source in sources():
        if source.path.startswith(TARGETS) and only in source.path:
            yield source


def timed(workshop: Workshop, tests: tuple[str, ...]) -> float:
    """Return how long the tests take on the unchanged program.

    Raises:
        SystemExit: they do not pass.
    """
    started = time.perf_counter()
    if not workshop.passes(tests, None):
        raise SystemExit("the tests do not pass on the unchanged program: " + " ".join(tests))
    return time.perf_counter() - started


def survivors(tried: list[Mutant]) -> list[Mutant]:
    """Return the mutants that no test notices."""
    policy = [mutant for mutant in tried if mutant.path.startswith(POLICY)]
    postfilter = [mutant for mutant in tried if mutant.path in POSTFILTER]
    with tempfile.TemporaryDirectory() as folder:
        workshops = [open_workshop(Path(folder) / str(n)) for n in range(WORKERS)]
        return [*left_over(policy, POLICY_ROUNDS, workshops), *left_over(postfilter, POSTFILTER_ROUNDS, workshops)]


def left_over(tried: list[Mutant], rounds: Rounds, workshops: list[Workshop]) -> list[Mutant]:
    """Return the mutants that no round notices."""
    for tests in rounds:
        if tried:
            timeout = PATIENCE * timed(workshops[0], tests) + PATIENCE
            before, tried = len(tried), unnoticed(tried, tests, timeout, workshops)
            print(f"{before - len(tried)} of {before} noticed by {' '.join(tests)}", flush=True)
    return tried


def unnoticed(tried: list[Mutant], tests: tuple[str, ...], timeout: float, workshops: list[Workshop]) -> list[Mutant]:
    """Return the mutants that these tests do not notice, each tried in whichever workshop is free."""
    free: SimpleQueue[Workshop] = SimpleQueue()
    for workshop in workshops:
        free.put(workshop)

    def survives(mutant: Mutant) -> bool:
        """No test notices the mutant."""
        workshop = free.get()
        try:
            return workshop.survives(mutant, tests, timeout)
        finally:
            free.put(workshop)

    with ThreadPoolExecutor(len(workshops)) as pool:
        return [mutant for mutant, alive in zip(tried, pool.map(survives, tried), strict=True) if alive]


def load_reasons() -> dict[str, str]:
    """Return the reason for each survivor that is understood."""
    return cast("dict[str, str]", tomllib.loads(REASONS.read_text(encoding="utf-8"))["reasons"])


def write_report(tried: list[Mutant], alive: list[Mutant], reasons: dict[str, str]) -> None:
    """Write build/mutation.json."""
    report = {
        "mutants": len(tried),
        "killed_ratio": round(1 - len(alive) / len(tried), 4) if tried else 1.0,
        "survivors": [{"where": mutant.identity, "reason": reasons.get(mutant.identity, "")} for mutant in alive],
    }
    BUILD.mkdir(exist_ok=True)
    (BUILD / "mutation.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="change only modules whose path holds this")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    return parser.parse_args()


def main() -> int:
    """Try every mutant, report the survivors, and fail where one is not understood."""
    given = arguments()
    tried = [mutant for source in targets(given.only) for mutant in mutants(source)]
    if given.list:
        print(*(f"{mutant.line:4} {mutant.identity}" for mutant in tried), sep="\n")
        return 0
    alive = survivors(tried)
    reasons = load_reasons()
    if not given.only:
        write_report(tried, alive, reasons)
    unexplained = [mutant for mutant in alive if mutant.identity not in reasons]
    stale = set(reasons) - {mutant.identity for mutant in alive} if not given.only else set[str]()
    print(f"{len(tried) - len(alive)} of {len(tried)} mutants noticed, {len(alive)} survive")
    for mutant in unexplained:
        print(f"survives: src/{mutant.path}:{mutant.line}: {mutant.identity}")
    for identity in sorted(stale):
        print(f"no longer survives: {identity}")
    return int(bool(unexplained or stale) or len(alive) > (1 - LEAST_NOTICED) * len(tried))


if __name__ == "__main__":
    sys.exit(main())
