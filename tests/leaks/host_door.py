"""The library as a door: events come in by an adapter, and everything else is done in runs."""

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final, TypeVar

from privity.backends.inmemory.host_stores import open_host_memory
from privity.engine.engine import open_engine
from privity.engine.ports import Backend
from privity.host.assembly import Fittings, assemble
from privity.host.delivery import INTERNAL, Recipient
from privity.host.host import Host
from privity.host.keys import HostKeys
from privity.host.run import Run
from privity.host.session import Session
from privity.host.sinks import Outgoing, Sink
from privity.model.audiences import AudienceKind
from privity.model.context import SinkKind, Visibility
from privity.model.events import EventKind
from privity.model.ids import EgressCapabilityId, PrincipalId, ResourceHandle, SinkId
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.resources import Anonymity
from privity.sdk.errors import DeniedError, InputError
from privity.sdk.identity import AdmittedEvent, ConversationEvidence, ConversationKind, SenderClaim, SenderEvidence
from tests.engine.desk import CountingEntropy, StoppedClock
from tests.host.house import OPTIONS, ChatAdapter
from tests.leaks.doors import Feature, Seen, seen
from tests.leaks.oracle import Kind, Mode, Place, Sitting, Stay

Answer = TypeVar("Answer")

ACCOUNT: Final = "strict"  # its members are stated, and never seen in events
WIRE: Final = SinkId("wire")
KINDS: Final = {Mode.ROOM: ConversationKind.GROUP, Mode.AMBIGUOUS: ConversationKind.SHARED_MAIN}
RECIPIENTS: Final = {
    Kind.PERSON: AudienceKind.USER,
    Kind.ROOM: AudienceKind.CONVERSATION,
    Kind.SERVICE: AudienceKind.AGENT,
    Kind.ROLE: AudienceKind.ROLE,
}


class HostDoor:
    """One host over backends in memory, driven by nothing but its public methods."""

    features: frozenset[Feature] = frozenset()

    def __init__(self, backend: Backend, clock: StoppedClock, entropy: CountingEntropy) -> None:
        self.clock = clock
        self.chat = ChatAdapter()
        self.host = make_host(backend, clock, entropy)
        self.host.adapters.register(self.chat)
        self.host.sinks.register(wire(self.recipients))
        self.agent = self.host.add_agent("robin")
        self.sessions: dict[str, Session] = {}
        self.runs: dict[str, tuple[str | None, Run]] = {}
        self.ids: dict[Place, PrincipalId] = {}
        self.counted = 0

    def pass_by(self, span: timedelta) -> None:
        """Let time pass."""
        self.clock.pass_by(span)

    def id_of(self, place: Place) -> PrincipalId:
        """Return the principal of a place, made if it is new."""
        if place not in self.ids:
            self.ids[place] = self.make(place)
        return self.ids[place]

    def make(self, place: Place) -> PrincipalId:
        """Make the principal of a place."""
        operator = self.host.operator()
        if place.kind is Kind.ROOM:
            return operator.conversations.add("chat", ACCOUNT, place.name)
        if place.kind is Kind.SERVICE:
            return operator.identities.add_service(place.name)
        if place.kind is Kind.ROLE:
            return PrincipalId(f"rol_{place.name}")
        person = operator.identities.add_local_person(place.name)
        operator.identities.bind("chat", ACCOUNT, place.name, person)
        return person

    def join(self, stay: Stay) -> None:
        """State that somebody belongs to a room for a time."""
        person = self.id_of(Place(Kind.PERSON, stay.person))
        room, lifetime = self.id_of(stay.group), stay.until - stay.since
        answered(lambda: self.host.operator().conversations.add_member(room, person, lifetime))

    def leave(self, person: str, group: Place) -> None:
        """State that somebody does not belong to a room any more."""
        room, gone = self.id_of(group), self.id_of(Place(Kind.PERSON, person))
        answered(lambda: self.host.operator().conversations.remove_member(room, gone))

    def merge(self, person: str, head: str) -> None:
        """Make two names one person."""
        source, into = self.id_of(Place(Kind.PERSON, person)), self.id_of(Place(Kind.PERSON, head))
        self.host.operator().identities.merge(source, into, "they are one person")

    def revoke(self, person: str) -> None:
        """Revoke somebody."""
        self.host.operator().identities.revoke_principal(self.id_of(Place(Kind.PERSON, person)))

    def begin(self, sitting: Sitting) -> bool:
        """Begin a turn."""
        return answered(lambda: self.turn(sitting)) is not None

    def turn(self, sitting: Sitting) -> Run:
        """Begin a turn of whoever speaks."""
        run = self.started(sitting)
        self.runs[sitting.window] = (sitting.speaker, run)
        return run

    def started(self, sitting: Sitting) -> Run:
        """Start a run of a session, opened if it is new."""
        if sitting.mode is Mode.SERVICE:
            service = self.id_of(Place(Kind.SERVICE, sitting.name))
            session = self.sessions.setdefault(sitting.window, self.agent.service_session(service))
            return session.run(None)
        self.chat.stated = self.stated(sitting)
        event = self.host.ingress("chat").verify({}, b"")
        visibility = Visibility.INCOGNITO if sitting.mode is Mode.INCOGNITO else Visibility.NORMAL
        if sitting.window not in self.sessions:
            self.sessions[sitting.window] = self.agent.session(event, visibility)
        return self.sessions[sitting.window].run(event)

    def stated(self, sitting: Sitting) -> AdmittedEvent:
        """Return what the adapter states of a message."""
        self.counted += 1
        speaker = sitting.speaker
        if speaker is not None:
            self.id_of(Place(Kind.PERSON, speaker))
        return AdmittedEvent(
            adapter="chat",
            account=ACCOUNT,
            event_id=f"m{self.counted}",
            sender=SenderEvidence(
                sender_id=speaker or "stranger",
                claim=SenderClaim.UNVERIFIED if speaker is None else SenderClaim.VERIFIED,
                label="Sam",
            ),
            conversation=ConversationEvidence(
                kind=KINDS.get(sitting.mode, ConversationKind.DIRECT),
                conversation_id=route(sitting),
            ),
            mentions=(),
            changes=(),
            text="hello",
            occurred_at=self.clock.now(),
        )

    def needs_turn(self, sitting: Sitting) -> bool:
        """Somebody else spoke last, or nobody yet."""
        return self.runs.get(sitting.window, ("nobody yet", None))[0] != sitting.speaker

    def run(self, sitting: Sitting) -> Run:
        """Return the run of whoever speaks.

        Raises:
            DeniedError: they could not begin one.
        """
        if self.needs_turn(sitting):
            raise DeniedError(Reason.INVALID_CONTEXT, 1)
        return self.runs[sitting.window][1]

    def search(
        self, sitting: Sitting, query: str, limit: int, outputs: Collection[Place], pause: timedelta
    ) -> list[Seen] | None:
        """Search; the output goes where the event came from, whatever is asked for."""
        assert len(outputs) == 1
        assert not pause
        found = answered(lambda: self.run(sitting).search(query, limit))
        return None if found is None else [seen(passage) for passage in found]

    def read(self, sitting: Sitting, handle: str) -> Seen | None:
        """Read by handle."""
        passage = answered(lambda: self.run(sitting).read(ResourceHandle(handle)))
        return None if passage is None else seen(passage)

    def card(self, sitting: Sitting) -> list[str] | None:
        """Read the card."""
        card = answered(lambda: self.run(sitting).bootstrap())
        return None if card is None else [entry.text for entry in card.entries]

    def remember(self, sitting: Sitting, text: str, *, card: bool, lifetime: timedelta | None) -> str | None:
        """Remember a text and return its handle."""
        if card:
            kept = answered(lambda: self.run(sitting).remember_card(text))
        else:
            kept = answered(lambda: self.run(sitting).remember(text, lifetime=lifetime))
        return None if kept is None else kept.handle

    def forget(self, sitting: Sitting, handle: str) -> bool:
        """Forget by handle."""
        return answered(lambda: self.run(sitting).forget(ResourceHandle(handle))) is not None

    def publish(self, sitting: Sitting | None, text: str, *, anonymous_safe: bool) -> str | None:
        """Publish to everybody, as the operator or as a person, in a session of its own that nothing is shown in."""
        anonymity = Anonymity.ANONYMOUS_SAFE if anonymous_safe else Anonymity.IDENTIFIED_ONLY
        if sitting is None:
            published = answered(lambda: self.host.operator().publish(self.agent, text, anonymity))
            return None if published is None else "operator"
        if sitting.mode is not Mode.DIRECT:
            return None
        person = self.id_of(Place(Kind.PERSON, sitting.name))
        published = answered(lambda: self.host.operator(person).publish(self.agent, text, anonymity))
        return None if published is None else f"profile_{sitting.name}"

    def hand_to_role(self, role: Place, text: str) -> None:
        """Do nothing: no door fills roles yet."""

    def amend(self, person: str, *, deny: bool) -> bool:
        """Let somebody publish; no door of the library denies yet."""
        principal = self.id_of(Place(Kind.PERSON, person))
        operator = self.host.operator()
        if deny:
            return False
        return answered(lambda: operator.grant(self.agent, Operation.PUBLISH, principal)) is not None

    def egress(self, sitting: Sitting, outputs: Collection[Place]) -> set[Place]:
        """Answer to each of `outputs`, and return those that were sent to."""
        return {place for place in outputs if answered(lambda place=place: self.release(sitting, place)) is not None}

    def release(self, sitting: Sitting, place: Place) -> object:
        """Answer to one place."""
        return self.run(sitting).release("so it is", self.host.delivery(WIRE, f"{place.kind}/{place.name}"))

    def recipients(self, route: str) -> tuple[Recipient, ...]:
        """Return who is at a route of the wire."""
        kind, _, name = route.partition("/")
        place = Place(Kind(kind), name)
        if place.kind is Kind.INTERNAL:
            return (INTERNAL,)
        if place.kind is Kind.SHARED:
            return (Recipient(kind=AudienceKind.AGENT_SHARED, principal_id=None),)
        return (Recipient(kind=RECIPIENTS[place.kind], principal_id=self.id_of(place)),)

    def record(self, sitting: Sitting, text: str) -> None:
        """Append an event to the transcript."""
        answered(lambda: self.run(sitting).record(EventKind.TOOL_RESULT, text))

    def succeed(self, sitting: Sitting, window: str) -> bool:
        """Fork the session."""
        session = self.sessions.get(sitting.window)
        forked = None if session is None else answered(session.fork)
        if forked is not None:
            self.sessions[window] = forked
        return forked is not None


def route(sitting: Sitting) -> str:
    """Return what the provider calls the conversation of a session."""
    match sitting.mode:
        case Mode.ROOM:
            return sitting.name
        case Mode.AMBIGUOUS:
            return "main"
        case _:
            return ""


def answered(ask: Callable[[], Answer]) -> Answer | None:
    """Return an answer, or nothing where it was denied."""
    try:
        return ask()
    except (DeniedError, InputError):
        return None


def make_host(backend: Backend, clock: StoppedClock, entropy: CountingEntropy) -> Host:
    """Return a host around the engine, all of it in memory."""
    return assemble(
        Fittings(
            options=OPTIONS,
            stores=open_host_memory(),
            keys=HostKeys(bytes(32)),
            clock=clock,
            entropy=entropy,
            voucher=None,
            closing=lambda: None,
        ),
        lambda verifier: open_engine(backend, verifier, clock, entropy),
    )


def wire(resolve: Callable[[str], tuple[Recipient, ...]]) -> Sink:
    """Return a sink that leads to whomever a route names."""
    sent: list[Outgoing] = []
    return Sink(
        sink_id=WIRE,
        capability_id=EgressCapabilityId("wire.send"),
        kind=SinkKind.CHANNEL,
        resolve=resolve,
        deliver=sent.append,
    )
