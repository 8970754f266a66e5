"""search, read, remember, forget, publish and the front card."""
# ruff: noqa: PLC0415 - what a command needs is imported when it runs, so that `--help` is quick

from typing import Annotated

import typer

from privity.cli.arguments import (
    AgentOption,
    HomeOption,
    JsonOption,
    LifetimeOption,
    QuietOption,
    SessionOption,
    TextArgument,
    YesOption,
    given_text,
    parse_lifetime,
)
from privity.cli.output import Style, respond

HandleArgument = Annotated[str, typer.Argument(help="A handle that `search` printed in this session.")]


def search(
    query: Annotated[str, typer.Argument(help="What to look for, or - to read it from stdin.")],
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most so many passages, 1 to 50.")] = 6,
    home: HomeOption = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search what this session may be shown, best first."""
    from privity.cli.work import homes, memory

    place = homes.Place(home=home, agent=None, session=session)
    style = Style(as_json=as_json, quiet=quiet)
    respond(style, lambda: memory.search(place, given_text(query, where="query"), limit))


def read(
    handle: HandleArgument,
    lines: Annotated[str | None, typer.Option("--lines", help="Some lines only, like 3, 3:8 or 3:.")] = None,
    home: HomeOption = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Read one note by its handle."""
    from privity.cli.work import homes, memory

    place = homes.Place(home=home, agent=None, session=session)
    style = Style(as_json=as_json, quiet=quiet)
    respond(style, lambda: memory.read(place, handle, memory.parse_range(lines)))


def remember(
    text: TextArgument,
    lifetime: LifetimeOption = None,
    home: HomeOption = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Remember a note where this session remembers: its own store."""
    from privity.cli.work import homes, memory

    place = homes.Place(home=home, agent=None, session=session)
    style = Style(as_json=as_json, quiet=quiet)
    respond(
        style,
        lambda: memory.remember(place, given_text(text, where="text"), parse_lifetime(lifetime, where="--lifetime")),
    )


def forget(
    handle: HandleArgument,
    preview: Annotated[bool, typer.Option("--preview", help="Only show what would go, and change nothing.")] = False,
    yes: YesOption = False,
    home: HomeOption = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Forget a note and whatever was derived from it, after a preview: denied at once, and the text removed."""
    from privity.cli.work import homes, memory

    place = homes.Place(home=home, agent=None, session=session)
    style = Style(as_json=as_json, quiet=quiet)
    if preview:
        respond(style, lambda: memory.preview_forget(place, handle))
    respond(style, lambda: memory.forget(place, handle, style, yes=yes))


def publish(
    text: TextArgument,
    anonymous_safe: Annotated[bool, typer.Option("--anonymous-safe", help="Also where nobody is known.")] = False,
    yes: YesOption = False,
    home: HomeOption = None,
    agent: AgentOption = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Publish text to everybody an agent talks to, after a preview."""
    from privity.cli.work import homes, memory
    from privity.model.resources import Anonymity

    place = homes.Place(home=home, agent=agent, session=session)
    style = Style(as_json=as_json, quiet=quiet)
    anonymity = Anonymity.ANONYMOUS_SAFE if anonymous_safe else Anonymity.IDENTIFIED_ONLY
    respond(style, lambda: memory.publish(place, given_text(text, where="text"), anonymity, style, yes=yes))


def card_show(
    home: HomeOption = None, session: SessionOption = None, as_json: JsonOption = False, quiet: QuietOption = False
) -> None:
    """Show the front card of this session."""
    from privity.cli.work import homes, memory

    place = homes.Place(home=home, agent=None, session=session)
    respond(Style(as_json=as_json, quiet=quiet), lambda: memory.card(place))


def card_add(
    text: TextArgument,
    home: HomeOption = None,
    session: SessionOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add an entry to the front card of this session."""
    from privity.cli.work import homes, memory

    place = homes.Place(home=home, agent=None, session=session)
    style = Style(as_json=as_json, quiet=quiet)
    respond(style, lambda: memory.add_to_card(place, given_text(text, where="text")))
