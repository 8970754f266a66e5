"""Denied rows inside a mounted store are as absent: no byte of an answer tells how many there are."""

from pathlib import Path

import pytest

from tests.engine.desk import AGENT
from tests.isolation import plants
from tests.isolation.denials import ROWS, WAYS
from tests.isolation.homes import A_MOMENT, KINDS, Alter, Twins, answers, differences, rows_found, twins, unchanged

pytestmark = [pytest.mark.leaks, pytest.mark.timeout(60)]


def compared(kind: str, path: Path, way: str, alter: Alter = unchanged) -> tuple[list[tuple[str, str]], list[str]]:
    """Return how two homes differ in what they answer, one of them full of denied rows; and the plain answers."""
    fill, both, asked = WAYS[way]
    made = twins(kind, path, alter=alter)
    fill(made.other)
    for desk in (made.plain, made.other):
        desk.entropy.count = 2_000_000
        both(desk)
        desk.clock.pass_by(A_MOMENT)
    plain = answers(made.plain, since=50_000_000, whole=False, seats=asked)
    other = answers(made.other, since=50_000_000, whole=False, seats=asked)
    made.close()
    return differences(plain, other), plain


@pytest.mark.proves("read:statistics:permitted-only", "read:postfilter:denied-leaves-no-trace", "case:SIDE-01")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_SIDE_01_denied_rows_full_of_the_words_asked_for_change_no_byte(kind: str, way: str, tmp_path: Path) -> None:
    """Passages, scores, order, counts, handles and cards are those of a home without the rows."""
    found, plain = compared(kind, tmp_path, way)

    assert rows_found(plain) > 5
    assert found == []


@pytest.mark.proves("read:statistics:permitted-only", "read:postfilter:authoritative")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_a_planted_index_that_counts_denied_rows_is_reported(kind: str, way: str, tmp_path: Path) -> None:
    """The rows stay out even then, and their weight in the scores turns the comparison red."""
    found, _ = compared(kind, tmp_path, way, plants.count_denied)

    assert found != []
    assert not any("harbour harbour" in answer for pair in found for answer in pair)


@pytest.mark.proves("case:READ-25", "read:prefilter:superset", "read:postfilter:authoritative")
@pytest.mark.parametrize("kind", KINDS)
def test_READ_25_what_a_prefilter_includes_too_much_is_denied_and_what_it_misses_is_noticed(
    kind: str, tmp_path: Path
) -> None:
    """An index that offers denied rows gets none out; one that hides a permitted row turns the comparison red."""
    made = twins(kind, tmp_path / "over", alter=plants.count_denied)
    fill_with_all(made)
    over = answers(made.other, since=50_000_000, whole=False)
    drift = made.other.engine.health(AGENT).counters["prefilter-drift"]
    made.close()
    hiding = twins(kind, tmp_path / "under", alter=plants.hide_one)
    plain = answers(hiding.plain, since=50_000_000, whole=False)
    under = answers(hiding.other, since=50_000_000, whole=False)
    hiding.close()

    assert rows_found(over) > 5
    assert not any("harbour harbour" in answer for answer in over)
    assert drift > ROWS
    assert differences(plain, under) != []


def fill_with_all(made: Twins) -> None:
    """Fill one home with rows that are denied in several ways at once."""
    for way in ("tombstoned", "expired", "lineage broken", "role lost"):
        WAYS[way][0](made.other)
    made.other.clock.pass_by(A_MOMENT)


@pytest.mark.proves("case:READ-17", "policy:deny:empty-means-nothing")
@pytest.mark.parametrize("kind", KINDS)
def test_READ_17_a_view_without_a_permitted_row_answers_nothing_on_every_path(kind: str, tmp_path: Path) -> None:
    """An empty grant set is no missing filter: search, read and card find nothing in a store full of denied rows."""
    fill, both, asked = WAYS["denied by rule"]
    made = twins(kind, tmp_path)
    fill(made.other)
    both(made.other)
    (alice,) = asked
    running = made.other.begin(alice)
    shared = made.other.texts(running, "launch calendar harbour", limit=50)
    made.close()

    assert len(shared) < ROWS
    assert shared != []
    assert not any("calendar" in text or "harbour harbour" in text for text in shared)
