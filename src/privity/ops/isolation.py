"""The isolation level that this version supports, as derived from the requirements that are proven."""

from enum import StrEnum
from typing import Final


class IsolationLevel(StrEnum):
    """What a deployment may claim, weakest first."""

    NONE = "none"
    COOPERATIVE = "cooperative"
    MODEL_ADVERSARIAL = "model-adversarial"
    PROCESS_ADVERSARIAL = "process-adversarial"


SUPPORTED: Final = IsolationLevel.NONE
EXPLANATION: Final = "claimed only once every requirement of a level is proven"


def claim_line() -> str:
    """Return the one line by which every document and command states the supported level."""
    return f"Isolation level this version supports: **{SUPPORTED}** ({EXPLANATION})."
