"""Transcripts of the command line: what an operator types, what is printed, how it ends.

A line is one of these:

* `# …` a comment;
* `$ privity search launch` runs with PRIVITY_HOME set, `<<<` before what stdin holds;
* text that should stand on stdout, where `…` is any text, and alone in a line any lines;
* `<name>` in it is one word, the same each time, which a later command may use;
* `! …` what should stand on stderr;
* `[exit 3]` the exit code, where it is not 0.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ANY: Final = "…"
NAMED: Final = re.compile(r"<([a-z][\w-]*)>")
EXIT: Final = re.compile(r"\[exit (\d+)\]")
PROMPT: Final = "$ privity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command with what it should print and how it should end."""

    line: int
    command: str
    stdin: str
    expected: tuple[str, ...]
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command printed and how it ended."""

    printed: tuple[str, ...]
    code: int


def steps(text: str) -> Iterator[Step]:
    """Yield the steps of a transcript."""
    lines = list(enumerate(text.splitlines(), start=1))
    starts = [place for place, (_, line) in enumerate(lines) if line.startswith(PROMPT)]
    for place, following in zip(starts, [*starts[1:], len(lines)], strict=True):
        number, prompt = lines[place]
        body = [line for _, line in lines[place + 1 : following] if line and not line.startswith("#")]
        codes = [int(found[1]) for line in body if (found := EXIT.fullmatch(line))]
        command, _, stdin = prompt.removeprefix(PROMPT).partition(" <<< ")
        yield Step(
            line=number,
            command=command.strip(),
            stdin=stdin,
            expected=tuple(line for line in body if not EXIT.fullmatch(line)),
            code=codes[0] if codes else 0,
        )


def run_privity(arguments: list[str], environment: Mapping[str, str], *, stdin: str) -> Ran:
    """Run the real command line in a process of its own."""
    ended = subprocess.run(  # noqa: S603 # the command line of this project
        [sys.executable, "-m", "privity.cli", *arguments],
        cwd=Path(__file__).parent,
        input=stdin.encode(),
        capture_output=True,
        check=False,
        env=dict(environment),
        timeout=60,
    )
    outside = [f"! {line}" for line in ended.stderr.decode().splitlines() if line]
    return Ran(printed=(*filter(None, ended.stdout.decode().splitlines()), *outside), code=ended.returncode)


def play(path: Path, environment: Mapping[str, str]) -> None:
    """Run a transcript and compare every line of it."""
    names: dict[str, str] = {}
    for step in steps(path.read_text(encoding="utf-8")):
        ran = run_privity(shlex.split(filled(step.command, names)), environment, stdin=step.stdin)
        matched = re.fullmatch(pattern(step.expected, names), "".join(f"{line}\n" for line in ran.printed))
        assert matched, report(path, step, ran)
        assert ran.code == step.code, report(path, step, ran)
        names |= {name.removeprefix("n_").replace("_", "-"): value for name, value in matched.groupdict().items()}


def filled(command: str, names: Mapping[str, str]) -> str:
    """Return a command with the names in it replaced by what they stand for."""
    return NAMED.sub(lambda found: names[found[1]], command)


def pattern(expected: tuple[str, ...], names: Mapping[str, str]) -> str:
    """Return the expression that what should be printed stands for."""
    return "".join("(?:.*\n)*?" if line.strip() == ANY else f"{line_pattern(line, names)}\n" for line in expected)


def line_pattern(line: str, names: Mapping[str, str]) -> str:
    """Return the expression of one line."""
    whole, at = "", 0
    for found in NAMED.finditer(line):
        group = f"n_{found[1].replace('-', '_')}"
        known = re.escape(names[found[1]]) if found[1] in names else rf"(?P<{group}>\S+)"
        whole, at = whole + loose(line[at : found.start()]) + known, found.end()
    return whole + loose(line[at:])


def loose(text: str) -> str:
    """Return the expression of a piece of a line, `…` standing for any text."""
    return ".*?".join(re.escape(piece) for piece in text.split(ANY))


def report(path: Path, step: Step, ran: Ran) -> str:
    """Return what differed, for a person."""
    return "\n".join(
        (
            f"{path.name}:{step.line}: $ privity {step.command}",
            f"expected (exit {step.code}):",
            *step.expected,
            f"printed (exit {ran.code}):",
            *ran.printed,
        )
    )
