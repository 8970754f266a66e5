"""The parts beneath: splitting, hashing, parsing, scanning, marking and the ladder of levels."""

from pathlib import Path
from typing import Final

import pytest

from privity.ops.isolation import SUPPORTED, IsolationLevel, claim_line
from tests.requirements.__main__ import main
from tests.requirements.inventory import SPECIFICATION_VARIABLE, Unchecked, find_drift, load_inventory
from tests.requirements.ledger import mark_built
from tests.requirements.levels import load_levels, supported_level
from tests.requirements.model import RequirementsError, State, load_requirements
from tests.requirements.scan import list_tests, list_tests_of
from tests.requirements.sentences import digest, list_sentences

ENTRY: Final = '["read:{name}"]\ntext = "One."\nsource = ["decision/1"]\nstage = 1\nsurfaces = ["engine"]\n'


def planted(directory: Path, *names: str) -> Path:
    """Write requirements of the area `read` and return their file."""
    file = directory / "read.toml"
    file.write_text("# A comment.\n\n" + "\n".join(ENTRY.replace("{name}", name) for name in names))
    return file


def test_prose_is_cut_at_sentence_ends(tmp_path: Path) -> None:
    """Abbreviations, file names and quoted questions inside a sentence do not end it."""
    document = tmp_path / "page.txt"
    document.write_text('• One, e.g. a.md here. Two asks "why?" with care. lower `three`.\n\n1. Four! Five\n')

    assert list_sentences(document) == (
        "One, e.g. a.md here.",
        'Two asks "why?" with care.',
        "lower `three`.",
        "Four!",
        "Five",
    )


def test_tables_declarations_and_diagrams_stay_whole(tmp_path: Path) -> None:
    """A row, a type with its closer and a diagram with blank lines are one sentence each."""
    document = tmp_path / "page.txt"
    document.write_text("A. B.\tC. D.\ntype X = {\n  a: 1;\n};\nflowchart LR\n  A --> B\n\n  B --> C\nEnd\n")

    assert list_sentences(document) == ("A. B. C. D.", "type X = { a: 1; };", "flowchart LR A --> B B --> C", "End")


def test_wrapped_markdown_is_joined(tmp_path: Path) -> None:
    """Headings and list items begin a sentence, and a wrapped line continues one."""
    document = tmp_path / "page.md"
    document.write_text("# Title\nIntro goes\non here.\n1. First item\n   goes on. Second.\n")

    assert list_sentences(document) == ("# Title", "Intro goes on here.", "First item goes on.", "Second.")


def test_a_hash_ignores_white_space_only() -> None:
    """Line breaks do not change a sentence's name, and a changed letter does."""
    assert digest("a  b\nc") == digest(" a b c ")
    assert digest("a b c") != digest("a b C")
    assert len(digest("a")) == len("0123456789abcdef")


@pytest.mark.parametrize(
    "broken",
    [
        '["write:one"]\ntext = "One."\n',
        '["read:one"]\ntext = "One."\n',
        ENTRY.replace("{name}", "one") + 'owner = "me"\n',
        ENTRY.replace("{name}", "one").replace("engine", "moon"),
        ENTRY.replace("{name}", "one").replace("stage = 1", "stage = 9"),
        ENTRY.replace("{name}", "one") + 'state = "done"\n',
    ],
    ids=["area", "missing", "unknown", "surface", "stage", "state"],
)
def test_a_malformed_requirement_is_refused(tmp_path: Path, broken: str) -> None:
    """Nothing is guessed: a wrong file, field, surface, stage or state is an error."""
    (tmp_path / "read.toml").write_text(broken)

    with pytest.raises(RequirementsError):
        load_requirements(tmp_path)


def test_marking_changes_one_state_and_nothing_else(tmp_path: Path) -> None:
    """Comments, order and the other entries stay, and marking again changes nothing."""
    file = planted(tmp_path, "one", "one:more", "two")
    before = file.read_text()

    assert mark_built(["read:one"], tmp_path) == ("read:one",)
    assert mark_built(["read:one"], tmp_path) == ()
    assert file.read_text() == before.replace('["read:one"]\n', '["read:one"]\nstate = "built"\n')
    assert load_requirements(tmp_path)["read:one"].state is State.BUILT
    assert load_requirements(tmp_path)["read:one:more"].state is State.PLANNED


def test_marking_replaces_a_stated_plan(tmp_path: Path) -> None:
    """An entry that says `planned` says `built` afterwards, once."""
    file = planted(tmp_path, "one", "two")
    file.write_text(file.read_text().replace("stage = 1\n", 'stage = 1\nstate = "planned"\n'))

    mark_built(["read:two"], tmp_path)

    assert {one.requirement_id: one.state for one in load_requirements(tmp_path).values()} == {
        "read:one": State.PLANNED,
        "read:two": State.BUILT,
    }


def test_marking_an_unknown_requirement_changes_nothing(tmp_path: Path) -> None:
    """A typing error is reported before any file is written."""
    file = planted(tmp_path, "one")
    before = file.read_text()

    with pytest.raises(RequirementsError):
        mark_built(["read:one", "read:wrong"], tmp_path)
    assert file.read_text() == before


def test_the_scan_reads_marks_wherever_they_stand() -> None:
    """Module, class, function and parameter marks count, and helpers are no tests."""
    source = (
        'pytestmark = [pytest.mark.long, pytest.mark.proves("m:1")]\n'
        '@pytest.mark.proves("c:1")\nclass TestA:\n'
        '    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.proves("p:1"))])\n'
        "    async def test_one(self, x): pass\n"
        '@proves("f:1", "f:2")\ndef test_two(): pass\n'
        "def helper(): pass\n"
    )

    assert [(test.place, test.proves) for test in list_tests_of("t.py", source)] == [
        ("t.py::TestA::test_one", ("m:1", "c:1", "p:1")),
        ("t.py::test_two", ("m:1", "f:1", "f:2")),
    ]


def test_the_scan_refuses_computed_ids() -> None:
    """An id that cannot be read from the source cannot be checked without running it."""
    with pytest.raises(RequirementsError):
        list_tests_of("t.py", "@pytest.mark.proves(NAME)\ndef test_one(): pass\n")


def test_only_tests_of_the_product_owe_a_requirement(tmp_path: Path) -> None:
    """Requirements and architecture tests may name one, and the others must."""
    for directory in ("requirements", "architecture", "property"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "test_x.py").write_text("def test_x(): pass\n")

    assert {test.place: test.owes_a_requirement for test in list_tests(tmp_path)} == {
        "requirements/test_x.py::test_x": False,
        "architecture/test_x.py::test_x": False,
        "property/test_x.py::test_x": True,
    }


def test_a_level_needs_everything_below_it() -> None:
    """One missing requirement of a level denies it and every level above."""
    levels = load_levels(load_requirements())
    above = levels[IsolationLevel.PROCESS_ADVERSARIAL]
    one_of_cooperative = next(iter(levels[IsolationLevel.COOPERATIVE]))
    one_of_model = next(iter(levels[IsolationLevel.MODEL_ADVERSARIAL] - levels[IsolationLevel.COOPERATIVE]))

    assert supported_level(levels, above.__contains__) is IsolationLevel.PROCESS_ADVERSARIAL
    assert supported_level(levels, (above - {one_of_model}).__contains__) is IsolationLevel.COOPERATIVE
    assert supported_level(levels, (above - {one_of_cooperative}).__contains__) is IsolationLevel.NONE


def test_a_missing_level_or_unknown_requirement_is_refused(tmp_path: Path) -> None:
    """The ladder is whole and names what exists."""
    requirements = load_requirements()
    (tmp_path / "levels.toml").write_text("[none]\nstages = []\nrequirements = []\n")
    with pytest.raises(RequirementsError, match="exactly"):
        load_levels(requirements, tmp_path)

    levels = "".join(f'[{level}]\nstages = []\nrequirements = ["read:wrong"]\n' for level in IsolationLevel)
    (tmp_path / "levels.toml").write_text(levels)
    with pytest.raises(RequirementsError, match="read:wrong"):
        load_levels(requirements, tmp_path)


def test_the_claim_line_names_the_supported_level() -> None:
    """The line that documents carry follows the constant."""
    expected = (
        "Isolation level this version supports: **none** (claimed only once every requirement of a level is proven)."
    )

    assert SUPPORTED is IsolationLevel.NONE
    assert claim_line() == expected


def test_drift_is_found_in_both_directions(tmp_path: Path) -> None:
    """A new sentence and a removed one are both reported, repeated ones by number."""
    (tmp_path / "design").mkdir()
    (tmp_path / "design" / "decisions.md").write_text("New sentence.\n")
    drift = find_drift("decision", tmp_path, load_inventory())

    assert drift.unlisted == (f"{digest('New sentence.')} New sentence.",)
    assert len(drift.vanished) == len([entry for entry in load_inventory() if entry.document == "decision"])


@pytest.mark.parametrize(
    "line",
    ['{"hash": "0", "at": "x"}', '{"hash": "0", "at": "x", "requirements": ["a:b"], "not checkable": "heading"}'],
    ids=["neither", "both"],
)
def test_a_sentence_has_requirements_or_a_reason(tmp_path: Path, line: str) -> None:
    """Silence about a sentence is an error."""
    for document in ("multiplayer", "governance", "decision"):
        (tmp_path / f"{document}.jsonl").write_text(line + "\n")

    with pytest.raises(RequirementsError):
        load_inventory(tmp_path)


def test_every_reason_is_used() -> None:
    """The classes of what cannot be checked are no longer than needed."""
    assert {entry.unchecked for entry in load_inventory()} - {None} == set(Unchecked)


def test_the_command_line_reports(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Summary and level print, and the inventory says what it lacks."""
    monkeypatch.delenv(SPECIFICATION_VARIABLE, raising=False)

    assert main(["summary"]) == 0
    assert main(["level"]) == 0
    assert main(["inventory"]) == len(["usage", "error"])
    printed = capsys.readouterr()
    assert "total" in printed.out
    assert "by state: " in printed.out
    assert SPECIFICATION_VARIABLE in printed.err
