"""The edges of single commands that the transcripts do not reach."""

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from privity.cli import entry
from privity.cli.arguments import parse_lifetime
from privity.cli.output import Style
from privity.cli.work import chats, memory, trail
from privity.cli.work.homes import Place, home_path
from privity.host.records import HostAuditRecord
from privity.migrate.chat import ChatFormat
from privity.model.resources import Anonymity
from privity.ops.trail import following, latest
from privity.sdk.errors import InputError
from privity.sdk.plugin import LineRange
from privity.wiring import open as open_home
from tests.cli.running import keyboard
from tests.migrate.homes import theatre
from tests.migrate.samples import GATEMEM, written_lines


@pytest.mark.proves("case:API-17")
def test_arguments_that_are_no_text_are_refused_in_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    """The one object on stdout says so."""
    assert entry.run(["search", "a\udcff", "--json"]) == 2

    assert '"ok": false' in capsys.readouterr().out


@pytest.mark.proves("case:API-17")
def test_the_version_is_printed_without_a_home(capsys: pytest.CaptureFixture[str]) -> None:
    """It is eager: nothing else is looked at."""
    assert entry.run(["--version", "search"]) == 0

    assert capsys.readouterr().out.startswith("privity ")


@pytest.mark.proves("case:WRITE-14")
def test_any_text_can_be_printed_whatever_the_locale_says() -> None:
    """A terminal that claims ASCII gets UTF-8."""
    stream = TextIOWrapper(BytesIO(), encoding="ascii")
    entry.speak_unicode(stream)
    stream.write("用户 \ud800")
    stream.flush()

    assert stream.buffer.getvalue() == "用户 \\ud800".encode()


@pytest.mark.proves("case:API-17")
@pytest.mark.parametrize(
    ("text", "lines"),
    [("3", LineRange(first=3, last=3)), ("3:", LineRange(first=3, last=None)), ("3:8", LineRange(first=3, last=8))],
)
def test_lines_are_written_like_this(text: str, lines: LineRange) -> None:
    """One line, from a line on, from a line to another."""
    assert memory.parse_range(text) == lines
    assert memory.parse_range(None) is None


@pytest.mark.proves("case:API-17")
@pytest.mark.parametrize("text", ["", "d", "0d", "-1d", "1w", "1.5h", "100000d"])
def test_what_is_no_lifetime_is_refused(text: str) -> None:
    """A number of minutes, hours or days, at least one."""
    with pytest.raises(InputError, match="is no lifetime"):
        parse_lifetime(text, where="--lifetime")


@pytest.mark.proves("operation:single-machine")
def test_the_home_is_the_data_folder_of_the_login_unless_named() -> None:
    """A home can be anywhere; without a name there is one place for it."""
    assert home_path(Place(home=None, agent=None, session=None)).name == "privity"
    assert home_path(Place(home=Path("~/here"), agent=None, session=None)) == Path.home() / "here"


@pytest.mark.proves("derive:inherits-set")
def test_a_derived_note_says_so(tmp_path: Path) -> None:
    """After a search in the session, what is remembered inherits what was shown, and `remember` says it."""
    place = Place(home=keyboard(tmp_path).home, agent=None, session=None)
    assert memory.remember(place, "The code is 4711.", None).fields["derived"] is False
    memory.search(place, "code", 6)

    answer = memory.remember(place, "Ada has the code.", None)

    assert answer.fields["derived"] is True
    assert answer.lines[0].endswith("It inherits what this session was shown before.")


@pytest.mark.proves("audit:trail:scoped")
def test_the_latest_rows_come_first_and_over_many_pages(tmp_path: Path) -> None:
    """The newest row is the first of the answer; rows after one of them come oldest first."""
    with theatre(tmp_path / "home") as there:
        for number in range(1_100):
            there.host.operator().conversations.add("local", "local", f"room {number}")
        people = [there.host.operator().identities.add_service(f"service {number}") for number in range(3)]
        rows = latest(there.host, 4)
        onwards = following(there.host, rows[-1].sequence, 2)

    acts = [row.record.act for row in rows if isinstance(row.record, HostAuditRecord)]
    assert acts == ["principal-added"] * 3 + ["agent-added"]
    assert [row.record.target_ids for row in reversed(rows[:3])] == [(person,) for person in people]
    assert [row.sequence for row in onwards] == [rows[2].sequence, rows[1].sequence]


@pytest.mark.proves("case:MIG-01")
def test_one_conversation_of_a_file_can_be_imported_alone(tmp_path: Path) -> None:
    """By its id; an id that is none, and a file without any, are refused."""
    file = written_lines(tmp_path, "episodes.jsonl", [GATEMEM])
    with theatre(tmp_path / "home"):
        pass
    place = Place(home=tmp_path / "home", agent=None, session=None)
    style = Style(as_json=False, quiet=True)

    def wanted(name: str | None, path: Path = file) -> chats.Wanted:
        return chats.Wanted(file=path, chat_format=ChatFormat.GATEMEM, rooms=None, only=name, until=None)

    assert chats.import_chat(place, wanted("e1"), style).fields["turns"] == 4
    with pytest.raises(InputError, match="names no conversation"):
        chats.import_chat(place, wanted("e9"), style)
    with pytest.raises(InputError, match="holds no conversation"):
        chats.import_chat(place, wanted(None, written_lines(tmp_path, "none.jsonl", [])), style)


@pytest.mark.proves("audit:explain:why", "audit:explain:reveals-nothing")
def test_an_allowed_decision_is_explained_without_what_it_was_about(tmp_path: Path) -> None:
    """Kinds, rules and revisions; no text, no path and no name."""
    place = Place(home=keyboard(tmp_path).home, agent=None, session=None)
    memory.remember(place, "The xylophone is mine.", None)
    with open_home(place.home or "", environ={}) as host:
        written = latest(host, 1)[0].record
    assert not isinstance(written, HostAuditRecord)

    answer = trail.explain(place, written.decision_id)

    assert answer.fields["outcome"] == "allowed"
    assert answer.fields["store_kinds"] == ["user"]
    assert not any("xylophone" in line or "notes/" in line for line in answer.lines)


@pytest.mark.proves("share:publish:capability")
def test_nobody_publishes_without_being_asked_unless_told_to(tmp_path: Path) -> None:
    """A program says `--yes`, or is refused."""
    place = Place(home=keyboard(tmp_path).home, agent=None, session=None)

    with pytest.raises(InputError, match="nobody is there to confirm it"):
        memory.publish(place, "Hi.", Anonymity.IDENTIFIED_ONLY, Style(as_json=True, quiet=False), yes=False)


@pytest.mark.proves("operation:single-machine")
def test_a_prompt_that_is_left_ends_as_interrupted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """End of input at a question is no answer."""
    place = Place(home=keyboard(tmp_path).home, agent=None, session=None)
    handle = str(memory.remember(place, "Tea at four.", None).fields["handle"])
    terminal = TextIOWrapper(BytesIO(b""))
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stdin", terminal)

    assert entry.run(["forget", handle, "--home", str(place.home)]) == 130
