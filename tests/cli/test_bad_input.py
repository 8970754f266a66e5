"""What bad input gets at this door: a clear error, its exit code, and a home in which nothing changed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import apsw
import pytest

from privity.cli.work import memory
from privity.cli.work.homes import Place
from privity.wiring import open as open_home
from tests.cli.running import Keyboard, keyboard
from tests.scenarios.transcript import Ran

FULL: Final = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["privity", *sys.argv[2:]]
from privity.cli import main
main()
"""
READ_ONLY: Final = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


@pytest.fixture
def ada(tmp_path: Path) -> Keyboard:
    """Return a shell with ada at the keyboard, and one note in her store."""
    shell = keyboard(tmp_path)
    memory.remember(Place(home=shell.home, agent=None, session=None), "The code of the door is 4711.", None)
    return shell


def refused(shell: Keyboard, code: int, words: str, run: Callable[[], Ran]) -> None:
    """See a command refused with these words and this code, and nothing of the home changed."""
    before = shell.content()
    ran = run()

    assert ran.code == code, ran.printed
    assert set(shell.content().items()) ^ set(before.items()) == set(), ran.printed
    assert len(ran.printed) == 1
    assert words in ran.printed[0]


@pytest.mark.timeout(60)
@pytest.mark.proves("case:WRITE-14", "case:API-17")
def test_text_that_no_store_can_hold_exactly_is_refused(ada: Keyboard) -> None:
    """NUL, no UTF-8, nothing at all, and far too much of it."""
    for command in (["remember", "-"], ["publish", "-", "--yes"], ["card", "add", "-"], ["search", "-"]):
        refused(ada, 2, "holds a NUL character", lambda words=command: ada.run(*words, stdin="a\0b"))
    refused(ada, 2, "is empty", lambda: ada.run("remember", "-", stdin=" \n"))
    refused(ada, 2, "no UTF-8 at byte 1", lambda: raw(ada, ["remember", "-"], b"a\xff"))
    refused(ada, 2, "more than 1048576 bytes", lambda: raw(ada, ["search", "-"], b"a" * 10_000_000))


@pytest.mark.timeout(60)
@pytest.mark.proves("case:WRITE-14", "case:API-17")
def test_arguments_that_are_no_text_are_refused(ada: Keyboard) -> None:
    """Bytes that are no UTF-8, ten thousand words to look for, and a note that is too long."""
    refused(ada, 2, "argument 2: it is no valid UTF-8", lambda: raw(ada, ["remember", b"a\xff"], b""))
    refused(ada, 2, "query: is too long", lambda: ada.run("search", "word " * 10_000))
    refused(ada, 2, "text: is too long", lambda: ada.run("remember", "-", stdin="a" * 300_000))


@pytest.mark.timeout(60)
@pytest.mark.proves("case:API-17")
def test_limits_that_are_none_are_refused(ada: Keyboard) -> None:
    """Nothing, less than nothing, and more than anybody reads."""
    for limit in ("-1", "51", "99999999999999999999"):
        refused(ada, 2, "limit: is out of range", lambda most=limit: ada.run("search", "code", "--limit", most))


@pytest.mark.timeout(60)
@pytest.mark.proves("case:ID-22", "case:READ-02")
def test_somebody_unknown_gets_no_session(ada: Keyboard) -> None:
    """Neither an unknown name nor a wildcard nor a blank opens one, and no name is bound twice."""
    for name in ("eve", "*", ""):
        refused(ada, 2, "names nobody", lambda who=name: ada.run("session", "open", "--local", who))
    refused(ada, 5, "somebody has this name already", lambda: ada.run("identity", "add", "ada"))


@pytest.mark.timeout(60)
@pytest.mark.proves("case:ID-16")
def test_a_sender_is_bound_once(ada: Keyboard) -> None:
    """A second binding of the same sender is a conflict, and changes nothing."""
    binding = ["identity", "bind", "ada", "--adapter", "local", "--account", "local", "--sender", "ada"]

    refused(ada, 5, "bound already", lambda: ada.run(*binding))


@pytest.mark.timeout(60)
@pytest.mark.proves("session:credential:local", "identity:strength:vouched")
def test_a_production_home_takes_nobodys_word(tmp_path: Path) -> None:
    """No session opens on the operator's word there."""
    shell = Keyboard(home=tmp_path / "home")
    shell.done("init", "--production")
    shell.done("agent", "add", "robin")

    refused(shell, 2, "takes nobody's word", lambda: shell.run("session", "open", "--local", "ada"))


@pytest.mark.timeout(60)
@pytest.mark.proves("plugin:contract:fails-closed")
def test_a_home_of_a_newer_version_is_left_alone(ada: Keyboard) -> None:
    """It is refused by version, and not touched."""
    for database in ada.home.rglob("*.db"):
        connection = apsw.Connection(str(database))
        connection.execute("PRAGMA user_version = 999")  # pyright: ignore[reportUnknownMemberType]
        connection.close()

    refused(ada, 3, "version 999", lambda: ada.run("search", "code"))
    code, answer = ada.answer("doctor")
    assert code == 4
    assert "version 999" in str(answer["findings"])


@pytest.mark.timeout(60)
@pytest.mark.proves("case:IDX-02")
def test_a_home_in_use_is_left_to_its_owner(ada: Keyboard) -> None:
    """Another process is told so; when the owner is gone, the lock is gone too."""
    with open_home(ada.home, environ={}):
        ran = ada.run("search", "code")
        code, answer = ada.answer("doctor")

    assert (ran.code, "another process owns" in ran.printed[-1]) == (3, True)
    assert (code, "another process owns" in str(answer["findings"])) == (0, True)
    ada.done("search", "code")


@pytest.mark.timeout(90)
@pytest.mark.proves("case:CRASH-02", "case:IDX-05")
def test_a_full_disk_is_an_error_and_loses_nothing(ada: Keyboard) -> None:
    """Whichever write fails first, what was there is there, and the note is in whole or not at all."""
    for most in (0, 4_096, 40_000, 200_000):
        ran = on_a_full_disk(ada, most, ["remember", "x" * 100_000])
        assert ran.code in {0, 3}, ran.printed
        _, answer = ada.answer("search", "code")
        (passage,) = listed(answer["passages"])
        assert passage["text"] == "The code of the door is 4711."


@pytest.mark.timeout(60)
@pytest.mark.proves("case:CRASH-02")
def test_a_read_only_disk_is_an_error(ada: Keyboard) -> None:
    """Nothing can be recorded there, so that nothing is shown either."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("mounting a folder read-only needs root and unshare")
    refused(ada, 3, "", lambda: read_only(ada, ["remember", "Hello."]))
    refused(ada, 3, "", lambda: read_only(ada, ["search", "code"]))


def listed(value: object) -> Sequence[dict[str, object]]:
    """Return a list of objects as one."""
    assert isinstance(value, list)
    return value  # type: ignore[return-value] # the answer's own shape


def raw(shell: Keyboard, arguments: Sequence[str | bytes], stdin: bytes) -> Ran:
    """Run a command with bytes that are no text."""
    return ended(shell, [sys.executable, "-m", "privity.cli", *arguments], stdin)


def on_a_full_disk(shell: Keyboard, most: int, arguments: Sequence[str]) -> Ran:
    """Run a command in which no file grows beyond so many bytes, those of a measurement of it included."""
    return ended(shell, [sys.executable, "-c", FULL, str(most), *arguments], b"", unmeasured=True)


def read_only(shell: Keyboard, arguments: Sequence[str]) -> Ran:
    """Run a command on a home that is mounted read-only, or skip where that cannot be done."""
    command = ["unshare", "--mount", "sh", "-c", READ_ONLY, str(shell.home)]
    ran = ended(shell, [*command, sys.executable, "-m", "privity.cli", *arguments], b"")
    if any("mount" in line and "privity" not in line for line in ran.printed):
        pytest.skip(f"no folder can be mounted read-only here: {ran.printed[0]}")
    return ran


def ended(shell: Keyboard, command: Sequence[str | bytes], stdin: bytes, *, unmeasured: bool = False) -> Ran:
    """Return what a process printed and how it ended."""
    measuring = "COVERAGE_" if unmeasured else "\0"
    environment = {name: value for name, value in shell.environment.items() if not name.startswith(measuring)}
    process = subprocess.run(  # noqa: S603 # our own
        command, input=stdin, capture_output=True, check=False, env=environment, timeout=60
    )
    lines = [*process.stdout.decode().splitlines(), *process.stderr.decode().splitlines()]
    return Ran(printed=tuple(filter(None, lines)), code=process.returncode)
