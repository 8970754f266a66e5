"""The tree of commands. `routes.py` says what each needs; one without a route does not start."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from privity import __version__
from privity.cli.commands import chats, memory, people, setup, showing, trail
from privity.cli.routes import ROUTES

HELP: Final = """The memory of an agent that several people talk to. It decides who each memory may reach before anything is searched.

Exit codes: 0 fine, 1 failure, 2 wrong usage or input, 3 denied or unavailable, 4 something to look at, 5 conflict, 130 interrupted.
"""
GROUPS: Final[Mapping[str, str]] = {
    "agent": "The agents of a home.",
    "identity": "Principals, and what ties senders to them.",
    "room": "Rooms of people you vouch for, and who belongs to them.",
    "grant": "Who may publish to everybody an agent talks to.",
    "session": "Sessions on the command line, of people you vouch for.",
    "card": "The front card: a few lines that every turn begins with.",
    "import": "What other systems kept, into an evaluation home.",
}
COMMANDS: Final[Mapping[str, Callable[..., None]]] = {
    "demo": showing.demo,
    "init": setup.init,
    "status": setup.status,
    "doctor": setup.doctor,
    "config": setup.config,
    "agent add": setup.agent_add,
    "agent list": setup.agent_list,
    "identity add": people.identity_add,
    "identity list": people.identity_list,
    "identity bind": people.identity_bind,
    "identity merge": people.identity_merge,
    "identity revoke": people.identity_revoke,
    "room join": people.room_join,
    "room leave": people.room_leave,
    "room owner": people.room_owner,
    "grant allow": people.grant_allow,
    "grant revoke": people.grant_revoke,
    "grant deny": people.grant_deny,
    "grant lift": people.grant_lift,
    "session open": people.session_open,
    "session list": people.session_list,
    "session close": people.session_close,
    "whoami": people.whoami,
    "search": memory.search,
    "read": memory.read,
    "remember": memory.remember,
    "forget": memory.forget,
    "publish": memory.publish,
    "card show": memory.card_show,
    "card add": memory.card_add,
    "explain": trail.explain,
    "audit": trail.audit,
    "import chat": chats.import_chat,
}


def print_version(wanted: bool) -> None:
    """Print the version, when asked to, and end."""
    if wanted:
        typer.echo(f"privity {__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", help="Print the version and end.", callback=print_version, is_eager=True)
]


def privity(context: typer.Context, version: VersionOption = False) -> None:
    """Take the options that stand before a command; without one, show what there is."""
    del version  # its callback has printed it
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def build(commands: Mapping[str, Callable[..., None]]) -> typer.Typer:
    """Return the tree of `commands`.

    Raises:
        LookupError: a command has no route.
    """
    tree = typer.Typer(
        name="privity", help=HELP, invoke_without_command=True, pretty_exceptions_enable=False, rich_markup_mode=None
    )
    tree.callback()(privity)
    groups = {name: typer.Typer(help=text, rich_markup_mode=None) for name, text in GROUPS.items()}
    for name, command in commands.items():
        _ = ROUTES[name]
        group, _, own_name = name.rpartition(" ")
        (groups[group] if group else tree).command(own_name)(command)
    for name, group_tree in groups.items():
        tree.add_typer(group_tree, name=name)
    return tree


app: Final = build(COMMANDS)
