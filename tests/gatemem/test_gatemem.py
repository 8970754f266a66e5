"""GateMem through privity's own doors, against the figures that rooms with a plain index reach.

INVARIANT: these tests prove no requirement. Where the data are absent they are skipped, and a
claim must not depend on data that a machine may lack.
"""

from pathlib import Path
from typing import Final

import pytest

from bench.gatemem import DOMAINS, REFUSED, data_folder, figures, measure, write_report

UTILITY: Final = 87.0
BEYOND_OWN: Final = 17.6
DELETED: Final = 0.0
CHECKPOINTS: Final = 156
KINDS: Final = frozenset({"utility", "privacy", "safety"})
REASON: Final = "no data folder with `gatemem/rooms`: name one with PRIVITY_DATA"

pytestmark = [pytest.mark.data, pytest.mark.timeout(300)]


@pytest.fixture
def data() -> Path:
    """Return the folder of the published data."""
    found = data_folder()
    if found is None or not (found / "gatemem" / "rooms").is_dir():
        pytest.skip(REASON)
    return found


def test_gatemem_is_as_useful_as_rooms_with_a_plain_index_and_exposes_no_more(data: Path, tmp_path: Path) -> None:
    """What is wanted is found, what is another's stays theirs, and what was deleted is gone, in each domain."""
    scores = measure(data, tmp_path)
    write_report(scores)
    measured = figures(scores)

    assert sum(score.figure in KINDS for score in scores) == CHECKPOINTS
    assert all(measured[REFUSED][domain] > 0 for domain in DOMAINS)
    assert measured["utility"]["all"] >= UTILITY
    assert measured["privacy_beyond_own"]["all"] <= BEYOND_OWN
    assert [measured["safety_beyond_own"][place] for place in ("all", *DOMAINS)] == [DELETED] * 3
