"""The part of the reference of the command line that is made from the commands themselves.

`python -m tests.docs.commands` rewrites it; what stands above the mark is written by hand.
"""

from collections.abc import Iterator
from typing import Final

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from privity.cli.app import app
from tests.docs.pages import REFERENCE, text_of

PAGE: Final = REFERENCE / "cli.md"
MARK: Final = "## Every command\n"

Command = TyperCommand | TyperGroup
Found = tuple[str, TyperCommand]


def leaves() -> tuple[Found, ...]:
    """Return every command with the words that an operator types for it."""
    return tuple(below(typer.main.get_command(app), ()))


def below(command: object, words: tuple[str, ...]) -> Iterator[Found]:
    """Yield the commands of a group, or the command itself."""
    match command:
        case TyperGroup():
            for name, inner in command.commands.items():
                yield from below(inner, (*words, name))
        case TyperCommand():
            yield " ".join(words), command
        case _:
            raise TypeError(type(command).__name__)


def rendered() -> str:
    """Return what is made from the commands."""
    return MARK + "".join(section(words, command) for words, command in leaves())


def section(words: str, command: TyperCommand) -> str:
    """Return the section of one command."""
    said = " ".join((command.help or "").split())
    rows = "".join(row(parameter) for parameter in command.params)
    listed = f"\n| | |\n|---|---|\n{rows}" if rows else ""
    return f"\n### privity {words}\n\n{said}\n{listed}"


def row(parameter: object) -> str:
    """Return the row of one argument or option."""
    name = ", ".join(f"`{spelling}`" for spelling in spellings(parameter))
    said = str(getattr(parameter, "help", "") or "").replace("|", "\\|")
    return f"| {name} | {said}{hints(parameter)} |\n"


def spellings(parameter: object) -> list[str]:
    """Return how an argument or option is written."""
    if isinstance(parameter, TyperArgument):
        return [(parameter.name or "").upper()]
    return [*getattr(parameter, "opts", ()), *getattr(parameter, "secondary_opts", ())]


def hints(parameter: object) -> str:
    """Return what else an operator needs to know: the variable, the default, that it is required."""
    variable, shown = getattr(parameter, "envvar", None), getattr(parameter, "show_default", None)
    required = getattr(parameter, "required", False) and not isinstance(parameter, TyperArgument)
    parts = (
        f"`{variable}`" if variable else "",
        f"default: {shown}" if isinstance(shown, str) else "",
        "required" if required else "",
    )
    joined = "; ".join(part for part in parts if part)
    return f" ({joined})" if joined else ""


if __name__ == "__main__":
    by_hand, _, _ = text_of(PAGE).partition(MARK)
    PAGE.write_text(by_hand + rendered(), encoding="utf-8")
