"""The home itself: making it, its agents, its settings and its health."""
# ruff: noqa: PLC0415 - what a command needs is imported when it runs, so that `--help` is quick

from typing import Annotated

import typer

from privity.cli.arguments import HomeOption, JsonOption, QuietOption
from privity.cli.output import Style, respond


def init(
    evaluation: Annotated[bool, typer.Option("--evaluation", help="For published data. It stays one.")] = False,
    production: Annotated[bool, typer.Option("--production", help="Take nobody's word for a sender.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make a home: one folder that holds everything."""
    from privity.cli.work import homes, setup
    from privity.host.options import Mode

    if evaluation and production:
        raise typer.BadParameter("a home is for evaluation or for production, not both")
    mode = Mode.EVALUATION if evaluation else Mode.PRODUCTION if production else Mode.DEVELOPMENT
    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: setup.init(place, mode))


def agent_add(
    name: Annotated[str, typer.Argument(help="What you call it.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add an agent: a cell of memory of its own."""
    from privity.cli.work import homes, setup

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: setup.add_agent(place, name))


def agent_list(home: HomeOption = None, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the agents."""
    from privity.cli.work import homes, setup

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: setup.list_agents(place))


def status(home: HomeOption = None, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Show a home at a glance: its mode, its agents, and numbers."""
    from privity.cli.work import homes, setup

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: setup.status(place))


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended: modes of files and folders.")] = False,
    rejoin: Annotated[
        bool, typer.Option("--rejoin", help="Let a host or a vault that was put back from a copy serve again.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Look for what is wrong with a home, and say what to do about it."""
    from privity.cli.work import homes, setup

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: setup.doctor(place, fix=fix, rejoin=rejoin))


def config(home: HomeOption = None, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Show each setting with its origin."""
    from privity.cli.work import homes, setup

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: setup.config(place))
