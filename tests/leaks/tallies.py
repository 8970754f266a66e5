"""What the parts of one test run found, added up in `build/leaks.json`."""

import fcntl
import json
from pathlib import Path
from typing import Any, Final

from tests.leaks.matrix import Tally

FILE: Final = Path(__file__).parents[2] / "build" / "leaks.json"


def publish(run: str, part: str, tally: Tally, planted: list[str]) -> None:
    """Add the part of a test run; parts of an earlier run are dropped. Several processes may do so."""
    FILE.parent.mkdir(exist_ok=True)
    with FILE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept: dict[str, Any] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
        parts: dict[str, Any] = kept["parts"] if kept.get("run") == run else {}
        parts[part] = {
            "trials": tally.trials,
            "non_empty": tally.non_empty,
            "leaks": len(tally.leaks),
            "kept_back": len(tally.blocked),
            "planted_found": planted,
        }
        FILE.write_text(json.dumps(summary(run, parts), indent=2) + "\n", "utf-8")


def summary(run: str, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the sums over all parts, and the parts."""
    numbers = ("trials", "non_empty", "leaks", "kept_back")
    sums = {name: sum(part[name] for part in parts.values()) for name in numbers}
    found = sorted(name for part in parts.values() for name in part["planted_found"])
    return {**sums, "planted_found": found, "run": run, "parts": parts}
