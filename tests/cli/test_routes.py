"""The explicit list of commands is the live one, and a command without a class does not start."""

from collections.abc import Iterator

import pytest
import typer

from privity.cli.app import COMMANDS, app, build
from privity.cli.routes import ROUTES, RouteClass
from privity.model.operations import Operation


def live_commands(tree: typer.Typer, before: str = "") -> Iterator[str]:
    """Yield the commands of a tree as they are typed."""
    yield from (f"{before}{command.name}" for command in tree.registered_commands)
    for group in tree.registered_groups:
        if group.typer_instance is not None:
            yield from live_commands(group.typer_instance, f"{group.name} ")


def unlisted() -> None:
    """Do what nobody gave a class."""


@pytest.mark.proves("plugin:inventory:every-path", "case:API-05")
def test_the_live_commands_are_the_listed_ones() -> None:
    """No command is missing from the list, and none is only there."""
    assert sorted(live_commands(app)) == sorted(ROUTES)


@pytest.mark.proves("plugin:inventory:every-path", "case:API-05")
def test_a_command_without_a_class_does_not_start() -> None:
    """The tree is not built around a command that nobody classed."""
    with pytest.raises(KeyError, match="unlisted"):
        build({**COMMANDS, "unlisted": unlisted})


@pytest.mark.proves("plugin:inventory:every-path", "read:lane:operator")
def test_what_reaches_content_names_the_capability_it_needs() -> None:
    """Each command that reaches content does so by a capability; what is open touches no home."""
    content = {name: route for name, route in ROUTES.items() if route.route_class is RouteClass.CONTENT}

    assert all(route.capability is not None for route in content.values())
    assert {route.capability for route in content.values()} >= {Operation.READ, Operation.APPEND, Operation.DELETE}
    assert [name for name, route in ROUTES.items() if route.route_class is RouteClass.OPEN] == ["demo"]


@pytest.mark.proves("case:ID-01", "share:no-direct-grants", "case:SHARE-08")
def test_no_content_command_takes_an_identity_a_store_or_an_audience() -> None:
    """What a turn may touch comes from the session; no option of such a command names it."""
    named = {
        (name, parameter)
        for name, route in ROUTES.items()
        if route.route_class is RouteClass.CONTENT
        for parameter in COMMANDS[name].__annotations__
    }

    assert not {
        pair for pair in named if pair[1] in {"who", "store", "owner", "audience", "principal", "local", "room"}
    }
