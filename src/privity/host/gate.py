"""The edge around code that is not ours: plugins, adapters and sinks.

Whatever they raise that is no privity error ends here as *unavailable*, never as an answer.
"""

from collections.abc import Callable
from typing import TypeVar

from privity.model.decisions import Denied
from privity.sdk.errors import DeniedError, NonconformingError, PrivityError, UnavailableError

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


def send(call: Callable[[], Answer]) -> Answer:
    """Return what a sink or its resolver answers.

    Raises:
        UnavailableError: it failed. What it sent before that is not known.
    """
    try:
        return call()
    except PrivityError:
        raise
    except Exception as error:
        raise UnavailableError("delivery unavailable", remedy="look at the sink, then release again") from error
