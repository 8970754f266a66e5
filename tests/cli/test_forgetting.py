"""Forgetting at the keyboard: a look before, what went after, and no text left in the home, whatever interrupts."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Final, cast

import pytest

from privity.cli.work import memory, setup
from privity.cli.work.homes import Place
from privity.host.options import Mode
from privity.ops.findings import Severity
from privity.wiring import init_home
from privity.wiring import open as open_home
from privity.wiring.checkup import inspect_storage
from tests.cli.running import Keyboard, keyboard

SECRET: Final = "xylophonist"
STEPS: Final = ("tombstoned", "dropping", "dropped", "removing", "removed", "cleared")
SCRIPT: Final = """
    import os, signal, sys
    from pathlib import Path
    from privity.backends.sqlite.artifacts import SqliteArtifacts
    from privity.backends.sqlite.index import SqliteIndex
    from privity.backends.sqlite.revisions import SqliteRevisions
    from privity.wiring import open as open_home

    def dying(face, name, before, after):
        inner = getattr(face, name)

        def call(*arguments):
            if before == sys.argv[2]:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = inner(*arguments)
            if after == sys.argv[2]:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        setattr(face, name, call)

    host = open_home(Path(sys.argv[1]))
    agent, event = host.add_agent("robin"), host.vouch("ada", "hello")
    with agent.session(event).run(event) as run:
        source = run.remember("The xylophonist moves in May.").handle
        run.search("xylophonist")
        run.remember("Buy the xylophonist a present.")
        run.remember_card("Knows a xylophonist.")
        dying(SqliteRevisions, "tombstone", "none", "tombstoned")
        dying(SqliteIndex, "apply", "dropping", "dropped")
        dying(SqliteArtifacts, "remove", "removing", "removed")
        dying(SqliteRevisions, "clear_leftovers", "none", "cleared")
        run.forget(source)
"""


def files_with(home: Path, text: str) -> list[str]:
    """Return the files of a home that hold a text, logs and free pages included."""
    found = [path for path in sorted(home.rglob("*")) if path.is_file() and text.encode() in path.read_bytes()]
    return [path.name for path in found]


def shown_then_kept(shell: Keyboard) -> tuple[str, str]:
    """Remember a note, look at it and remember another; return both handles."""
    place = Place(home=shell.home, agent=None, session=None)
    source = memory.remember(place, f"The {SECRET} moves in May.", None)
    memory.search(place, SECRET, 6)
    derived = memory.remember(place, f"Buy the {SECRET} a present.", None)
    return cast("str", source.fields["handle"]), cast("str", derived.fields["handle"])


@pytest.mark.proves("lifecycle:delete:symmetric", "lifecycle:delete:recoverable")
def test_no_file_of_a_home_holds_what_was_forgotten_or_derived_from_it(tmp_path: Path) -> None:
    """Status counts neither as active, and the doctor finds everything as it should be."""
    shell = keyboard(tmp_path)
    source, derived = shown_then_kept(shell)
    before = files_with(shell.home, SECRET)
    code, answer = shell.answer("forget", source, "--yes")
    after = files_with(shell.home, SECRET)
    status = "\n".join(setup.status(Place(home=shell.home, agent=None, session=None)).lines)
    found = {finding.severity for finding in inspect_storage(shell.home)}

    assert len([name for name in before if name.endswith(".md")]) == 2
    assert (code, answer["handle"], answer["descendants"]) == (0, source, [derived])
    assert after == []
    assert "2 tombstoned" in status
    assert "active" not in status
    assert found == {Severity.OK}


@pytest.mark.proves("derive:descendants:denied")
def test_a_person_at_a_terminal_sees_what_goes_before_agreeing(tmp_path: Path) -> None:
    """Said no, nothing is changed; said yes, what went is named again."""
    shell = keyboard(tmp_path)
    source, derived = shown_then_kept(shell)
    content = shell.content()
    refused, first = shell.at_a_terminal("forget", source, typed="n\n")
    kept = {name for name, digest in content.items() if name.endswith(".md") and shell.content()[name] == digest}
    agreed, second = shell.at_a_terminal("forget", source, typed="y\n")

    assert (refused, agreed) == (0, 0)
    assert first.index("with it: 1 derived from it") < first.index(derived) < first.index("Forget it, and whatever")
    assert "nothing was changed" in first
    assert len(kept) == 2
    assert f"forgotten {source}" in second
    assert second.count(derived) == 2


@pytest.mark.proves("derive:descendants:denied")
def test_a_program_can_look_before_it_forgets(tmp_path: Path) -> None:
    """`--preview` answers what would go and changes nothing."""
    shell = keyboard(tmp_path)
    source, derived = shown_then_kept(shell)
    code, answer = shell.answer("forget", source, "--preview")
    refused, error = shell.answer("forget", source)

    assert (code, answer["handle"], answer["descendants"]) == (0, source, [derived])
    assert (refused, error["ok"]) == (2, False)
    assert len([name for name in files_with(shell.home, SECRET) if name.endswith(".md")]) == 2


@pytest.mark.crash
@pytest.mark.proves("case:CRASH-01", "lifecycle:delete:recoverable", "lifecycle:delete:symmetric")
@pytest.mark.parametrize("step", STEPS)
def test_CRASH_01_a_forgetting_that_was_killed_shows_nothing_and_is_finished_at_the_next_start(
    tmp_path: Path, step: str
) -> None:
    """From the tombstone on nobody is shown it; opening the home is enough for its text to be gone."""
    home = tmp_path / "home"
    init_home(home, Mode.DEVELOPMENT)
    process = subprocess.run(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-B", "-c", textwrap.dedent(SCRIPT), str(home), step],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    left = files_with(home, SECRET)
    problems = {finding.text.split(":")[0] for finding in inspect_storage(home) if finding.severity is Severity.PROBLEM}
    with open_home(home) as host:
        event = host.vouch("ada", "hello again")
        opened = [name for name in files_with(home, SECRET) if not name.startswith("index.db")]
        with host.agent("robin").session(event).run(event) as run:
            found, card = run.search(SECRET), run.bootstrap().entries

    assert process.returncode == -signal.SIGKILL
    assert bool(left) == (step != "cleared")
    assert problems == (set() if step == "cleared" else {"forgotten-file"})
    assert opened == []
    assert (found, card) == ((), ())
    assert files_with(home, SECRET) == []
    assert {finding.severity for finding in inspect_storage(home)} == {Severity.OK}
