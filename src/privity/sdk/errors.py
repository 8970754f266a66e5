"""The error tree.

PrivityError
├── DeniedError                  the public face of a denial: what a caller sees is *memory unavailable*
│   └── EgressDeniedError        a reply may not go where it was sent
├── InputError                   bad input: what was wrong, where, and what to do
├── ConflictError                the state moved on meanwhile
├── NonconformingError           a plugin or backend broke or lacks its contract
├── DeliveryUnavailableError     a sink failed: what it sent before that is not known
└── UnavailableError             the world failed: nothing was changed
    ├── HomeInUseError           another process owns the vault
    ├── HomeClosedError          the home was closed in this process
    ├── HomeVersionError         the home was written by another version
    ├── HomePartedError          the host and the vault of a home are not of one moment
    └── StorageFailedError       disk full, read-only, input/output error
"""

from privity.model.ids import EventId
from privity.model.reasons import Reason


class PrivityError(Exception):
    """Anything privity raises on purpose."""


class DeniedError(PrivityError):
    """A denial, raised by the public face. `reason` is for the developer, never for a model."""

    outside = "memory unavailable"

    def __init__(self, reason: Reason, step: int) -> None:
        super().__init__(self.outside)
        self.reason = reason
        self.step = step


class EgressDeniedError(DeniedError):
    """A release that was refused. Nothing was sent; `remedy` says what would make it right."""

    outside = "delivery unavailable"

    def __init__(self, reason: Reason, step: int, remedy: str) -> None:
        super().__init__(reason, step)
        self.remedy = remedy


class InputError(PrivityError):
    """Bad input. `where` names the argument, field or file; `remedy` says what to do."""

    def __init__(self, problem: str, *, where: str, remedy: str) -> None:
        super().__init__(f"{where}: {problem}; {remedy}")
        self.problem = problem
        self.where = where
        self.remedy = remedy


class ConflictError(PrivityError):
    """The state a caller relied on has changed; look again and repeat."""


class NonconformingError(PrivityError):
    """A plugin or backend lacks or broke its contract; memory is unavailable, never wider."""

    reason = Reason.BACKEND_NONCONFORMING


class DeliveryUnavailableError(PrivityError):
    """A sink failed while a reply was handed to it, so that nobody knows what it sent.

    So did a disk, where what became of the reply could not be written down.

    The reply stands in the transcript as `event_id`. Releasing again is another reply.
    """

    def __init__(self, event_id: EventId) -> None:
        super().__init__("delivery unavailable; look at the sink before you release again")
        self.event_id = event_id


class UnavailableError(PrivityError):
    """The world failed. Nothing was changed; `remedy` says what to do.

    Of a release it says that nothing was sent; the reply may stand in the transcript.
    """

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(f"{problem}; {remedy}")
        self.problem = problem
        self.remedy = remedy


class HomeInUseError(UnavailableError):
    """Another process owns the vault of this home."""


class HomeClosedError(UnavailableError):
    """The home was closed in this process, and may have another owner by now."""


class HomeVersionError(UnavailableError):
    """The home was written by another version of privity, which this one cannot read."""


class HomePartedError(UnavailableError):
    """The host and the vault of a home are not of one moment: one of them was put back from a copy."""


class StorageFailedError(UnavailableError):
    """A disk is full, read-only or failing."""
