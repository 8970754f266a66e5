"""Exit codes, and how each kind of error becomes one."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from privity.sdk.errors import (
    ConflictError,
    DeliveryUnavailableError,
    DeniedError,
    InputError,
    NonconformingError,
    PrivityError,
    UnavailableError,
)


class ExitCode(IntEnum):
    """What the process says at its end. Scripts rely on these."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    DENIED = 3
    DEGRADED = 4
    CONFLICT = 5
    INTERRUPTED = 130


CODES: Final[Mapping[type[PrivityError], ExitCode]] = {
    InputError: ExitCode.USAGE,
    DeniedError: ExitCode.DENIED,
    NonconformingError: ExitCode.DENIED,
    DeliveryUnavailableError: ExitCode.DENIED,
    UnavailableError: ExitCode.DENIED,
    ConflictError: ExitCode.CONFLICT,
}


def exit_code(error: PrivityError) -> ExitCode:
    """Return the exit code of an error."""
    kinds = (CODES.get(kind) for kind in type(error).__mro__)
    return next((code for code in kinds if code is not None), ExitCode.FAILURE)


def message(error: PrivityError) -> str:
    """Return what a person is told. A broken plugin says no more than a denial does."""
    return DeniedError.outside if isinstance(error, NonconformingError) else str(error)
