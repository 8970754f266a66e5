"""Ingress: the one door through which facts about people enter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from privity.host import gate
from privity.host.adapters import Adapters
from privity.host.bindings import Resolution, Resolved, Resolver, Sender
from privity.host.delivery import ANYONE, Address, Basis, Deliveries, Destination, Recipient
from privity.host.epochs import Epochs
from privity.host.events import Admission, EventRegistry, VerifiedEvent
from privity.host.inputs import parse_characters, parse_identifier, parse_moment
from privity.host.keys import HostKeys, Purpose
from privity.host.options import HostOptions, MembershipRule
from privity.host.ports import Admissions
from privity.host.records import ConversationRecord, Freshness, Head, HostAct
from privity.host.rosters import Rosters
from privity.host.sinks import Sinks
from privity.host.trail import Trail
from privity.model.audiences import AudienceKind
from privity.model.context import SinkKind
from privity.model.ids import EventId, SinkId
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import InputError, NonconformingError
from privity.sdk.identity import (
    AdmittedEvent,
    ChangeKind,
    ConversationKind,
    IdentityAdapter,
)
from privity.sdk.strict import conform, strict

MAX_BODY_BYTES: Final = 1024 * 1024
MAX_MENTIONS: Final = 64
MAX_CHANGES: Final = 256
SINK_KINDS: Final = {ConversationKind.DIRECT: SinkKind.PRIVATE}
"""Whatever is no direct message counts as a place that others can see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """What an ingress works with."""

    options: HostOptions
    keys: HostKeys
    clock: Clock
    entropy: Entropy
    adapters: Adapters
    admissions: Admissions
    resolver: Resolver
    rosters: Rosters
    events: EventRegistry
    sinks: Sinks
    deliveries: Deliveries
    epochs: Epochs
    trail: Trail


@strict
class Ingress:
    """The door of one adapter."""

    def __init__(self, reception: Reception, adapter: IdentityAdapter) -> None:
        self._reception = reception
        self._adapter = adapter

    def verify(self, headers: Mapping[str, str], body: bytes) -> VerifiedEvent:
        """Return the event that `headers` and `body` prove, or change nothing.

        Raises:
            InputError: the request is malformed, not authentic, or was let in before.
            NonconformingError: the adapter broke its contract.
        """
        if type(body) is not bytes or len(body) > MAX_BODY_BYTES:
            raise InputError("is no body of at most 1 MiB", where="body", remedy="pass the bytes as received")
        self._reception.adapters.seal()
        stated = gate.listen(lambda: self._adapter.verify(headers, body))
        return receive(self._reception, parse_event(self._reception.options, self._adapter.name, stated))


def parse_event(options: HostOptions, name: str, stated: AdmittedEvent) -> AdmittedEvent:
    """Return the adapter's event, once everything in it can be used as it stands.

    Raises:
        InputError: an identifier is blank or a wildcard, or the account is not this home's.
        NonconformingError: the adapter spoke for another one.
    """
    if type(stated) is not AdmittedEvent or stated.adapter != name:
        raise NonconformingError("identity unavailable")
    conform(AdmittedEvent, stated, "event")
    if (stated.adapter, stated.account) not in options.accounts:
        raise InputError("is no account of this home", where="account", remedy="name it in the settings")
    parse_identifier(stated.event_id, where="event id")
    parse_identifier(stated.sender.sender_id, where="sender")
    if stated.conversation.kind is not ConversationKind.DIRECT or stated.conversation.conversation_id:
        parse_identifier(stated.conversation.conversation_id, where="conversation")
    if len(stated.mentions) > MAX_MENTIONS or len(stated.changes) > MAX_CHANGES:
        raise InputError("names too many people", where="event", remedy="send several events")
    for person in (*stated.mentions, *(change.sender_id for change in stated.changes)):
        parse_identifier(person, where="person")
    parse_characters(stated.text, where="text")
    parse_characters(stated.sender.label, where="label")
    return replace(stated, occurred_at=parse_moment(stated.occurred_at, where="occurred_at"))


def receive(reception: Reception, stated: AdmittedEvent) -> VerifiedEvent:
    """Let a parsed event in: refuse a replay, resolve its sender, note who belongs where.

    Raises:
        InputError: the event was let in before.
    """
    refuse_replay(reception, stated)
    sender = sender_of(reception, stated)
    conversation = conversation_of(reception, stated)
    resolution = reception.resolver.admit(sender)
    if conversation is not None:
        note_members(reception, stated, conversation, resolution)
    destination = reply_destination(reception, stated, sender, conversation)
    event = VerifiedEvent(
        event_id=EventId(reception.entropy.token("evt")),
        adapter=stated.adapter,
        account=stated.account,
        conversation=stated.conversation.kind,
        sender_label=stated.sender.label,
        text=stated.text,
        occurred_at=min(stated.occurred_at, reception.clock.now()),
        delivery=reception.deliveries.issue(destination, reception.sinks.delivery_revision(destination)),
    )
    reception.events.register(event, admission_of(reception, stated, sender, conversation, destination))
    return event


def refuse_replay(reception: Reception, stated: AdmittedEvent) -> None:
    """Remember the event's id, durably, and refuse it a second time.

    Raises:
        InputError: it was let in before.
    """
    now = reception.clock.now()
    key = reception.keys.digest(Purpose.ADMISSION, stated.adapter, stated.account, stated.event_id)
    until = now + reception.options.lifetimes.replay_memory
    if reception.admissions.admit(key, now, until) is Freshness.REPLAYED:
        raise InputError("was let in before", where="event id", remedy="acknowledge it and do nothing")


def sender_of(reception: Reception, stated: AdmittedEvent) -> Sender:
    """Return the sender as the host knows one."""
    return Sender(
        sender_key=reception.resolver.sender_key(stated.adapter, stated.account, stated.sender.sender_id),
        adapter=stated.adapter,
        account=stated.account,
        claim=stated.sender.claim,
        transport_ref=reception.keys.digest(Purpose.TRANSPORT, stated.adapter, stated.account, stated.event_id),
    )


def conversation_of(reception: Reception, stated: AdmittedEvent) -> ConversationRecord | None:
    """Return the conversation of a group event, as a principal."""
    if stated.conversation.kind is not ConversationKind.GROUP:
        return None
    return reception.rosters.conversation(stated.adapter, stated.account, stated.conversation.conversation_id)


def note_members(
    reception: Reception, stated: AdmittedEvent, conversation: ConversationRecord, resolution: Resolution
) -> None:
    """Take a verified group event as evidence of who belongs to the group.

    Departures count under every rule; presence only where the account goes by events.
    """
    rule = reception.options.accounts[stated.adapter, stated.account].membership
    if rule is MembershipRule.EVENT:
        for key in changed(reception, stated, ChangeKind.JOINED):
            note_presence(reception, stated, conversation, reception.resolver.find(key))
        note_presence(reception, stated, conversation, resolution)
    for key in changed(reception, stated, ChangeKind.LEFT):
        for head in reception.resolver.heads(key):
            note_departure(reception, stated, conversation, head)
    reception.epochs.settle()


def note_departure(reception: Reception, stated: AdmittedEvent, conversation: ConversationRecord, head: Head) -> None:
    """Record that somebody left the conversation, and write it down."""
    if reception.rosters.depart(head, conversation.conversation_id, stated.occurred_at):
        people = (conversation.conversation_id, head.principal.principal_id)
        reception.trail.note(HostAct.MEMBER_LEFT, target_ids=people)


def changed(reception: Reception, stated: AdmittedEvent, kind: ChangeKind) -> Iterator[str]:
    """Yield the keys of those whose membership changed in one way; the event's signer stands for them."""
    for change in stated.changes:
        if change.kind is kind:
            yield reception.resolver.sender_key(stated.adapter, stated.account, change.sender_id)


def note_presence(
    reception: Reception, stated: AdmittedEvent, conversation: ConversationRecord, resolution: Resolution
) -> None:
    """Record that somebody known belongs to the conversation."""
    if isinstance(resolution, Resolved):
        reception.rosters.observe(
            resolution.head.principal.principal_id,
            conversation.conversation_id,
            stated.adapter,
            stated.occurred_at,
            reception.options.lifetimes.conversation_membership,
        )


def admission_of(
    reception: Reception,
    stated: AdmittedEvent,
    sender: Sender,
    conversation: ConversationRecord | None,
    destination: Destination,
) -> Admission:
    """Return what the host keeps of the event while it lives."""
    named = stated.conversation.conversation_id
    digest = reception.keys.digest(Purpose.CONVERSATION, stated.adapter, stated.account, named)
    return Admission(
        sender=sender,
        conversation=stated.conversation.kind,
        conversation_id=None if conversation is None else conversation.conversation_id,
        route=digest if named else "",
        mention_keys=tuple(
            reception.resolver.sender_key(stated.adapter, stated.account, person)
            for person in dict.fromkeys(stated.mentions)
        ),
        destination=destination,
    )


def reply_destination(
    reception: Reception, stated: AdmittedEvent, sender: Sender, conversation: ConversationRecord | None
) -> Destination:
    """Return where a reply to the event goes: to its sender alone, or to its whole conversation."""

    def recipients() -> tuple[Recipient, ...]:
        if conversation is not None:
            return (Recipient(kind=AudienceKind.CONVERSATION, principal_id=conversation.conversation_id),)
        resolution = reception.resolver.resolve(sender)
        if stated.conversation.kind is ConversationKind.DIRECT and isinstance(resolution, Resolved):
            principal_id = resolution.head.principal.principal_id
            return (Recipient(kind=AudienceKind.USER, principal_id=principal_id),)
        return (ANYONE,)

    return Destination(
        sink_id=SinkId(stated.adapter),
        sink_kind=SINK_KINDS.get(stated.conversation.kind, SinkKind.CHANNEL),
        address=Address(
            adapter=stated.adapter,
            account=stated.account,
            conversation_id=stated.conversation.conversation_id,
            sender_id=stated.sender.sender_id,
        ),
        basis=Basis.FACTS,
        recipients=recipients,
    )
