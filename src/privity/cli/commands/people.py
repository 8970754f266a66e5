"""Principals, rooms, rights and sessions."""
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
    parse_lifetime,
)
from privity.cli.output import Style, respond
from privity.model.operations import Operation
from privity.sdk.errors import InputError

WhoArgument = Annotated[str, typer.Argument(help="A person, by the local adapter's name or by id.")]
RoomArgument = Annotated[str, typer.Argument(help="A room, by the local adapter's name.")]
CapabilityOption = Annotated[Operation, typer.Option("--capability", help="What is granted.")]
DeniedOption = Annotated[Operation, typer.Option("--capability", help="What is denied.")]
SomebodyArgument = Annotated[
    str | None, typer.Argument(help="A person, by the local adapter's name or by id.", show_default="")
]
EverybodyOption = Annotated[bool, typer.Option("--everybody", help="Everybody, instead of one principal.")]


def identity_add(
    name: Annotated[str, typer.Argument(help="What the local adapter knows the person by.")],
    service: Annotated[bool, typer.Option("--service", help="Add a service that acts for itself.")] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Add a person whom you vouch for, or a service."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.add_identity(place, name, service=service))


def identity_list(home: HomeOption = None, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List every principal with its bindings."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.list_identities(place))


def identity_bind(
    who: WhoArgument,
    adapter: Annotated[str, typer.Option("--adapter", help="The adapter that verifies the sender.")],
    account: Annotated[str, typer.Option("--account", help="Its account.")],
    sender: Annotated[str, typer.Option("--sender", help="The provider's stable identifier of the sender.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Tie a sender of an account to a person."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    style = Style(as_json=as_json, quiet=quiet)
    respond(style, lambda: people.bind_identity(place, who, adapter, account, sender))


def identity_merge(
    who: WhoArgument,
    into: Annotated[str, typer.Option("--into", help="Whom the person turns out to be.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it stands in the audit.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Make two principals one person, for a stated reason."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.merge_identities(place, who, into, reason))


def identity_revoke(
    who: Annotated[str, typer.Argument(help="A person or service, or the id of a binding.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Revoke a principal, or one binding: nothing acts on it any more once this returns."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.revoke_identity(place, who))


def room_join(
    room: RoomArgument,
    who: Annotated[list[str], typer.Argument(help="Who belongs to it from now on.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """State that people belong to a room, made if it is new."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.join_room(place, room, who))


def room_leave(
    room: RoomArgument,
    who: WhoArgument,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """End somebody's membership of a room."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.leave_room(place, room, who))


def room_owner(
    room: RoomArgument,
    who: WhoArgument,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Name who owns a room and writes its front card."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.own_room(place, room, who))


def grant_allow(
    who: WhoArgument,
    capability: CapabilityOption = Operation.PUBLISH,
    lifetime: LifetimeOption = None,
    home: HomeOption = None,
    agent: AgentOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Grant a capability over what an agent shares with everybody."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=agent, session=None)
    style = Style(as_json=as_json, quiet=quiet)
    respond(style, lambda: people.allow(place, who, capability, parse_lifetime(lifetime, where="--lifetime")))


def grant_revoke(
    who: WhoArgument,
    capability: CapabilityOption = Operation.PUBLISH,
    home: HomeOption = None,
    agent: AgentOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Take a granted capability back."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=agent, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: people.revoke(place, who, capability))


def grant_deny(
    who: SomebodyArgument = None,
    everybody: EverybodyOption = False,
    capability: DeniedOption = Operation.READ,
    lifetime: LifetimeOption = None,
    home: HomeOption = None,
    agent: AgentOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Deny a capability over what an agent shares; it outweighs whatever is granted."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=agent, session=None)
    style = Style(as_json=as_json, quiet=quiet)
    respond(
        style,
        lambda: people.deny(
            place, whom(who, everybody=everybody), capability, parse_lifetime(lifetime, where="--lifetime")
        ),
    )


def grant_lift(
    who: SomebodyArgument = None,
    everybody: EverybodyOption = False,
    capability: DeniedOption = Operation.READ,
    home: HomeOption = None,
    agent: AgentOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Take a denial back."""
    from privity.cli.work import homes, people

    place = homes.Place(home=home, agent=agent, session=None)
    style = Style(as_json=as_json, quiet=quiet)
    respond(style, lambda: people.lift(place, whom(who, everybody=everybody), capability))


def whom(who: str | None, *, everybody: bool) -> str | None:
    """Return who is named, `None` for everybody; one of the two has to be said.

    Raises:
        InputError: both are, or neither.
    """
    if (who is None) is not everybody:
        raise InputError("names nobody or too many", where="WHO", remedy="name one, or say --everybody")
    return who


def session_open(
    local: Annotated[str, typer.Option("--local", help="Who is at the keyboard, on your word.")],
    room: Annotated[str | None, typer.Option("--room", help="The room; without it a direct message.")] = None,
    home: HomeOption = None,
    agent: AgentOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Open a session for a person you vouch for. A production home refuses it."""
    from privity.cli.work import homes, sessions

    place = homes.Place(home=home, agent=agent, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: sessions.open_session(place, local, room))


def session_list(home: HomeOption = None, as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the sessions that are open; the star marks the one that counts."""
    from privity.cli.work import homes, sessions

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: sessions.list_sessions(place))


def session_close(
    name: Annotated[str | None, typer.Argument(help="The session.", show_default="the one that counts")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Close a session: the caller is administrative again."""
    from privity.cli.work import homes, sessions

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: sessions.close_session(place, name))


def whoami(
    home: HomeOption = None, session: SessionOption = None, as_json: JsonOption = False, quiet: QuietOption = False
) -> None:
    """Show whose view a command has."""
    from privity.cli.work import homes, sessions

    place = homes.Place(home=home, agent=None, session=session)
    respond(Style(as_json=as_json, quiet=quiet), lambda: sessions.whoami(place))
