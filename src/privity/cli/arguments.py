"""What an operator types, as values: text from the command line or stdin, lifetimes, options."""

import re
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from privity.sdk.errors import InputError

STDIN: Final = "-"
MOST_BYTES: Final = 1024 * 1024
LIFETIME: Final = re.compile(r"([1-9][0-9]{0,4})([mhd])")
UNITS: Final[Mapping[str, timedelta]] = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}

HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--home", envvar="PRIVITY_HOME", help="The home to use.", show_default="the data folder of your login"
    ),
]
AgentOption = Annotated[
    str | None,
    typer.Option("--agent", envvar="PRIVITY_AGENT", help="The agent, by name.", show_default="the only one there is"),
]
SessionOption = Annotated[
    str | None,
    typer.Option(
        "--session",
        envvar="PRIVITY_SESSION",
        help="An opened session, by its name.",
        show_default="the last one opened",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print data and errors only.")]
TextArgument = Annotated[str, typer.Argument(help="The text, or - to read it from stdin.")]
LifetimeOption = Annotated[str | None, typer.Option("--lifetime", help="How long it holds: 90m, 12h, 30d.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Go ahead without asking.")]


def given_text(text: str, *, where: str) -> str:
    """Return the text of an argument, read from stdin where it is `-`.

    Raises:
        InputError: stdin holds too much, or no UTF-8.
    """
    if text != STDIN:
        return text
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(f"stdin holds more than {MOST_BYTES} bytes", where=where, remedy="split it into several")
    try:
        return content.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"stdin is no UTF-8 at byte {error.start}", where=where, remedy="send UTF-8") from None


def parse_lifetime(text: str | None, *, where: str) -> timedelta | None:
    """Return the lifetime that `90m`, `12h` or `30d` means; `None` is for good.

    Raises:
        InputError: the text is none of these.
    """
    if text is None:
        return None
    found = LIFETIME.fullmatch(text)
    if found is None:
        raise InputError(f"`{text[:20]}` is no lifetime", where=where, remedy="write it like 90m, 12h or 30d")
    return int(found[1]) * UNITS[found[2]]


def refuse_undecodable(arguments: list[str]) -> None:
    """Refuse arguments that are no UTF-8.

    Raises:
        InputError: one of them is not.
    """
    for number, argument in enumerate(arguments, start=1):
        if not argument.isascii() and any("\ud800" <= letter <= "\udfff" for letter in argument):
            raise InputError("it is no valid UTF-8", where=f"argument {number}", remedy="send UTF-8")
