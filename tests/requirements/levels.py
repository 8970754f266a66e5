"""Which isolation level the requirements support: a claim never outruns its evidence."""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from privity.ops.isolation import IsolationLevel
from tests.requirements.claims import ClaimState
from tests.requirements.model import DIRECTORY, LEVELS_FILE, Requirements, RequirementsError, Stage, State

LADDER: Final = tuple(IsolationLevel)


def load_levels(requirements: Requirements, directory: Path = DIRECTORY) -> Mapping[IsolationLevel, frozenset[str]]:
    """Return the requirement ids that each level needs, those of the levels below it included.

    Raises:
        RequirementsError: a level is missing, or names an unknown requirement.
    """
    data = tomllib.loads((directory / LEVELS_FILE).read_text(encoding="utf-8"))
    if set(data) != set(LADDER):
        message = f"{LEVELS_FILE} must have exactly the levels {[str(level) for level in LADDER]}"
        raise RequirementsError(message)
    needed: frozenset[str] = frozenset()
    levels: dict[IsolationLevel, frozenset[str]] = {}
    for level in LADDER:
        stages = frozenset(Stage(str(stage)) for stage in data[level]["stages"])
        of_stages = (one for one, requirement in requirements.items() if requirement.stage in stages)
        needed = needed.union(of_stages, data[level]["requirements"])
        levels[level] = needed
    if unknown := needed - requirements.keys():
        message = f"{LEVELS_FILE} names unknown requirements: {sorted(unknown)}"
        raise RequirementsError(message)
    return levels


def supported_level(levels: Mapping[IsolationLevel, frozenset[str]], holds: Callable[[str], bool]) -> IsolationLevel:
    """Return the highest level of which, and below which, every requirement `holds`."""
    supported = LADDER[0]
    for level in LADDER:
        if not all(map(holds, levels[level])):
            break
        supported = level
    return supported


def level_of_states(requirements: Requirements) -> IsolationLevel:
    """Return the level that the states in the requirement files support."""
    levels = load_levels(requirements)
    return supported_level(levels, lambda one: requirements[one].state is State.BUILT)


def level_of_claims(requirements: Requirements, claims_file: Path) -> IsolationLevel:
    """Return the level that the claims file of a test run supports."""
    claims = json.loads(claims_file.read_text(encoding="utf-8"))["requirements"]
    proven = frozenset(one for one, claim in claims.items() if claim["state"] == ClaimState.PROVEN)
    return supported_level(load_levels(requirements), proven.__contains__)
