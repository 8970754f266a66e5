"""Running the command line in a process of its own, and what a home holds before and after."""

import hashlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from privity.cli.work import people, sessions, setup
from privity.cli.work.homes import Place
from privity.host.options import Mode
from tests.scenarios.transcript import Ran, run_privity

Object = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyboard:
    """An operator's shell with a home."""

    home: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """What the process is started with."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PRIVITY_", "CI"))}
        return {**kept, "PRIVITY_HOME": str(self.home), "HOME": str(self.home.parent), "COLUMNS": "200"}

    def run(self, *arguments: str, stdin: str = "") -> Ran:
        """Run one command."""
        return run_privity(list(arguments), self.environment, stdin=stdin)

    def done(self, *arguments: str, stdin: str = "") -> None:
        """Run one command that succeeds."""
        ran = self.run(*arguments, stdin=stdin)
        assert ran.code == 0, ran.printed

    def answer(self, *arguments: str, stdin: str = "") -> tuple[int, Object]:
        """Run one command with `--json`; return its code and the one object on stdout."""
        ran = self.run(*arguments, "--json", stdin=stdin)
        (line,) = (one for one in ran.printed if not one.startswith("! "))
        return ran.code, cast("Object", json.loads(line))

    def at_a_terminal(self, *arguments: str, typed: str) -> tuple[int, str]:
        """Run one command at a terminal; return its code and everything shown there."""
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "privity.cli", *arguments]
        with subprocess.Popen(  # noqa: S603 # the command line of this project
            command, env={**self.environment, "TERM": "xterm"}, stdin=theirs, stdout=theirs, stderr=theirs
        ) as process:
            os.close(theirs)
            os.write(ours, typed.encode())
            shown = b"".join(iter(lambda: read_some(ours), b""))
        os.close(ours)
        return process.returncode, shown.decode()

    def content(self) -> Mapping[str, str]:
        """Return a digest of every file that content or rules are kept in."""
        return {
            path.relative_to(self.home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.home.rglob("*"))
            if path.is_file()
        }


def read_some(terminal: int) -> bytes:
    """Return what is shown next, nothing once the other end is closed."""
    try:
        return os.read(terminal, 4_096)
    except OSError:
        return b""


def keyboard(folder: Path) -> Keyboard:
    """Return a shell with a development home, an agent, and ada at the keyboard."""
    shell = Keyboard(home=folder / "home")
    place = Place(home=shell.home, agent=None, session=None)
    setup.init(place, Mode.DEVELOPMENT)
    setup.add_agent(place, "robin")
    people.add_identity(place, "ada", service=False)
    sessions.open_session(place, "ada", None)
    return shell
