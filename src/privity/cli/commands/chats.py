"""Importing published chats."""
# ruff: noqa: PLC0415 - what a command needs is imported when it runs, so that `--help` is quick

from pathlib import Path
from typing import Annotated

import typer

from privity.cli.arguments import AgentOption, HomeOption, JsonOption, QuietOption
from privity.cli.output import Style, respond
from privity.migrate.formats import ChatFormat


def import_chat(
    file: Annotated[Path, typer.Argument(help="The file.", show_default=False)],
    chat_format: Annotated[ChatFormat, typer.Option("--format", help="What the file is.")],
    rooms: Annotated[Path | None, typer.Option("--rooms", help="GateMem: a rooms file, or a folder of them.")] = None,
    only: Annotated[str | None, typer.Option("--only", help="One conversation of the file, by its id.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Stop after this turn; a later import goes on.")] = None,
    home: HomeOption = None,
    agent: AgentOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Import a published chat into an evaluation home. It goes on where it was interrupted."""
    from privity.cli.work import chats, homes

    place = homes.Place(home=home, agent=agent, session=None)
    style = Style(as_json=as_json, quiet=quiet)
    wanted = chats.Wanted(file=file, chat_format=chat_format, rooms=rooms, only=only, until=until)
    respond(style, lambda: chats.import_chat(place, wanted, style))
