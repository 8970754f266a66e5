"""A person at the keyboard, on the operator's word: their events, and the screen as a place for replies."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from privity.host.agent import Agent
from privity.host.events import VerifiedEvent
from privity.host.host import Host
from privity.host.identities import LOCAL
from privity.host.run import Run
from privity.host.sinks import Outgoing, Sink
from privity.model.context import SinkKind
from privity.model.ids import EgressCapabilityId, SinkId
from privity.model.reasons import Reason
from privity.model.subjects import UserSubject
from privity.sdk.errors import DeniedError
from privity.sdk.identity import ChangeKind, MembershipChange

CAPABILITY: Final = EgressCapabilityId("local.screen")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """Who is at the keyboard, by the local adapter's name, and in which room, or in private."""

    sender: str
    room: str | None


def say(host: Host, who: Vouched, text: str) -> VerifiedEvent:
    """Return the verified event of somebody who says `text`; without text it leaves no trace."""
    present = (MembershipChange(kind=ChangeKind.JOINED, sender_id=who.sender),)
    request = host.local.event(sender=who.sender, conversation=who.room, text=text, changes=() if text else present)
    return host.ingress(LOCAL[0]).verify(request.headers, request.body)


def turn_of(host: Host, agent: Agent, who: Vouched) -> AbstractContextManager[Run]:
    """Begin a turn of somebody who says nothing.

    Raises:
        DeniedError: in private there is nobody in particular behind that name any more.
    """
    event = say(host, who, "")
    session = agent.session(event)
    if who.room is None and not isinstance(session.subject, UserSubject):
        raise DeniedError(Reason.IDENTITY_REVOKED, 1)
    return session.run(event)


def show_replies(host: Host, deliver: Callable[[Outgoing], None]) -> None:
    """Make what is replied to somebody at the keyboard go to `deliver`."""
    if host.sinks.find(SinkId(LOCAL[0])) is None:
        host.sinks.register(
            Sink(
                sink_id=SinkId(LOCAL[0]),
                capability_id=CAPABILITY,
                kind=SinkKind.CHANNEL,
                resolve=lambda _: (),
                deliver=deliver,
            )
        )
