"""Compare the names of classes, functions and modules with the vocabulary in vocabulary.toml."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, cast

from tools.sources import ROOT, SRC, Source, sources

VOCABULARY: Final = ROOT / "tools" / "vocabulary.toml"
WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The words that were passed over, each with what to say instead."""

    verbs: dict[str, str]
    words: dict[str, str]
    passes: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name that the source gives to something."""

    text: str
    line: int
    is_function: bool


def load_vocabulary(file: Path = VOCABULARY) -> Vocabulary:
    """Read the vocabulary."""
    return Vocabulary(**cast("dict[str, dict[str, str]]", tomllib.loads(file.read_text(encoding="utf-8"))))


def names(source: Source) -> Iterator[Name]:
    """Yield the names that the source gives: its own, its classes' and its functions'."""
    yield Name(text=PurePosixPath(source.path).stem, line=1, is_function=False)
    for node in ast.walk(source.tree):
        match node:
            case ast.ClassDef(name=text, lineno=line):
                yield Name(text=text, line=line, is_function=False)
            case ast.FunctionDef(name=text, lineno=line) | ast.AsyncFunctionDef(name=text, lineno=line):
                yield Name(text=text, line=line, is_function=True)
            case _:
                pass


def words(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word.lower() for word in WORD.findall(name)]


def advice(name: Name, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield what to say instead, for each word of the name that was passed over.

    In `handle_of` the first word is a noun.
    """
    if name.text in vocabulary.passes or name.text.startswith("__"):
        return
    spoken = words(name.text) or [""]
    if name.is_function and spoken[0] in vocabulary.verbs and spoken[1:2] != ["of"]:
        yield f"`{spoken[0]}`: {vocabulary.verbs[spoken[0]]}"
    yield from (f"`{word}`: say {vocabulary.words[word]}" for word in spoken if word in vocabulary.words)


def findings(root: Path, vocabulary: Vocabulary) -> Iterator[str]:
    """Yield a line for each name below `root` that breaks the vocabulary."""
    for source in sources(root):
        for name in names(source):
            for instead in advice(name, vocabulary):
                yield f"src/{source.path}:{name.line}: {name.text}: {instead}"


def main() -> int:
    """Print the findings; fail if there are any."""
    root = Path(sys.argv[1]) if sys.argv[1:] else SRC
    lines = list(findings(root, load_vocabulary()))
    print(*lines, sep="\n", end="\n" if lines else "")
    return min(1, len(lines))


if __name__ == "__main__":
    sys.exit(main())
