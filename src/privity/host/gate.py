"""The edge around code that is not ours: plugins, adapters and sinks.

Whatever they raise that is no privity error ends here as *unavailable*, never as an answer.
"""

from collections.abc import Callable
from typing import TypeVar

from privity.model.decisions import Denied
from privity.model.ids import EventId
from privity.sdk.errors import DeliveryUnavailableError, DeniedError, NonconformingError, PrivityError, UnavailableError

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


def resolve(call: Callable[[], Answer]) -> Answer:
    """Return what the resolver of a sink answers.

    Raises:
        UnavailableError: it failed.
    """
    try:
        return call()
    except PrivityError:
        raise
    except Exception as error:
        raise UnavailableError("delivery unavailable", remedy="look at the sink, then release again") from error


def send(call: Callable[[], object], event_id: EventId) -> None:
    """Hand a reply to a sink. What it says in words of ours passes.

    Raises:
        DeliveryUnavailableError: it failed, whatever it failed with.
    """
    try:
        call()
    except PrivityError:
        raise
    except Exception as error:
        raise DeliveryUnavailableError(event_id) from error
