"""The reference of the command line is the command line's own."""

import pytest

from privity.cli.exits import ExitCode
from privity.cli.routes import ROUTES
from tests.docs import commands
from tests.docs.pages import rows, text_of

pytestmark = pytest.mark.proves("read:lane:operator")


def test_the_part_made_from_the_commands_is_up_to_date() -> None:
    """`python -m tests.docs.commands` has been run since a command changed."""
    _, mark, made = text_of(commands.PAGE).partition(commands.MARK)

    assert mark + made == commands.rendered()


def test_every_command_is_listed_with_its_class_and_the_capability_it_needs() -> None:
    """The table of commands is the table of routes."""
    listed = {row[0]: row[1:3] for row in rows(commands.PAGE) if len(row) == 4 and row[0].startswith("`privity ")}
    needed = {
        f"`privity {words}`": (route.route_class.value, f"`{route.capability}`" if route.capability else "none")
        for words, route in ROUTES.items()
    }

    assert listed == needed
    assert {words for words, _ in commands.leaves()} == ROUTES.keys()


def test_every_exit_code_is_in_the_reference() -> None:
    """Scripts rely on the table."""
    listed = {row[0] for row in rows(commands.PAGE) if len(row) == 2 and row[0].isdigit()}

    assert listed == {str(int(code)) for code in ExitCode}
