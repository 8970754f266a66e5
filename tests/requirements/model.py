"""The requirements of privity, parsed from one TOML file for each area."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

LEVELS_FILE: Final = "levels.toml"
DIRECTORY: Final = Path(__file__).parent
_KEYS: Final = frozenset({"text", "source", "stage", "surfaces", "state", "gaps", "gates"})


class RequirementsError(Exception):
    """A requirements file says something that this project's format does not allow."""


class State(StrEnum):
    """What the project claims about a requirement."""

    PLANNED = "planned"
    BUILT = "built"


class Stage(StrEnum):
    """The rollout stage that a requirement belongs to, or the part of the design beside the stages."""

    CONTRACTS = "0"
    READS = "1"
    WRITES = "2"
    SHARING = "3"
    ENTERPRISE = "4"
    ADVERSARIAL = "5"
    GOVERNANCE = "governance"
    OPERATION = "operation"


class Surface(StrEnum):
    """A package or door that a requirement must hold on."""

    MODEL = "model"
    POLICY = "policy"
    SDK = "sdk"
    ENGINE = "engine"
    HOST = "host"
    BACKEND = "backend"
    CONFORMANCE = "conformance"
    CLIENT = "client"
    BROKER = "broker"
    IDENTITY = "identity"
    MIGRATE = "migrate"
    OPS = "ops"
    LIBRARY = "library"
    CLI = "cli"
    HTTP = "http"
    MCP = "mcp"
    CONSOLE = "console"
    ADAPTERS = "adapters"
    DOCS = "docs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One checkable statement, in the project's own words."""

    requirement_id: str
    text: str
    source: tuple[str, ...]
    stage: Stage
    surfaces: tuple[Surface, ...]
    state: State
    gaps: tuple[str, ...]
    gates: tuple[str, ...]

    @property
    def area(self) -> str:
        """The first part of the id, which is also the name of the file."""
        return self.requirement_id.partition(":")[0]


Requirements = Mapping[str, Requirement]


def load_requirements(directory: Path = DIRECTORY) -> Requirements:
    """Return every requirement under `directory` by its id.

    Raises:
        RequirementsError: an entry is malformed, or stands in a file that is not its area's.
    """
    found: dict[str, Requirement] = {}
    for path in list_area_files(directory):
        for requirement_id, fields in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found[requirement_id] = _parse(requirement_id, fields, area=path.stem)
    return found


def list_area_files(directory: Path) -> tuple[Path, ...]:
    """Return the files that hold requirements, in order of name."""
    return tuple(sorted(path for path in directory.glob("*.toml") if path.name != LEVELS_FILE))


def _parse(requirement_id: str, fields: Mapping[str, Any], *, area: str) -> Requirement:
    if requirement_id.partition(":")[0] != area:
        message = f"`{requirement_id}` stands in the file of area `{area}`"
        raise RequirementsError(message)
    if unknown := fields.keys() - _KEYS:
        message = f"`{requirement_id}` has unknown fields: {sorted(unknown)}"
        raise RequirementsError(message)
    try:
        return Requirement(
            requirement_id=requirement_id,
            text=fields["text"],
            source=tuple(fields["source"]),
            stage=Stage(str(fields["stage"])),
            surfaces=tuple(map(Surface, fields["surfaces"])),
            state=State(fields.get("state", State.PLANNED)),
            gaps=tuple(fields.get("gaps", ())),
            gates=tuple(fields.get("gates", ())),
        )
    except (KeyError, ValueError) as error:
        message = f"`{requirement_id}` is malformed: {error}"
        raise RequirementsError(message) from error
