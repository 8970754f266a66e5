"""Where everything of a vault is. Every name below `agents` is opaque."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from privity.model.resources import Section

SCOPES: Final = ("scopes", "v1")
SECTIONS: Final = {Section.NOTE: "notes", Section.CARD: "card"}
SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The paths of one vault."""

    vault: Path

    @property
    def lock(self) -> Path:
        """The file that its owner holds locked."""
        return self.vault / "lock"

    @property
    def keys(self) -> Path:
        """Key material."""
        return self.vault / "keys"

    @property
    def home_key(self) -> Path:
        """The key of this home."""
        return self.keys / "home.key"

    @property
    def cells(self) -> Path:
        """The registry of agents."""
        return self.vault / "cells.db"

    @property
    def agents(self) -> Path:
        """One directory an agent."""
        return self.vault / "agents"

    def agent_database(self, directory: str) -> Path:
        """Return the catalog of an agent."""
        return self.agents / directory / "agent.db"

    def scopes(self, directory: str) -> Path:
        """Return the directory that holds the stores of an agent."""
        return self.agents.joinpath(directory, *SCOPES)

    def index(self, directory: str, path_key: str) -> Path:
        """Return the index of a store."""
        return self.scopes(directory) / path_key / "index.db"


def is_safe_name(name: str) -> bool:
    """`name` is one component of a path, whatever the file system."""
    return SAFE_NAME.fullmatch(name) is not None


def artifact_name(revision_id: str) -> str:
    """Return the name of a revision's file."""
    return f"{revision_id}.md"
