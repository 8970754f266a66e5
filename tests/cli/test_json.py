"""Every command has `--json`: one object on stdout, nothing beside it, and an exit code that agrees."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, cast

import pytest

from privity.cli.entry import run
from privity.cli.routes import ROUTES
from tests.migrate.samples import EVEROS, written

Object = Mapping[str, object]
Ask = Callable[..., tuple[int, Object]]

SETUP: Final = (
    ("init", "--evaluation"),
    ("agent", "add", "robin"),
    ("identity", "add", "ada"),
    ("identity", "add", "bo"),
    ("identity", "add", "cy"),
    ("room", "join", "launch", "ada"),
    ("session", "open", "--local", "ada"),
)


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return the act of running a command in this process, with a home that is set up."""

    def asking(*arguments: str) -> tuple[int, Object]:
        code = run([*arguments, "--json", "--home", str(tmp_path / "home")])
        printed = capsys.readouterr()
        (line,) = printed.out.splitlines()
        assert printed.err == ""
        return code, cast("Object", json.loads(line))

    for arguments in SETUP:
        assert asking(*arguments)[0] == 0
    return asking


@pytest.mark.proves("plugin:inventory:every-path")
def test_every_command_answers_with_one_object(ask: Ask, tmp_path: Path) -> None:
    """Each command of the list, the demo left to its own test, succeeds with `ok` and a version."""
    chat = written(tmp_path, "solo.json", EVEROS)
    asked = {"demo", "init", *(" ".join(arguments[:2]) for arguments in SETUP[1:])}
    _, remembered = ask("remember", "The code is 4711.")
    handle = str(remembered["handle"])
    _, trail = ask("audit")
    decision = next(str(one["decision_id"]) for one in objects(trail["entries"]) if one.get("decision_id"))
    commands = (
        ("status",),
        ("doctor", "--fix"),
        ("config",),
        ("agent", "list"),
        ("identity", "list"),
        ("identity", "bind", "bo", "--adapter", "local", "--account", "local", "--sender", "bo-2"),
        ("identity", "merge", "cy", "--into", "bo", "--reason", "one person"),
        ("identity", "revoke", "bo"),
        ("room", "owner", "launch", "ada"),
        ("room", "leave", "launch", "ada"),
        ("grant", "allow", "ada", "--lifetime", "2d"),
        ("publish", "We open at nine.", "--yes"),
        ("grant", "revoke", "ada"),
        ("grant", "deny", "--everybody"),
        ("grant", "lift", "--everybody"),
        ("whoami",),
        ("search", "code"),
        ("read", handle),
        ("card", "add", "Tea."),
        ("card", "show"),
        ("forget", handle, "--yes"),
        ("explain", decision),
        ("session", "list"),
        ("import", "chat", str(chat), "--format", "everos"),
        ("session", "close"),
    )
    for arguments in commands:
        code, answer = ask(*arguments)
        assert (code, answer["ok"], answer["schema_version"]) == (0, True, 1), arguments
        asked.add(next(name for name in ROUTES if f"{' '.join(arguments)} ".startswith(f"{name} ")))

    assert {*asked, "remember", "audit"} == set(ROUTES)


@pytest.mark.proves("case:API-17", "case:SIDE-07")
@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (("search",), 2, "UsageError"),
        (("search", "x", "--limit", "0"), 2, "InputError"),
        (("read", "r1_made-up"), 3, "DeniedError"),
        (("agent", "add", "robin"), 5, "ConflictError"),
        (("explain", "dec_made-up"), 2, "InputError"),
        (("forget", "r1_made-up"), 3, "DeniedError"),
        (("init",), 2, "InputError"),
    ],
)
def test_a_failure_is_one_object_too(ask: Ask, arguments: tuple[str, ...], code: int, kind: str) -> None:
    """It says what kind of failure and what about it, and the exit code agrees."""
    ended, answer = ask(*arguments)

    error = cast("Object", answer["error"])
    assert (ended, answer["ok"], error["type"]) == (code, False, kind)
    assert error["message"]


@pytest.mark.proves("case:SIDE-07", "case:API-04")
def test_a_foreign_and_an_absent_handle_get_the_same_bytes(ask: Ask) -> None:
    """Whoever asks by a handle learns nothing from the answer."""
    _, remembered = ask("remember", "The code is 4711.")
    assert ask("session", "open", "--local", "bo")[0] == 0

    assert ask("read", str(remembered["handle"])) == ask("read", "r1_made-up")


@pytest.mark.proves("audit:no-content", "case:GOV-11", "proof:step-7")
def test_the_audit_has_no_text_and_no_query(ask: Ask) -> None:
    """Who, what, why and when; and looking at it is the newest row of the next look."""
    ask("remember", "The xylophone is Ada's.")
    ask("search", "xylophone")

    _, first = ask("audit", "--limit", "1000")
    _, second = ask("audit", "--limit", "1")

    assert "xylophone" not in json.dumps(first)
    assert [one.get("act") for one in objects(second["entries"])] == ["audit-seen"]
    _, onwards = ask("audit", "--after", "0", "--limit", "2")
    assert [one["sequence"] for one in objects(onwards["entries"])] == [1, 2]


def objects(value: object) -> list[Object]:
    """Return a list of objects as one."""
    return cast("list[Object]", value)
