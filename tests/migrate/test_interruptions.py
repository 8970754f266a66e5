"""An import that is killed anywhere goes on, and nothing is in twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from privity.host.sinks import Outgoing, Sink
from privity.migrate.chat import ChatFormat
from privity.migrate.conversation import Conversation
from privity.model.context import SinkKind
from privity.model.ids import EgressCapabilityId, SinkId
from privity.sdk.errors import ConflictError, DeliveryUnavailableError
from tests.migrate.homes import Theatre, episode, theatre
from tests.migrate.samples import LOCOMO, bent, parsed, written

LOCAL = SinkId("local")


def sink(deliver: Callable[[Outgoing], None]) -> Sink:
    """Return a place for replies."""
    return Sink(
        sink_id=LOCAL,
        capability_id=EgressCapabilityId("test.sink"),
        kind=SinkKind.CHANNEL,
        resolve=lambda _: (),
        deliver=deliver,
    )


def broken(_: Outgoing) -> None:
    """Fail like a sink whose other end is gone."""
    raise ConnectionError


def stop_half_way(there: Theatre, chat: Conversation) -> None:
    """Stop between the event of turn t002 and its note."""
    there.host.sinks.register(sink(broken))
    with pytest.raises(DeliveryUnavailableError):
        there.play(chat)
    there.host.sinks.remove(LOCAL)


@pytest.mark.proves("case:MIG-01", "case:CRASH-01")
def test_a_turn_whose_event_is_in_gets_its_note_and_no_second_event(tmp_path: Path) -> None:
    """Between event and note is the one place inside a turn where it can stop."""
    with theatre(tmp_path / "home") as there:
        stop_half_way(there, episode(tmp_path))
        assert there.counts() == (2, 1)

    with theatre(tmp_path / "home") as there:
        assert there.play(episode(tmp_path)) == (1, 4)
        assert there.counts() == (4, 4)
        assert there.texts("ada", "noted") == ["[2026-03-03T08:01] Hub (agent): Noted."]


@pytest.mark.proves("case:MIG-01")
def test_a_cell_that_others_wrote_into_meanwhile_is_not_guessed_at(tmp_path: Path) -> None:
    """Then nobody can tell what of the turn is in, and the import says so."""
    with theatre(tmp_path / "home") as there:
        stop_half_way(there, episode(tmp_path))
        with there.turn("ada") as run:
            run.remember("Meanwhile.")
            run.remember("And again.")

        with pytest.raises(ConflictError, match="changed since the import was interrupted"):
            there.play(episode(tmp_path))


@pytest.mark.proves("case:MIG-01")
def test_a_journal_that_lags_behind_is_made_up_for(tmp_path: Path) -> None:
    """Lines that were lost with the power stand for turns that are in, as the cell's counts tell."""
    chat = episode(tmp_path)
    with theatre(tmp_path / "home") as there:
        there.play(chat, until="t003")
    (journal,) = (tmp_path / "home" / "imports").iterdir()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:10])

    with theatre(tmp_path / "home") as there:
        assert there.play(chat) == (3, 4)
        assert there.counts() == (4, 4)
        assert there.texts("ada", "code") == []


@pytest.mark.proves("case:MIG-01", "case:DEL-02")
def test_a_deletion_that_was_cut_short_is_made_up_for(tmp_path: Path) -> None:
    """A turn that is in may have left something to forget; what is forgotten already is left alone."""
    chat = episode(tmp_path)
    with theatre(tmp_path / "home") as there:
        there.play(chat)
    (journal,) = (tmp_path / "home" / "imports").iterdir()
    kept = [line for line in journal.read_bytes().splitlines(keepends=True) if b"forgot" not in line]
    journal.write_bytes(b"".join(kept))

    with theatre(tmp_path / "home") as there:
        assert there.play(chat) == (4, 4)
        assert there.texts("ada", "code") == []


@pytest.mark.proves("case:MIG-01")
def test_a_note_whose_handle_was_lost_is_not_forgotten_by_guess(tmp_path: Path) -> None:
    """Where the line of a note was lost and a later turn takes it back, the import says what to do."""
    chat = episode(tmp_path)
    with theatre(tmp_path / "home") as there:
        there.play(chat, until="t001")
    (journal,) = (tmp_path / "home" / "imports").iterdir()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]))

    with theatre(tmp_path / "home") as there, pytest.raises(ConflictError, match="fresh evaluation home"):
        there.play(chat)


@pytest.mark.crash
@pytest.mark.timeout(60)
@pytest.mark.proves("case:MIG-01", "case:CRASH-01")
def test_a_killed_process_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    """SIGKILL at three places of a long import, then the rest: every turn is in once."""
    chat = long_chat(tmp_path)
    home = tmp_path / "home"
    with theatre(home):
        pass
    for turns in (5, 20, 40):
        kill_after(home, chat, turns)

    (conversation,) = parsed(chat, ChatFormat.LOCOMO)
    with theatre(home) as there:
        _, now = there.play(conversation)
        assert now == len(conversation.turns)
        assert there.counts() == (now, now)


@pytest.mark.crash
@pytest.mark.timeout(60)
@pytest.mark.proves("case:MIG-01")
def test_an_interrupted_import_says_so_and_goes_on(tmp_path: Path) -> None:
    """Ctrl-C ends it with its own exit code, and the next import plays the rest."""
    chat, home = long_chat(tmp_path), tmp_path / "home"
    with theatre(home):
        pass
    with importing(home, chat) as process:
        wait_for(process, home, 3)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()

    assert process.returncode == 130
    assert b"it goes on where it stopped" in told
    (conversation,) = parsed(chat, ChatFormat.LOCOMO)
    with theatre(home) as there:
        before, now = there.play(conversation)
        assert 3 <= before < now
        assert there.counts() == (now, now)


def long_chat(folder: Path) -> Path:
    """Write a conversation long enough to be interrupted."""
    turns = [{"speaker": "Ada", "dia_id": f"D2:{number}", "text": f"Turn {number}."} for number in range(300)]
    return written(folder, "chats.json", [bent(LOCOMO, ("conversation", "session_2"), turns)])


def importing(home: Path, chat: Path) -> subprocess.Popen[bytes]:
    """Import in a process of its own.

    A suite that runs in the background has its interrupts ignored, and would hand that down.
    """
    command = [sys.executable, "-m", "privity.cli", "import", "chat", str(chat), "--format", "locomo"]
    environment = {**os.environ, "PRIVITY_HOME": str(home)}
    return subprocess.Popen(  # noqa: S603
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - it sets one signal and takes no lock
    )


def heed_interrupts() -> None:
    """Let SIGINT do again what it does in a foreground process."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(process: subprocess.Popen[bytes], home: Path, turns: int) -> None:
    """Wait until so many turns are in."""
    while process.poll() is None and done(home) < turns:
        time.sleep(0.01)


def kill_after(home: Path, chat: Path, turns: int) -> None:
    """Import in a process of its own and kill it once so many turns are in."""
    with importing(home, chat) as process:
        wait_for(process, home, turns)
        process.send_signal(signal.SIGKILL)


def done(home: Path) -> int:
    """Return how many turns the journal says are in."""
    journals = list((home / "imports").glob("*.jsonl"))
    if not journals:
        return 0
    lines = journals[0].read_bytes().splitlines()[:-1]
    return sum(1 for line in lines if "turn" in json.loads(line))
