"""Write the decision vectors anew, or say whether they are out of date.

python -m tests.policy.make_vectors --update
"""

import argparse
import json
from importlib.resources import files
from pathlib import Path
from typing import Final

from privity.model.decisions import Decision, Deny
from privity.policy.evaluator import decide
from privity.policy.facts import Facts
from privity.sdk.wire import to_wire
from tests.policy.vector_cases import CASES

VERSION: Final = 1
HERE: Final = Path(__file__).parents[2] / "src" / "privity" / "conformance" / "vectors" / "decisions.json"


def vectors_text() -> str:
    """Return the vectors as text: one case a line, so that a change shows as a change of that case."""
    lines = (json.dumps(vector(name, facts), separators=(",", ":")) for name, facts in CASES.items())
    return f'{{"version":{VERSION},"cases":[\n' + ",\n".join(lines) + "\n]}\n"


def vector(name: str, facts: Facts) -> dict[str, object]:
    """Return one case, with what is decided about it."""
    return {"name": name, **said(decide(facts)), "facts": to_wire(facts)}


def said(decision: Decision) -> dict[str, object]:
    """Return a decision as the vectors have it."""
    denied = isinstance(decision, Deny)
    return {
        "decision": "deny" if denied else "allow",
        "reason": decision.reason.value if denied else None,
        "step": decision.step if denied else None,
        "determining_rules": list(decision.determining_rules),
        "trace": [f"{entry.step} {entry.check} {entry.outcome}" for entry in decision.trace],
    }


def load_text() -> str:
    """Return the vectors as they are in the package."""
    return files("privity.conformance").joinpath("vectors/decisions.json").read_text(encoding="utf-8")


def main() -> int:
    """Write the vectors, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write them anew")
    if parser.parse_args().update:
        HERE.parent.mkdir(exist_ok=True)
        HERE.write_text(vectors_text(), encoding="utf-8")
    return 0 if HERE.read_text(encoding="utf-8") == vectors_text() else 1


if __name__ == "__main__":
    raise SystemExit(main())
