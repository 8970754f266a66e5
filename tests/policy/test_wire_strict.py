"""Near misses: the wire codec guesses, converts and passes over nothing."""

from typing import Final

import pytest

from privity.sdk.errors import InputError
from privity.sdk.wire import from_wire
from tests.policy.wire_sample import WRITTEN, Sample

NEAR_MISSES: Final[dict[str, dict[str, object]]] = {
    "another type": {"$": "Simple"},
    "a type that is a number": {"$": 1},
    "an unknown field": {"extra": 1},
    "too short a pair": {"pair": [1]},
    "too long a pair": {"pair": [1, "one", 2]},
    "a pair the wrong way round": {"pair": ["one", 1]},
    "a pair that is an object": {"pair": {"0": 1, "1": "one"}},
    "truth for a number": {"pair": [True, "one"]},
    "a number with a point for a whole one": {"pair": [1.0, "one"]},
    "text for a list": {"several": "23"},
    "a member of another type": {"several": [2, "3"]},
    "a member of a set twice": {"some": [1, 1, 2]},
    "a mapping that is a list": {"named": [["a", 1.5]]},
    "truth in a mapping of numbers": {"named": {"a": True}},
    "not a number": {"named": {"a": float("nan")}},
    "no end of numbers": {"named": {"a": float("inf")}},
    "a mapping from numbers": {"named": {1: 1.5}},
    "an actor of no kind": {"actor": {"$": "Person"}},
    "an actor that says no kind": {"actor": {"transport_audit_ref": "ref_1", "evidence_revision": "evr_1"}},
    "an actor with a list for a kind": {"actor": {"$": []}},
    "no actor": {"actor": None},
    "an actor that is text": {"actor": "usr_alice"},
    "a note that is a number": {"note": 1},
    "a time without a zone": {"at": "2026-05-04T12:00:00"},
    "a time in another form": {"at": "2026-05-04 12:00:00+00:00"},
    "a time that ends in Z": {"at": "2026-05-04T12:00:00Z"},
    "a time that is none": {"at": "2026-13-04T12:00:00+00:00"},
    "a time that is a number": {"at": 1_777_896_000},
    "an unknown word": {"word": "peek"},
    "a word in capitals": {"word": "READ"},
    "a word that is none": {"word": None},
    "text for truth": {"flag": "true"},
    "a number for truth": {"flag": 1},
    "hex in capitals": {"data": "00FF"},
    "hex with a space": {"data": "00 ff"},
    "no hex": {"data": "zz"},
    "half a byte": {"data": "0"},
    "a span with a point": {"span": 1.5},
    "a span that is text": {"span": "PT1S"},
}


@pytest.mark.proves("context:operation:closed-set", "context:model-adds-nothing")
@pytest.mark.parametrize("miss", NEAR_MISSES)
def test_a_near_miss_is_refused(miss: str) -> None:
    """Nothing is guessed, converted or passed over."""
    with pytest.raises(InputError):
        from_wire(Sample, WRITTEN | NEAR_MISSES[miss])


@pytest.mark.proves("context:model-adds-nothing")
@pytest.mark.parametrize("name", list(WRITTEN))
def test_a_missing_field_is_refused(name: str) -> None:
    """No field has a value that it takes when it is left out."""
    with pytest.raises(InputError):
        from_wire(Sample, {key: value for key, value in WRITTEN.items() if key != name})


@pytest.mark.proves("context:model-adds-nothing")
def test_a_refusal_says_where_and_names_no_value() -> None:
    """The place is a path of fields; what was there is not repeated."""
    bent = {**WRITTEN, "actor": {**WRITTEN["actor"], "transport_audit_ref": 7_777}}

    with pytest.raises(InputError) as refused:
        from_wire(Sample, bent)

    assert refused.value.where == "Sample.actor.transport_audit_ref"
    assert "7777" not in str(refused.value)


@pytest.mark.proves("context:model-adds-nothing")
def test_a_refusal_names_the_fields_that_are_too_many_and_too_few() -> None:
    """Both at once, in order."""
    bent = {("zebra" if key == "data" else key): value for key, value in WRITTEN.items()}

    with pytest.raises(InputError, match="unknown or missing fields: `data`, `zebra`"):
        from_wire(Sample, bent)
