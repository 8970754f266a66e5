"""The inventory of the specification's sentences: each hash with the requirements it led to, or why it led to none.

The documents are not part of this project. Where they are at hand, `PRIVITY_SPEC` names the directory they are in.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from tests.requirements.model import DIRECTORY, RequirementsError
from tests.requirements.sentences import digest, list_sentences

SPECIFICATION_VARIABLE: Final = "PRIVITY_SPEC"
INVENTORY: Final = DIRECTORY / "inventory"
DOCUMENTS: Final = MappingProxyType(
    {
        "multiplayer": "seeds/multiplayer-memory-design.txt",
        "governance": "seeds/memory-governance.txt",
        "decision": "design/decisions.md",
    }
)
_UNCHECKED: Final = "not checkable"


class Unchecked(StrEnum):
    """Why no requirement follows from a sentence."""

    HEADING = "heading"
    BACKGROUND = "background"
    RATIONALE = "rationale"
    NON_GOAL = "non-goal"
    HOST_SPECIFIC = "host-specific"
    EDITORIAL = "editorial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One sentence of one document, known by its hash."""

    document: str
    sentence_hash: str
    label: str
    requirements: tuple[str, ...]
    unchecked: Unchecked | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How one document and its inventory differ."""

    unlisted: tuple[str, ...]
    vanished: tuple[str, ...]


def load_inventory(directory: Path = INVENTORY) -> tuple[Entry, ...]:
    """Return every entry of the inventory, in the order of the documents.

    Raises:
        RequirementsError: an entry names neither requirements nor a reason, or both.
    """
    return tuple(
        _parse(document, json.loads(line))
        for document in DOCUMENTS
        for line in (directory / f"{document}.jsonl").read_text(encoding="utf-8").splitlines()
    )


def find_specification() -> Path | None:
    """Return the directory of the documents, if the environment names one."""
    directory = os.environ.get(SPECIFICATION_VARIABLE)
    return Path(directory) if directory else None


def find_drift(document: str, specification: Path, entries: tuple[Entry, ...]) -> Drift:
    """Return the sentences of `document` that the inventory lacks, and the hashes that no sentence has any more."""
    sentences = list_sentences(specification / DOCUMENTS[document])
    listed = Counter(entry.sentence_hash for entry in entries if entry.document == document)
    present = Counter(map(digest, sentences))
    missing = present - listed
    return Drift(
        unlisted=tuple(f"{digest(text)} {text}" for text in dict.fromkeys(sentences) if digest(text) in missing),
        vanished=tuple((listed - present).elements()),
    )


def list_labels(entries: tuple[Entry, ...]) -> frozenset[str]:
    """Return the labels of the places that the inventory covers, such as `decision/8`."""
    return frozenset(entry.label for entry in entries)


def named_by(entries: tuple[Entry, ...]) -> Iterator[tuple[str, str]]:
    """Yield each requirement id that a sentence names, with the label of the sentence's place."""
    for entry in entries:
        for requirement_id in entry.requirements:
            yield requirement_id, entry.label


def _parse(document: str, fields: dict[str, Any]) -> Entry:
    requirements = tuple(fields.get("requirements", ()))
    if bool(requirements) == (_UNCHECKED in fields):
        message = f"sentence `{fields['hash']}` needs either requirements or a reason for having none"
        raise RequirementsError(message)
    return Entry(
        document=document,
        sentence_hash=fields["hash"],
        label=fields["at"],
        requirements=requirements,
        unchecked=Unchecked(fields[_UNCHECKED]) if _UNCHECKED in fields else None,
    )
