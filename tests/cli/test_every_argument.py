"""Whatever is typed for whichever argument of whichever command: a documented exit code, and never a traceback."""

import io
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from privity.cli import entry
from privity.cli.app import app
from privity.cli.exits import ExitCode
from privity.cli.work import memory
from privity.cli.work.homes import Place
from tests.cli.running import Keyboard, keyboard

HOSTILE: Final = (
    "",
    " ",
    "*",
    "-1",
    "0",
    "nan",
    "٣",
    "3:1",
    "9" * 30,
    "9" * 5_000,
    "x" * 300_000,
    "é" * 200,
    "a\nb",
    "\x1b[31m",
    "\u202e",
    "a\udc80",
    "~nobody-of-this-name/x",
    "../../etc/passwd",
    "/dev/null",
    "'; DROP TABLE x;--",
    "%s%n",
    "--",
    "--json",
    "usr_x",
    "bnd_x",
)
FITTING: Final[Mapping[str, str]] = {"who": "ada", "into": "ada", "local": "ada", "chat_format": "gatemem"}
"""What stands for the arguments that are not the hostile one, where any word will not do."""

UNTRIED: Final = frozenset({"demo"})
"""It takes no argument, and plays for a while."""

ON_RECORD: Final = frozenset({"card add"})
"""How much a whole card may hold only the memory knows. By then a turn has begun, and that is on record."""

Words = tuple[str, ...]


def commands(group: TyperGroup, above: Words = ()) -> Iterator[tuple[Words, TyperCommand]]:
    """Yield every command with the words that name it."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*above, name))
        elif isinstance(command, TyperCommand) and name not in UNTRIED:
            yield (*above, name), command


def tree() -> TyperGroup:
    """Return the tree of commands."""
    made = typer.main.get_command(app)
    assert isinstance(made, TyperGroup)
    return made


EVERY: Final = {" ".join(words): command for words, command in commands(tree())}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Keyboard:
    """Return a home with ada at the keyboard and one note in her store."""
    shell = keyboard(tmp_path_factory.mktemp("typed"))
    memory.remember(Place(home=shell.home, agent=None, session=None), "The code of the door is 4711.", None)
    return shell


@pytest.fixture
def shell(template: Keyboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keyboard:
    """Return a shell with a copy of that home, in an empty folder, with nothing on stdin."""
    shutil.copytree(template.home, tmp_path / "home")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    monkeypatch.setenv("PRIVITY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    return Keyboard(home=tmp_path / "home")


def typed(words: str, command: TyperCommand, bent: str, value: str) -> list[str]:
    """Return a command line in which one parameter has a hostile value and the others have fitting ones."""
    options, arguments = list[str](), list[str]()
    for parameter in command.params:
        name = str(parameter.name)
        given = value if name == bent else FITTING.get(name, "x")
        if isinstance(parameter, TyperOption) and (parameter.required or name == bent):
            options += [f"{parameter.opts[0]}={given}"]
        if isinstance(parameter, TyperOption) and name == "yes":
            options += ["--yes"]
        if isinstance(parameter, TyperArgument) and (parameter.required or name == bent):
            arguments.append(given)
    return [*words.split(), *options, "--", *arguments]


def bendable(command: TyperCommand) -> list[str]:
    """Return the names of the parameters that take a value."""
    return [str(one.name) for one in command.params if not getattr(one, "is_flag", False)]


@pytest.mark.timeout(240)
@pytest.mark.proves("case:WRITE-14", "case:API-17")
@pytest.mark.parametrize("words", EVERY)
def test_whatever_is_typed_ends_as_documented(shell: Keyboard, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says what was wrong, no control character reaches the terminal, and wrong usage changes nothing."""
    command = EVERY[words]
    for bent in bendable(command):
        for value in HOSTILE:
            line, before = typed(words, command, bent, value), kept(shell)
            code = ended(line)
            told = capsys.readouterr()

            assert code in set(ExitCode), (line, told.err)
            assert "\x1b" not in told.err + told.out, line
            assert "Traceback" not in told.err, line
            if code == ExitCode.USAGE:
                assert told.err.startswith("privity: "), line
                assert words in ON_RECORD or kept(shell) == before, line


def kept(shell: Keyboard) -> Mapping[str, str]:
    """Return a digest of every file of the home but the one that says how late it was."""
    return {path: digest for path, digest in shell.content().items() if path != "host/clock"}


def ended(line: list[str]) -> int:
    """Run a command line as the process would, and return its exit code."""
    try:
        return entry.run(line)
    except SystemExit as exit_:
        return int(exit_.code or 0)


@pytest.mark.timeout(90)
@pytest.mark.proves("case:API-17", "operation:home:modes")
def test_a_folder_that_is_no_home_is_left_alone(shell: Keyboard, tmp_path: Path) -> None:
    """No command takes it for one: no mode is mended in it, and nobody is told who they are there."""
    other = tmp_path / "other"
    other.mkdir(mode=0o755)
    (other / "privity.toml").write_text("mine")
    (other / "privity.toml").chmod(0o644)
    for line in (
        ["doctor", "--fix"],
        ["doctor", "--rejoin"],
        ["config"],
        ["status"],
        ["whoami"],
        ["session", "list"],
        ["session", "close"],
        ["search", "code"],
    ):
        ran = shell.run(*line, "--home", str(other))
        assert (ran.code, ran.printed) == (2, ("! privity: home: is no home; make one with `privity init`",)), line

    assert [path.name for path in other.iterdir()] == ["privity.toml"]
    assert (other.stat().st_mode & 0o777, (other / "privity.toml").stat().st_mode & 0o777) == (0o755, 0o644)


@pytest.mark.proves("case:API-17")
@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("PRIVITY_HOME", ["status"]),
        ("PRIVITY_HOME", ["search", "code"]),
        ("PRIVITY_AGENT", ["grant", "allow", "ada"]),
        ("PRIVITY_SESSION", ["whoami"]),
        ("PRIVITY_SESSION", ["search", "code"]),
    ],
)
def test_the_environment_is_read_as_strictly(
    shell: Keyboard, name: str, line: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands there for an option is refused like what is typed for it."""
    before = kept(shell)
    for value in ("*", "9" * 5_000, "a\nb", "\x1b[31m", "~nobody-of-this-name", "/dev/null"):
        monkeypatch.setenv(name, value)
        code, told = ended(line), capsys.readouterr()

        assert (code, told.out, told.err.startswith("privity: ")) == (ExitCode.USAGE, "", True), (value, told)
        assert "\x1b" not in told.err

    assert kept(shell) == before


@pytest.mark.timeout(90)
@pytest.mark.proves("case:API-17")
@pytest.mark.parametrize("words", EVERY)
def test_a_misspelt_command_line_is_refused(shell: Keyboard, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that nobody knows, a value too many, an option without its value: one line, and nothing changed."""
    before = kept(shell)
    for line in (
        [*words.split(), "--hom", "x"],
        [*words.split(), "--home"],
        [*words.split(), "-x"],
        [*words.split(), "--json=maybe"],
        f"{words}s".split(),
        ["--hom", *words.split()],
    ):
        assert ended(line) == ExitCode.USAGE, line
        told = capsys.readouterr()
        assert (told.out, told.err.startswith("privity: "), told.err.count("\n")) == ("", True, 1), (line, told)

    assert kept(shell) == before
