"""What a run of the tests says about the requirements they name."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypedDict

from tests.requirements.model import Requirement, Requirements, State


class Outcome(StrEnum):
    """How one test ended, over its set-up, call and tear-down."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class ClaimState(StrEnum):
    """What may be said about one requirement."""

    PROVEN = "proven"
    FAILING = "failing"
    PLANNED = "planned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One test that ran, with the requirements it names."""

    test_id: str
    outcome: Outcome
    proves: tuple[str, ...]


class Claim(TypedDict):
    """One requirement as it stands in the claims file."""

    state: str
    tests: list[str]


def judge(requirement: Requirement, outcomes: Iterable[Outcome]) -> ClaimState:
    """Return what `outcomes`, those of every test that names `requirement`, allow to be said.

    A skipped test proves nothing and a requirement that is not built is never proven; a failure always shows.
    """
    seen = set(outcomes)
    if Outcome.FAILED in seen:
        return ClaimState.FAILING
    if requirement.state is State.BUILT and seen == {Outcome.PASSED}:
        return ClaimState.PROVEN
    return ClaimState.PLANNED


def summarize(requirements: Requirements, results: Iterable[Result]) -> Mapping[str, Claim]:
    """Return the claim for every requirement, whether a test names it or not."""
    naming: dict[str, list[Result]] = {one: [] for one in requirements}
    for result in results:
        for requirement_id in result.proves:
            naming[requirement_id].append(result)
    return {
        one: Claim(
            state=judge(requirement, (result.outcome for result in naming[one])),
            tests=sorted(result.test_id for result in naming[one]),
        )
        for one, requirement in requirements.items()
    }


def write_claims(path: Path, claims: Mapping[str, Claim]) -> None:
    """Write `claims` where the build keeps its evidence."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"requirements": claims}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
