"""Split a specification document into sentences, and name each one by its hash.

The split is deterministic and knows nothing about the content: indented lines belong to the line above them,
so that a declaration, a diagram or a wrapped list item is one block; a block of prose is cut at sentence ends.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DIGEST_LENGTH: Final = 16

_ABBREVIATIONS: Final = ("e.g.", "i.e.", "vs.", "etc.", "cf.", "no.")
_SENTENCE_END: Final = re.compile(r"\.[\"')\]`*]*\s+|[!?][\"')\]`*]*\s+(?![a-z])")
_CLOSER: Final = re.compile(r"[}\])>]+;?$")
_LIST_MARKER: Final = re.compile(r"^(?:•|[-*]|\d+\.)\s+")
_DIAGRAM: Final = re.compile(r"^(?:flowchart|sequenceDiagram|stateDiagram|graph)\b")


def digest(sentence: str) -> str:
    """Return the name of `sentence`: the start of the SHA-256 of its text with white space collapsed."""
    normal = " ".join(sentence.split())
    return hashlib.sha256(normal.encode()).hexdigest()[:DIGEST_LENGTH]


def list_sentences(document: Path) -> tuple[str, ...]:
    """Return the sentences of `document` in order."""
    text = document.read_text(encoding="utf-8")
    blocks = _wrapped_blocks(text) if document.suffix == ".md" else _line_blocks(text)
    return tuple(sentence for block in blocks for sentence in _cut(block))


def _line_blocks(text: str) -> Iterator[str]:
    """Yield blocks of a document whose paragraphs are single lines: only indented lines and closers continue one."""
    block: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        if block and (line[0].isspace() or _CLOSER.match(line)):
            block.append(line)
            continue
        if block:
            yield "\n".join(block)
        block = [line]
    if block:
        yield "\n".join(block)


def _wrapped_blocks(text: str) -> Iterator[str]:
    """Yield blocks of a Markdown document: blank lines, headings and list markers begin a new one."""
    block: list[str] = []
    for line in text.splitlines():
        begins = not line.strip() or line.startswith("#") or _LIST_MARKER.match(line) is not None
        if begins and block:
            yield " ".join(block)
            block = []
        if line.strip():
            block.append(line.strip())
        if line.startswith("#"):
            yield " ".join(block)
            block = []
    if block:
        yield " ".join(block)


def _cut(block: str) -> Iterator[str]:
    """Yield the sentences of one block; tables, declarations and diagrams stay whole."""
    if "\t" in block or "\n" in block or _DIAGRAM.match(block):
        yield " ".join(block.split())
        return
    rest = _LIST_MARKER.sub("", block.strip())
    start = 0
    for end in _SENTENCE_END.finditer(rest):
        if rest[start : end.start() + 1].lower().endswith(_ABBREVIATIONS):
            continue
        yield rest[start : end.end()].strip()
        start = end.end()
    if start < len(rest):
        yield rest[start:].strip()
