"""The requirements, the inventory, the gates, the tests and the stated isolation level agree."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from privity.ops.isolation import SUPPORTED, claim_line
from tests.requirements.gates import list_gates
from tests.requirements.inventory import (
    DOCUMENTS,
    SPECIFICATION_VARIABLE,
    find_drift,
    find_specification,
    list_labels,
    load_inventory,
    named_by,
)
from tests.requirements.levels import LADDER, level_of_states
from tests.requirements.model import DIRECTORY, Requirement, State, load_requirements
from tests.requirements.scan import TestFunction, list_tests
from tests.requirements.sentences import digest, list_sentences

TESTS: Final = DIRECTORY.parent
ROOT: Final = TESTS.parent
REQUIREMENTS: Final = load_requirements()
CASE_AREA: Final = "case"


def built_without_test(requirements: Sequence[Requirement], tests: Sequence[TestFunction]) -> list[str]:
    """Return the requirements that are claimed as built although no test names them."""
    named = {one for test in tests for one in test.proves}
    built = (one.requirement_id for one in requirements if one.state is State.BUILT)
    return sorted(one for one in built if one not in named)


def nameless_tests(tests: Sequence[TestFunction]) -> list[str]:
    """Return the tests of the product that name no requirement."""
    return [test.place for test in tests if test.owes_a_requirement and not test.proves]


def specification() -> Path:
    """Return the directory of the specification, or skip the test that needs it."""
    directory = find_specification()
    if directory is None:
        pytest.skip(f"the specification is not part of the project: set {SPECIFICATION_VARIABLE} to its directory")
    return directory


def test_every_requirement_that_is_not_planned_has_a_test() -> None:
    """A claim of being built stands on a test."""
    assert built_without_test(list(REQUIREMENTS.values()), list_tests(TESTS)) == []


def test_every_test_names_a_requirement() -> None:
    """A test that proves nothing of the specification says so by failing here."""
    assert nameless_tests(list_tests(TESTS)) == []


def test_every_named_requirement_exists() -> None:
    """No test names an id that the requirements do not have."""
    named = {one for test in list_tests(TESTS) for one in test.proves}

    assert named - REQUIREMENTS.keys() == set()


def test_the_inventory_names_only_requirements_that_exist() -> None:
    """A sentence leads to requirements of this project."""
    assert {one for one, _ in named_by(load_inventory())} - REQUIREMENTS.keys() == set()


def test_every_requirement_comes_from_a_sentence_or_a_case() -> None:
    """Nothing is required that nobody asked for."""
    named = {one for one, _ in named_by(load_inventory())}
    rest = [one for one in REQUIREMENTS.values() if one.requirement_id not in named]

    assert [one.requirement_id for one in rest if one.area != CASE_AREA] == []


def test_the_sources_of_a_requirement_are_where_the_inventory_names_it() -> None:
    """The two directions of the inventory say the same."""
    sources: dict[str, set[str]] = {
        one.requirement_id: {f"{CASE_AREA}/{one.requirement_id.partition(':')[2]}"} if one.area == CASE_AREA else set()
        for one in REQUIREMENTS.values()
    }
    for requirement_id, label in named_by(load_inventory()):
        sources[requirement_id].add(label)

    assert {one: set(REQUIREMENTS[one].source) for one in sources} == sources


def test_every_gate_is_claimed() -> None:
    """Each exit gate, completion criterion and step of the end-to-end proof is somebody's."""
    assert {gate for one in REQUIREMENTS.values() for gate in one.gates} == list_gates()


def test_every_requirement_says_one_thing_in_one_place() -> None:
    """A requirement is one sentence, holds somewhere and is said once."""
    texts = [one.text for one in REQUIREMENTS.values()]

    assert [text for text in texts if not text.endswith(".") or ". " in text] == []
    assert len(set(texts)) == len(texts)
    assert [one.requirement_id for one in REQUIREMENTS.values() if not one.surfaces] == []


@pytest.mark.proves("isolation:claim:not-before-proof")
def test_the_stated_isolation_level_is_not_above_the_evidence() -> None:
    """The level that the package states is at most what the states of the requirements support."""
    assert LADDER.index(SUPPORTED) <= LADDER.index(level_of_states(REQUIREMENTS))


@pytest.mark.proves("isolation:claim:not-before-proof")
@pytest.mark.parametrize("name", ["README.md", "SECURITY.md"])
def test_a_document_states_the_isolation_level(name: str) -> None:
    """The generated line stands in the document, word for word."""
    document = ROOT / name

    assert document.is_file(), f"{name} is missing; it must contain: {claim_line()}"
    assert claim_line() in document.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_inventory_covers_the_specification(document: str) -> None:
    """Each sentence is listed and each listed sentence is still there."""
    drift = find_drift(document, specification(), load_inventory())

    assert (drift.unlisted, drift.vanished) == ((), ())


def test_no_requirement_copies_the_specification() -> None:
    """Requirements are in this project's own words."""
    directory = specification()
    hashes = {digest(text) for path in DOCUMENTS.values() for text in list_sentences(directory / path)}

    assert [one.requirement_id for one in REQUIREMENTS.values() if digest(one.text) in hashes] == []


def test_every_source_is_a_place_of_the_specification() -> None:
    """A source label is one that the inventory uses, or a case."""
    labels = list_labels(load_inventory())
    sources = {label for one in REQUIREMENTS.values() for label in one.source}

    assert {label for label in sources - labels if not label.startswith(f"{CASE_AREA}/")} == set()


@pytest.mark.parametrize(
    ("requirements", "tests", "expected"),
    [
        pytest.param([State.BUILT], [()], ["read:one"], id="built and unnamed"),
        pytest.param([State.BUILT], [("read:one",)], [], id="built and named"),
        pytest.param([State.PLANNED], [()], [], id="planned and unnamed"),
    ],
)
def test_a_built_requirement_without_a_test_is_found(
    requirements: list[State], tests: list[tuple[str, ...]], expected: list[str]
) -> None:
    """The rule above can fail."""
    planted = [
        Requirement(
            requirement_id="read:one",
            text="One.",
            source=(),
            stage=REQUIREMENTS["read:pipeline:order"].stage,
            surfaces=(),
            state=state,
            gaps=(),
            gates=(),
        )
        for state in requirements
    ]
    named = [TestFunction(place="test_x.py::test_x", proves=proves) for proves in tests]

    assert built_without_test(planted, named) == expected
    assert nameless_tests(named) == [test.place for test in named if not test.proves]
