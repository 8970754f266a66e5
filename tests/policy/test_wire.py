"""The wire codec: every value of the contract makes the round trip exactly, and near misses are refused."""

import json
import pkgutil
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from importlib import import_module
from typing import Any, Final

import pytest
from hypothesis import given, settings

import privity.model
from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext
from privity.model.ids import StoreId
from privity.model.operations import Operation
from privity.model.passages import Card, Passage
from privity.model.principals import PrincipalActor, UnattributedActor
from privity.policy.facts import Facts, PlanFacts, RevisionFacts, View
from privity.sdk.envelope import Envelope
from privity.sdk.errors import InputError
from privity.sdk.plugin import Capabilities, CellHealth, LineRange, Synced
from privity.sdk.wire import from_wire, to_wire
from tests.policy.any_value import any_value
from tests.policy.samples import ALICE, ALICES, SOMEBODY, TO_ALICE, asks, person, world
from tests.policy.wire_sample import SAMPLE, WRITTEN, Sample
from tests.policy.world import NOW

SEAM: Final = (Facts, View, PlanFacts, RevisionFacts, Capabilities, CellHealth, LineRange, Synced)


def list_records() -> list[type[object]]:
    """Return every dataclass of the model, and those of the seam and the facts."""
    modules = [import_module(f"privity.model.{found.name}") for found in pkgutil.iter_modules(privity.model.__path__)]
    own = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.__name__
    }
    return sorted({*own, *SEAM}, key=lambda record: record.__name__)


def through_json(value: object) -> object:
    """Return a wire form as it arrives after being written and read as text."""
    return json.loads(json.dumps(to_wire(value), allow_nan=False))


@pytest.mark.property
@pytest.mark.timeout(120)
@pytest.mark.proves("context:shape")
@pytest.mark.parametrize("record", list_records(), ids=lambda record: record.__name__)
def test_every_record_makes_the_round_trip(record: type[object]) -> None:
    """What is read back equals what was written, and is written the same again."""

    @settings(max_examples=25, deadline=None)
    @given(any_value(record))
    def goes_and_comes(value: object) -> None:
        back = from_wire(record, through_json(value))
        assert back == value
        assert type(back) is type(value)
        assert to_wire(back) == to_wire(value)

    goes_and_comes()


@pytest.mark.proves("context:shape")
def test_the_wire_form_is_plain_to_read() -> None:
    """Names, words, hex and ISO 8601: another language needs no library of ours."""
    assert through_json(SAMPLE) == WRITTEN
    assert from_wire(Sample, WRITTEN) == SAMPLE


@pytest.mark.proves("context:shape")
def test_a_union_and_an_envelope_are_read_by_what_they_hold() -> None:
    """Alternatives go by name, and a generic record by its parameter."""
    actor = person(ALICE)
    holding = Envelope[Card]

    assert from_wire(PrincipalActor | UnattributedActor, through_json(actor)) == actor
    assert from_wire(PrincipalActor | UnattributedActor, through_json(SOMEBODY)) == SOMEBODY
    with pytest.raises(InputError):
        from_wire(holding, {"$": "Envelope", "value": through_json(TO_ALICE), "exposure": None, "egress": None})


@pytest.mark.property
@pytest.mark.timeout(120)
@pytest.mark.proves("context:shape")
@settings(max_examples=25, deadline=None)
@given(
    passages=any_value(tuple[Passage, ...]),
    exposure=any_value(Envelope.__annotations__["exposure"]),
    egress=any_value(Envelope.__annotations__["egress"]),
)
def test_an_envelope_makes_the_round_trip(passages: Any, exposure: Any, egress: Any) -> None:  # noqa: ANN401
    """Content and receipts come back as they went."""
    envelope = Envelope(value=passages, exposure=exposure, egress=egress)

    assert from_wire(Envelope[tuple[Passage, ...]], through_json(envelope)) == envelope


@pytest.mark.proves("context:shape")
def test_equal_values_are_written_alike() -> None:
    """Sets have no order of their own, and neither have their members that are records."""
    one = frozenset({Audience(kind=kind, id=name) for kind in AudienceKind for name in "abc"})
    other = frozenset(sorted(one, key=lambda audience: audience.id, reverse=True))

    assert json.dumps(to_wire(one)) == json.dumps(to_wire(other))


class Colour(StrEnum):
    """A word that is no key of ours."""

    RED = "red"


@pytest.mark.proves("context:shape")
def test_a_word_or_an_id_is_the_key_of_a_mapping_and_a_record_is_not() -> None:
    """What JSON cannot have as a name is not written."""
    assert to_wire({Colour.RED: 1, StoreId("sto_1"): 2}) == {"red": 1, "sto_1": 2}
    with pytest.raises(TypeError):
        to_wire({TO_ALICE: 1})
    with pytest.raises(TypeError):
        to_wire({1: 1})


@pytest.mark.proves("context:shape")
@pytest.mark.parametrize(
    "value",
    [object(), float("nan"), float("inf"), NOW.replace(tzinfo=None), 1j, Sample, lambda: 0],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_wire_form_is_not_written(value: object) -> None:
    """Neither numbers that are none, nor times without a zone, nor types."""
    with pytest.raises(TypeError, match="no wire form"):
        to_wire(value)


@pytest.mark.proves("context:shape")
@pytest.mark.parametrize("expected", [object, complex, int | str, list[object]], ids=repr)
def test_a_type_that_has_no_wire_form_is_not_read(expected: Any) -> None:  # noqa: ANN401
    """A union of plain types could not be told apart."""
    with pytest.raises(TypeError, match="no wire form"):
        from_wire(expected, 1)


@pytest.mark.proves("context:shape")
def test_the_same_instant_in_another_zone_keeps_its_zone() -> None:
    """A time comes back with the offset it went with."""
    there = datetime(2026, 5, 4, 12, 0, tzinfo=timezone(timedelta(hours=-7)))

    back = from_wire(datetime, to_wire(there))

    assert (back, back.utcoffset()) == (there, there.utcoffset())
    assert back != datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.proves("context:shape")
def test_the_facts_of_a_decision_make_the_round_trip() -> None:
    """A vector is facts on the wire."""
    facts = world(asks(Operation.READ), ALICES).facts

    assert from_wire(Facts, through_json(facts)) == facts
    assert from_wire(AccessContext, through_json(facts.context)) == facts.context
    assert from_wire(float, 1) == 1.0
