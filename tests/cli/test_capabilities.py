"""The capability that the list of routes names is the one that the command asks the engine for."""

import json
from pathlib import Path

import pytest

from privity.cli.entry import run
from privity.cli.routes import ROUTES, RouteClass
from privity.model.audit import AuditKind, AuditRecord
from privity.model.operations import Operation
from privity.wiring import open as open_home
from tests.migrate.samples import EVEROS, written

SETUP = (
    ("init", "--evaluation"),
    ("agent", "add", "robin"),
    ("identity", "add", "ada"),
    ("session", "open", "--local", "ada"),
    ("grant", "allow", "ada"),
)
ASKING = {AuditKind.ACCESS, AuditKind.WRITE}


def asked_for(home: Path, after: int) -> tuple[int, set[Operation]]:
    """Return the last row of the audit, and every operation that the engine performed after an earlier one."""
    with open_home(home) as host:
        host.drain()
        entries = host.audit(1_000, after=after)
    rows = [entry.record for entry in entries]
    operations = {row.operation for row in rows if isinstance(row, AuditRecord) and row.kind in ASKING}
    return entries[-1].sequence, operations


@pytest.mark.timeout(60)
@pytest.mark.proves("plugin:inventory:every-path")
def test_every_content_command_asks_for_the_capability_of_its_route(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The list says what is asked of the policy, and not what the command is called.

    What is written after something was shown is a derivation too, so what writes comes first here.
    """
    home, chat = tmp_path / "home", written(tmp_path, "solo.json", EVEROS)

    def typed(*arguments: str) -> dict[str, object]:
        assert run([*arguments, "--json", "--home", str(home)]) == 0, arguments
        answer: dict[str, object] = json.loads(capsys.readouterr().out)
        return answer

    for arguments in SETUP:
        typed(*arguments)
    handle = str(typed("remember", "The code is 4711.")["handle"])
    commands = {
        "remember": ("remember", "Another one."),
        "card add": ("card", "add", "Tea."),
        "publish": ("publish", "We open at nine.", "--yes"),
        "search": ("search", "code"),
        "read": ("read", handle),
        "card show": ("card", "show"),
        "forget": ("forget", handle, "--yes"),
        "import chat": ("import", "chat", str(chat), "--format", "everos"),
    }
    last, _ = asked_for(home, 0)
    for name, arguments in commands.items():
        typed(*arguments)
        last, operations = asked_for(home, last)
        assert ROUTES[name].capability in operations, (name, operations)

    assert set(commands) == {name for name, route in ROUTES.items() if route.route_class is RouteClass.CONTENT}
