"""How many worlds a theorem is tried on: some in every run, very many in a long one."""

import os
from typing import Final

from hypothesis import HealthCheck, settings

LONG: Final = bool(os.environ.get("PRIVITY_LONG"))
SECONDS: Final = 3_600 if LONG else 120
"""How long one theorem may take."""


def tried(often: int, long: int) -> settings:
    """Return the settings of a theorem that is tried so often, and in a long run that often."""
    return settings(
        max_examples=long if LONG else often,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


DIFFERENTIAL: Final = tried(3_000, 200_000)
LAW: Final = tried(400, 20_000)
