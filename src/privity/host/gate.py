"""The edge around code that is not ours: plugins, adapters and sinks.

Whatever they raise that is no privity error ends here as *unavailable*, never as an answer.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from privity.host.delivery import Recipient
from privity.model.decisions import Denied
from privity.model.ids import EventId
from privity.sdk.errors import (
    DeliveryUnavailableError,
    DeniedError,
    InputError,
    NonconformingError,
    PrivityError,
    UnavailableError,
)
from privity.sdk.strict import conform

LOOK: Final = "look at the sink, then release again"

Answer = TypeVar("Answer")


def ask(call: Callable[[], Answer | Denied]) -> Answer:
    """Return what the plugin answers.

    Raises:
        DeniedError: the plugin denied.
        NonconformingError: the plugin failed in a way its contract does not know.
    """
    answer = listen(call)
    if isinstance(answer, Denied):
        raise DeniedError(answer.reason, answer.step)
    return answer


def listen(call: Callable[[], Answer]) -> Answer:
    """Return what the plugin or adapter answers, a denial as the value it is.

    Raises:
        NonconformingError: it failed in a way its contract does not know.
    """
    try:
        return call()
    except PrivityError:
        raise
    except Exception as error:
        raise NonconformingError("memory unavailable") from error


def resolve(call: Callable[[], Sequence[Recipient]]) -> tuple[Recipient, ...]:
    """Return the recipients that the resolver of a sink answers.

    Raises:
        UnavailableError: it failed, or answered something else.
    """
    try:
        return recipients(call())
    except PrivityError:
        raise
    except Exception as error:
        raise UnavailableError("delivery unavailable", remedy=LOOK) from error


def recipients(answer: Sequence[Recipient]) -> tuple[Recipient, ...]:
    """Return the answer of a resolver, if it is recipients and nothing else.

    Raises:
        UnavailableError: it is something else.
    """
    try:
        conform(Sequence[Recipient], answer, "recipients")
    except InputError as error:
        raise UnavailableError("delivery unavailable", remedy=LOOK) from error
    return tuple(answer)


def send(call: Callable[[], object], event_id: EventId) -> None:
    """Hand a reply to a sink.

    An error of ours that comes out of a sink was about something else that it did: it says
    nothing of this reply, and passed on it would say that nothing was sent.

    Raises:
        DeliveryUnavailableError: it failed, whatever it failed with.
    """
    try:
        call()
    except Exception as error:
        raise DeliveryUnavailableError(event_id) from error
