"""A host around the fake plugin, with everything at hand that a test wants to bend."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from privity.host.agent import Agent
from privity.host.assembly import Fittings, assemble
from privity.host.delivery import IssuedDelivery, Recipient
from privity.host.events import VerifiedEvent
from privity.host.host import Host
from privity.host.ingress import Reception
from privity.host.keys import HostKeys
from privity.host.occasions import Issued
from privity.host.options import (
    DEFAULT_LIFETIMES,
    FirstContact,
    HostOptions,
    MembershipRule,
    Mode,
    SignerOptions,
)
from privity.host.ports import HostStores
from privity.host.records import MappedSession
from privity.host.run import Run
from privity.host.session import Session
from privity.host.sinks import Outgoing, Sink
from privity.host.turns import Turn
from privity.host.workings import Workings
from privity.identity.local import LocalAdapter
from privity.model.context import AccessContext, SinkKind, Visibility
from privity.model.ids import DeliveryHandle, EgressCapabilityId, PrincipalId, SinkId
from privity.model.principals import SenderStrength
from privity.model.subjects import UserSubject
from privity.sdk.identity import AdmittedEvent, ConversationEvidence, ConversationKind, SenderClaim, SenderEvidence
from privity.sdk.verification import ContextVerifier
from tests.fakes import CountingEntropy, FakePlugin, StandingClock

OPTIONS: Final = HostOptions(
    mode=Mode.DEVELOPMENT,
    first_contact=FirstContact.CREATE,
    minimum_strength=SenderStrength.ASSERTED,
    adapters=frozenset({"chat", "local"}),
    sinks=None,
    accounts={
        ("chat", "acme"): SignerOptions(membership=MembershipRule.EVENT),
        ("chat", "strict"): SignerOptions(membership=MembershipRule.ROSTER),
        ("local", "local"): SignerOptions(membership=MembershipRule.ROSTER),
    },
    lifetimes=DEFAULT_LIFETIMES,
)


class ChatAdapter:
    """An adapter that believes what a test puts into its hands."""

    name = "chat"

    def __init__(self) -> None:
        self.stated: AdmittedEvent | None = None
        self.failure: BaseException | None = None

    def verify(self, headers: object, body: bytes) -> AdmittedEvent:  # noqa: ARG002 - the port's
        """Return what was put into its hands."""
        if self.failure is not None:
            raise self.failure
        assert self.stated is not None
        return self.stated


@dataclass(kw_only=True)
class House:
    """One host, its plugin, and the parts of its surroundings."""

    host: Host
    plugin: FakePlugin
    stores: HostStores
    clock: StandingClock
    entropy: CountingEntropy
    chat: ChatAdapter
    sent: list[Outgoing]

    def state(
        self,
        sender: str,
        text: str = "hello",
        *,
        room: str | None = None,
        kind: ConversationKind | None = None,
        claim: SenderClaim = SenderClaim.VERIFIED,
        account: str = "acme",
        at: datetime | None = None,
        event_id: str | None = None,
    ) -> AdmittedEvent:
        """Return what the chat adapter would state of a message."""
        return AdmittedEvent(
            adapter="chat",
            account=account,
            event_id=event_id or self.entropy.token("msg"),
            sender=SenderEvidence(sender_id=sender, claim=claim, label="Sam"),
            conversation=ConversationEvidence(
                kind=kind or (ConversationKind.DIRECT if room is None else ConversationKind.GROUP),
                conversation_id=room or "",
            ),
            mentions=(),
            changes=(),
            text=text,
            occurred_at=at or self.clock.now(),
        )

    def admit(self, stated: AdmittedEvent) -> VerifiedEvent:
        """Let an event in."""
        self.chat.stated = stated
        return self.host.ingress("chat").verify({}, b"")

    def hear(self, sender: str, text: str = "hello", *, room: str | None = None, **more: Any) -> VerifiedEvent:  # noqa: ANN401 - as `state` takes it
        """Let a message in."""
        return self.admit(self.state(sender, text, room=room, **more))

    @property
    def workings(self) -> Workings:
        """The parts of the host."""
        return self.host._workings  # pyright: ignore[reportPrivateUsage]

    @property
    def agent(self) -> Agent:
        """The one agent that every house has."""
        return self.host.agent("robin")

    def session(self, sender: str, *, room: str | None = None, **more: Any) -> tuple[VerifiedEvent, Session]:  # noqa: ANN401
        """Let a message in and open its session."""
        event = self.hear(sender, room=room, **more)
        return event, self.agent.session(event)

    def run(self, sender: str, text: str = "hello", *, room: str | None = None) -> tuple[VerifiedEvent, Run]:
        """Let a message in and begin its run."""
        event = self.hear(sender, text, room=room)
        return event, self.agent.session(event).run(event)

    def person(self, sender: str) -> PrincipalId:
        """Return the principal that a direct message of `sender` leads to."""
        event = self.hear(sender)
        subject = self.agent.session(event, Visibility.NORMAL).subject
        assert isinstance(subject, UserSubject)
        return subject.principal_id

    @property
    def seen(self) -> AccessContext:
        """The context that the plugin saw last."""
        return self.plugin.contexts[-1]


def turn_of(run: Run) -> Turn:
    """Return what stands behind a run."""
    return run._turn  # pyright: ignore[reportPrivateUsage]


def mapped_of(session: Session) -> MappedSession:
    """Return what stands behind a session."""
    return session._mapped  # pyright: ignore[reportPrivateUsage]


def live_in(house: House) -> dict[int, Issued]:
    """Return the contexts that are live."""
    return house.workings.desk._live  # pyright: ignore[reportPrivateUsage]


def issued_in(house: House) -> dict[DeliveryHandle, IssuedDelivery]:
    """Return the delivery handles that are kept."""
    return house.workings.deliveries._issued  # pyright: ignore[reportPrivateUsage]


def reception_of(house: House) -> Reception:
    """Return what the ingress works with."""
    return house.host._reception  # pyright: ignore[reportPrivateUsage]


def nobody(_: str) -> tuple[Recipient, ...]:
    """Resolve a route to nobody."""
    return ()


def reply_sink(sent: list[Outgoing], name: str = "chat") -> Sink:
    """Return a sink that keeps what goes out."""
    return Sink(
        sink_id=SinkId(name),
        capability_id=EgressCapabilityId(f"{name}.reply"),
        kind=SinkKind.CHANNEL,
        resolve=nobody,
        deliver=sent.append,
    )


@dataclass(kw_only=True)
class Builder:
    """Builds houses over the same stores, as restarts of one home do."""

    stores: HostStores
    clock: StandingClock
    entropy: CountingEntropy
    plugin: FakePlugin | None = None

    def build(self, prepare: Callable[[FakePlugin], None] | None = None, **changes: Any) -> House:  # noqa: ANN401 - of any option
        """Return a house; a plugin that was there before stays, as its vault would."""
        options = replace(OPTIONS, **changes)

        def make(verifier: ContextVerifier) -> FakePlugin:
            if self.plugin is None:
                self.plugin = FakePlugin(verifier=verifier)
            self.plugin.verifier = verifier
            if prepare is not None:
                prepare(self.plugin)
            return self.plugin

        local = LocalAdapter(bytes(32), self.clock, self.entropy)
        host = assemble(
            Fittings(
                options=options,
                stores=self.stores,
                keys=HostKeys(bytes(32)),
                clock=self.clock,
                entropy=self.entropy,
                voucher=None if options.mode is Mode.PRODUCTION else local,
                closing=lambda: None,
            ),
            make,
        )
        assert self.plugin is not None
        chat, sent = ChatAdapter(), list[Outgoing]()
        host.adapters.register(chat)
        if "local" in options.adapters:
            host.adapters.register(local)
        host.sinks.register(reply_sink(sent))
        if not host.agents():
            host.add_agent("robin")
        return House(
            host=host,
            plugin=self.plugin,
            stores=self.stores,
            clock=self.clock,
            entropy=self.entropy,
            chat=chat,
            sent=sent,
        )
