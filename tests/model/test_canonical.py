"""The canonical form: equal for equals, different for everything else, and an error for what has none."""

from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import pytest

from privity.model.audiences import NOBODY, Audience, AudienceKind
from privity.model.canonical import canonical_bytes, fingerprint


@pytest.mark.proves("context:brand")
def test_order_of_a_set_and_of_a_mapping_does_not_matter() -> None:
    """Equal values give equal bytes."""
    one = MappingProxyType({"a": 1, "b": frozenset({"x", "y"})})
    other = MappingProxyType({"b": frozenset({"y", "x"}), "a": 1})

    assert canonical_bytes(one) == canonical_bytes(other)


@pytest.mark.proves("context:brand")
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1", 1),
        (b"a", "a"),
        (frozenset({"a"}), ("a",)),
        (timedelta(seconds=1), timedelta(microseconds=1)),
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
        (Audience(kind=AudienceKind.USER, id="a"), ("Audience", "user", "a")),
        (MappingProxyType({"a": 1}), frozenset({"a"})),
        (None, ""),
    ],
)
def test_different_values_have_different_bytes(left: object, right: object) -> None:
    """No value passes for another of another type."""
    assert fingerprint(left) != fingerprint(right)


@pytest.mark.proves("context:brand")
def test_what_has_no_canonical_form_is_an_error() -> None:
    """Nothing is fingerprinted by its address, and no float that is no number."""
    with pytest.raises(TypeError):
        canonical_bytes(object())
    with pytest.raises(ValueError, match="Out of range"):
        canonical_bytes(float("nan"))


@pytest.mark.proves("policy:deny:empty-means-nothing")
def test_an_empty_conjunction_is_nobody() -> None:
    """It would otherwise mean everybody."""
    assert NOBODY.is_nobody
