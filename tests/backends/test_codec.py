"""JSON in columns: exact both ways, and strict."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privity.backends.sqlite import codec
from privity.conformance import storage_samples as samples
from privity.engine.records import EventLabel
from privity.model.audit import AuditRecord
from privity.model.ids import AgentId, PolicyId, PolicyRevision
from privity.model.policies import PolicySet, Rule
from privity.model.subjects import AmbiguityReason, AmbiguousSubject, SessionSubject

RECORD = samples.record(AgentId("agt_one"), "1")


@pytest.mark.proves("store:one-scope")
@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (RECORD, AuditRecord),
        (samples.label("ses_1"), EventLabel),
        (samples.label("ses_1", subject=AmbiguousSubject(reason=AmbiguityReason.UNBOUND)), EventLabel),
        (samples.policy_set(samples.requirement("ada"), members=frozenset()), PolicySet),
        (samples.policy("ada").rules, tuple[Rule, ...]),
        ({PolicyId("b"): PolicyRevision(2), PolicyId("a"): PolicyRevision(1)}, Mapping[PolicyId, PolicyRevision]),
    ],
)
def test_a_value_comes_back_from_its_json(value: object, annotation: object) -> None:
    """Types, order and every field."""
    assert codec.load(codec.dump(value, annotation), annotation) == value  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("store:one-scope")
@pytest.mark.parametrize(
    ("text", "annotation"),
    [
        ("", AuditRecord),
        ("[]", AuditRecord),
        ("null", AuditRecord),
        (codec.dump(RECORD, AuditRecord).replace('"step":7,', ""), AuditRecord),
        (codec.dump(RECORD, AuditRecord).replace('"step":7', '"step":"7"'), AuditRecord),
        (codec.dump(RECORD, AuditRecord).replace('"step":7', '"step":true'), AuditRecord),
        (codec.dump(RECORD, AuditRecord).replace('"step":7', '"step":7,"extra":1'), AuditRecord),
        (codec.dump(RECORD, AuditRecord).replace('"kind":"access"', '"kind":"excess"'), AuditRecord),
        ('{"is":"Nobody"}', SessionSubject),
        ("null", SessionSubject),
        ("{}", PolicySet),
    ],
)
def test_what_is_not_exactly_a_value_is_refused(text: str, annotation: object) -> None:
    """Missing, unknown and mistaken fields, and types that nothing names."""
    with pytest.raises(ValueError, match=r".+"):
        codec.load(text, annotation)  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("store:one-scope")
@pytest.mark.parametrize("annotation", [bytes, dict[str, str], float, list[int]])
def test_a_type_without_a_stored_form_is_refused(annotation: object) -> None:
    """Nothing is stored by guessing."""
    with pytest.raises((TypeError, IndexError)):
        codec.dump(1, annotation)
    with pytest.raises((TypeError, IndexError, ValueError)):
        codec.load("1", annotation)  # pyright: ignore[reportArgumentType]


@pytest.mark.property
@pytest.mark.proves("store:one-scope")
@given(moment=st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))])))
def test_times_are_exact_to_the_microsecond(moment: datetime) -> None:
    """Over all years, before 1970 too, and in UTC whatever they came in."""
    back = codec.from_micros(codec.to_micros(moment))

    assert back == moment
    assert back.tzinfo is UTC


@pytest.mark.proves("store:one-scope")
def test_a_time_without_a_zone_is_refused() -> None:
    """Nobody knows when it was."""
    with pytest.raises(TypeError):
        codec.to_micros(datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point
