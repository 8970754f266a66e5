"""How a plugin asks the host whether a context is genuine and what has changed since."""

from typing import Protocol

from privity.model.context import AccessContext
from privity.model.standing import ContextStanding


class ContextVerifier(Protocol):
    """The host's answer about contexts. It never raises for a bad context: it says so."""

    def standing(self, context: AccessContext) -> ContextStanding:
        """Return the host's current facts beside `context`, its authenticity first."""
        ...
