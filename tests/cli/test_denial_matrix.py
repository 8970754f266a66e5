"""Every command that reaches content, asked by whoever may not: one code, one sentence, and nothing of what is kept."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Final, cast

import pytest

from privity.cli.entry import run
from privity.cli.routes import ROUTES, RouteClass
from tests.cli.running import keyboard
from tests.migrate.samples import EVEROS, written

CANARY: Final = "zanzibar"
UNAVAILABLE: Final = "privity: memory unavailable\n"
UNAVAILABLE_JSON: Final = {"type": "DeniedError", "message": "memory unavailable"}
NOT_OPEN: Final = "is no open session"
ADMINISTRATIVE: Final = "an administrator sees nobody's memory"
NOT_IMPORTED_HERE: Final = "imported chat has no provable subject"
DENIED: Final = (3, "")
"""A denial, of which nothing but the one sentence is said."""

COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    "card show": (),
    "card add": ("Tea.",),
    "search": ("code",),
    "read": ("HANDLE",),
    "remember": ("Nothing of note.",),
    "forget": ("HANDLE", "--yes"),
    "publish": ("We open at nine.", "--yes", "--quiet"),
    "import chat": ("CHAT", "--format", "everos"),
}
"""What each command is given; the handle is one of Ada's."""

TURNS: Final = tuple(name for name in COMMANDS if name not in {"publish", "import chat"})
"""The commands that are a turn of the session at the keyboard."""

IMPORT: Final = {"import chat": (2, NOT_IMPORTED_HERE)}
"""An import takes no session: the kind of home decides."""

SITUATIONS: Final[Mapping[str, Mapping[str, tuple[int, str]]]] = {
    "left the room": {**dict.fromkeys((*TURNS, "publish"), DENIED), **IMPORT},
    "revoked": {**dict.fromkeys((*TURNS, "publish"), DENIED), **IMPORT},
    "not open": {**dict.fromkeys((*TURNS, "publish"), (2, NOT_OPEN)), **IMPORT},
    "no session": {**dict.fromkeys(TURNS, (2, ADMINISTRATIVE)), **IMPORT},
    "somebody else": {**dict.fromkeys(("read", "forget", "publish"), DENIED), **IMPORT},
}
"""What each situation answers to each command: the code, and what the error says beyond a denial."""

ALLOWED: Final = {
    "no session": {"publish"},
    "somebody else": {"card show", "card add", "search", "remember"},
}
"""The administrator may publish, and whoever has a memory may use it."""

SESSIONS: Final = {"left the room": "bo@launch", "revoked": "cy", "not open": "ada@elsewhere", "somebody else": "bo"}
CASES: Final = [
    pytest.param(situation, command, *answer, id=f"{situation}-{command}")
    for situation, answers in SITUATIONS.items()
    for command, answer in answers.items()
]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A home where Ada keeps something, for herself and in a room, and the handle of one of her notes."""

    home: Path
    handle: str
    chat: Path

    def arguments(self, command: str, session: str | None) -> list[str]:
        """Return a command as it is typed."""
        named = {"HANDLE": self.handle, "CHAT": str(self.chat)}
        given = [named.get(one, one) for one in COMMANDS[command]]
        chosen = [] if session is None or command == "import chat" else ["--session", session]
        return [*command.split(), *given, *chosen, "--home", str(self.home)]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Furnish a home: Bo was in the room and left, Cy is revoked, and no session counts by itself."""
    folder = tmp_path_factory.mktemp("matrix")
    home = keyboard(folder).home
    for name in ("bo", "cy", "dee"):
        done(home, "identity", "add", name)
    for name in ("ada", "bo"):
        done(home, "room", "join", "launch", name)
        done(home, "session", "open", "--local", name, "--room", "launch")
    for name in ("bo", "cy", "dee"):
        done(home, "session", "open", "--local", name)
    done(home, "remember", f"The room's code is {CANARY}.", "--session", "ada@launch")
    done(home, "card", "add", f"I like {CANARY}.", "--session", "ada")
    kept = done(home, "remember", f"My code is {CANARY}.", "--session", "ada")
    done(home, "room", "leave", "launch", "bo")
    done(home, "identity", "revoke", "cy")
    done(home, "session", "close", "dee")
    return Scene(home=home, handle=str(kept["handle"]), chat=written(folder, "solo.json", EVEROS))


def done(home: Path, *arguments: str) -> Mapping[str, object]:
    """Run one command in this process, which succeeds, and return its answer."""
    with redirect_stdout(StringIO()) as said:
        assert run([*arguments, "--json", "--home", str(home)]) == 0, said.getvalue()
    return cast("Mapping[str, object]", json.loads(said.getvalue()))


@pytest.mark.proves("plugin:inventory:every-path", "case:API-05")
def test_every_command_that_reaches_content_stands_in_the_matrix() -> None:
    """A new one fails here until it says what it answers to those who may not."""
    content = {name for name, route in ROUTES.items() if route.route_class is RouteClass.CONTENT}

    assert set(COMMANDS) == content
    assert {name: content - set(answers) for name, answers in SITUATIONS.items() if set(answers) != content} == ALLOWED


@pytest.mark.timeout(120)
@pytest.mark.proves("read:lane:all-the-same", "case:API-05", "case:API-04", "case:SIDE-07")
@pytest.mark.parametrize(("situation", "command", "code", "beyond"), CASES)
def test_who_may_not_gets_the_same_bytes_at_every_command(
    scene: Scene, capsys: pytest.CaptureFixture[str], situation: str, command: str, code: int, beyond: str
) -> None:
    """A denial is one sentence, to the byte; any other refusal is about the command, and shows nothing kept."""
    arguments = scene.arguments(command, SESSIONS.get(situation))
    before = notes(scene.home)
    ended, plain = run(arguments), capsys.readouterr()
    ended_again, as_json = run([*arguments, "--json"]), capsys.readouterr()
    error = json.loads(as_json.out)["error"]

    assert (ended, ended_again, plain.out, as_json.err) == (code, code, "", "")
    assert CANARY not in plain.err + as_json.out
    assert beyond in plain.err
    if not beyond:
        assert (plain.err, error) == (UNAVAILABLE, UNAVAILABLE_JSON)
    assert notes(scene.home) == before


@pytest.mark.timeout(120)
@pytest.mark.proves("read:isolation:two-people", "case:API-05")
@pytest.mark.parametrize(("command", "answer"), [("search", "nothing found\n"), ("card show", "the card is empty\n")])
def test_somebody_elses_own_session_finds_an_empty_memory(
    scene: Scene, capsys: pytest.CaptureFixture[str], command: str, answer: str
) -> None:
    """Bo in private has a memory, and nothing of Ada's or of the room that he left is in it."""
    ended, said = run(scene.arguments(command, "bo")), capsys.readouterr()

    assert (ended, said.out, said.err) == (0, answer, "")


@pytest.mark.timeout(120)
@pytest.mark.proves("case:API-05")
@pytest.mark.parametrize("command", ["card show", "search", "read"])
def test_whose_memory_it_is_gets_it_by_the_same_command(
    scene: Scene, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """The matrix denies something that is there."""
    ended, said = run([*scene.arguments(command, "ada"), "--json"]), capsys.readouterr()
    answer = cast("Mapping[str, object]", json.loads(said.out))

    assert ended == 0
    assert CANARY in json.dumps(answer)


def notes(home: Path) -> Mapping[Path, str]:
    """Return the digests of the files that hold text of memory."""
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in home.rglob("*.md")}
