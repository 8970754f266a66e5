"""The one door: what is let in, what is refused, and who may open a door at all."""

import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from typing_extensions import override

from privity.host.events import VerifiedEvent
from privity.host.options import Mode
from privity.identity.webhook import TOLERANCE
from privity.model.context import Visibility
from privity.model.ids import DeliveryHandle, EventId
from privity.model.reasons import Reason
from privity.sdk.errors import DeniedError, InputError, NonconformingError
from privity.sdk.identity import ChangeKind, ConversationKind, MembershipChange
from tests.fakes import START
from tests.host.house import Builder, ChatAdapter, House


@pytest.mark.proves("identity:ingress:attestation", "identity:ingress:after-admission")
def test_a_verified_event_says_what_was_said_and_not_who(house: House) -> None:
    """It carries text, label and an opaque delivery; no identifier of the provider."""
    event = house.hear("u1", "hello there", room="c1")

    assert (event.text, event.sender_label, event.conversation) == ("hello there", "Sam", ConversationKind.GROUP)
    assert event.delivery.startswith("dlv_")
    assert "hello" not in repr(event)
    assert "u1" not in repr(event)


@pytest.mark.proves("identity:ingress:carrier", "context:issued-by-host-only")
def test_only_events_of_the_ingress_open_a_session(house: House) -> None:
    """A made-up event, a copy, a copy of another text and a stranger's class are refused."""
    event = house.hear("u1")
    made_up = VerifiedEvent(
        event_id=EventId("evt_1"),
        adapter="chat",
        account="acme",
        conversation=ConversationKind.DIRECT,
        sender_label="Sam",
        text="hello",
        occurred_at=START,
        delivery=DeliveryHandle("dlv_1"),
    )

    for forged in (made_up, copy.copy(event), replace(event, text="other"), object()):
        with pytest.raises(DeniedError) as denied:
            house.agent.session(forged)  # pyright: ignore[reportArgumentType]
        assert denied.value.reason is Reason.INVALID_CONTEXT


@pytest.mark.proves("identity:ingress:after-admission")
def test_an_event_is_let_in_once(builder: Builder) -> None:
    """Its id is remembered durably while a signature could still be good, and not longer."""
    house = builder.build()
    house.hear("u1", event_id="m-once")
    with pytest.raises(InputError):
        house.hear("u1", event_id="m-once")
    restarted = builder.build()
    with pytest.raises(InputError):
        restarted.hear("u1", event_id="m-once")
    restarted.hear("u1", event_id="m-once", account="strict")
    builder.clock.pass_by(timedelta(minutes=11))
    restarted.hear("u1", event_id="m-once")


@pytest.mark.proves("case:READ-02", "identity:principal:no-synthesis")
@pytest.mark.parametrize("bad", ["", "  ", "*", "%", "a\x00b", "\ud800", "x" * 513, None, 7])
def test_a_missing_or_hostile_sender_is_refused(house: House, bad: object) -> None:
    """Nobody is nobody: the event changes nothing and opens nothing."""
    with pytest.raises(InputError):
        house.hear(bad)  # pyright: ignore[reportArgumentType]

    assert not [one for one in house.host.operator().identities.people() if one.kind == "usr"]


@pytest.mark.proves("case:READ-02")
@pytest.mark.parametrize("kind", [ConversationKind.GROUP, ConversationKind.SHARED_MAIN, ConversationKind.UNKNOWN])
@pytest.mark.parametrize("bad", ["", " ", "*"])
def test_a_conversation_needs_a_name(house: House, kind: ConversationKind, bad: str) -> None:
    """A group without an id is refused; it is not everybody's group."""
    with pytest.raises(InputError):
        house.hear("u1", room=bad, kind=kind)


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize("text", ["a\x00b", "\udc80", "x" * (256 * 1024 + 1), "é" * (128 * 1024 + 1)])
def test_text_that_cannot_be_kept_exactly_is_refused(house: House, text: str) -> None:
    """NUL, lone surrogates and too much of anything are errors of the caller."""
    with pytest.raises(InputError):
        house.hear("u1", text)


@pytest.mark.proves("identity:ingress:attestation")
def test_what_an_adapter_states_is_held_to_its_own_name(house: House) -> None:
    """It speaks for no other adapter, for no unknown account, and states no nonsense."""
    good = house.state("u1")
    crowd = tuple(f"u{number}" for number in range(65))
    left = tuple(MembershipChange(kind=ChangeKind.LEFT, sender_id=one) for one in crowd) * 4
    with pytest.raises(NonconformingError):
        house.admit(replace(good, adapter="local", account="local"))
    with pytest.raises(NonconformingError):
        house.admit("not an event")  # pyright: ignore[reportArgumentType]
    for stated in (
        replace(good, account="other"),
        replace(good, mentions=crowd),
        replace(good, changes=left),
        replace(good, occurred_at=START.replace(tzinfo=None)),
        replace(good, event_id=" "),
        replace(good, mentions=("*",)),
    ):
        with pytest.raises(InputError):
            house.admit(stated)


@pytest.mark.proves("identity:ingress:attestation", "plugin:contract:fails-closed")
def test_an_adapter_that_fails_lets_nobody_in(house: House) -> None:
    """Its own words pass; anything else it raises ends as unavailable."""
    house.chat.failure = InputError("is wrong", where="signature", remedy="sign it")
    with pytest.raises(InputError):
        house.hear("u1")
    house.chat.failure = ZeroDivisionError()
    with pytest.raises(NonconformingError):
        house.hear("u1")


@pytest.mark.proves("identity:ingress:attestation")
@pytest.mark.parametrize("body", ["text", b"x" * (1024 * 1024 + 1), None])
def test_a_body_is_bytes_of_bounded_length(house: House, body: object) -> None:
    """An oversized body is refused before an adapter looks at it."""
    house.chat.failure = AssertionError("the adapter was asked")
    with pytest.raises(InputError):
        house.host.ingress("chat").verify({}, body)  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("identity:ingress:after-admission", "case:POL-02")
def test_no_event_is_let_in_twice_at_the_edge_of_its_time(builder: Builder) -> None:
    """A signature five minutes ahead is good until ten minutes from now, and so long its id is remembered."""
    house = builder.build()
    house.hear("u1", event_id="m-ahead")
    builder.clock.pass_by(2 * TOLERANCE)
    with pytest.raises(InputError, match="let in before"):
        house.hear("u1", event_id="m-ahead")


@pytest.mark.proves("identity:ingress:after-admission")
def test_an_event_id_with_other_content_is_a_replay(house: House) -> None:
    """Whoever says it and whatever is said: the id is what was let in."""
    house.hear("u1", event_id="m-once")
    for stated in (
        house.state("u1", "other words", event_id="m-once"),
        house.state("u2", event_id="m-once"),
        house.state("u1", room="c1", event_id="m-once"),
    ):
        with pytest.raises(InputError, match="let in before"):
            house.admit(stated)


@pytest.mark.proves("identity:ingress:attestation", "case:WRITE-14")
@pytest.mark.parametrize(
    "at",
    [
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
        datetime.max.replace(tzinfo=timezone(-timedelta(hours=14))),
    ],
)
def test_a_time_that_no_clock_shows_in_utc_is_refused(house: House, at: datetime) -> None:
    """It could be kept and never be read again, and with it whoever belongs to the room."""
    with pytest.raises(InputError, match="is no time"):
        house.hear("u1", room="c1", at=at)


@pytest.mark.proves("identity:ingress:attestation")
def test_a_time_of_another_zone_is_the_same_in_utc(house: House) -> None:
    """And none lies ahead of the home's own clock."""
    zone = timezone(timedelta(hours=5, minutes=30))
    then = house.hear("u1", at=(START - timedelta(hours=1)).astimezone(zone))
    ahead = house.hear("u1", at=(START + timedelta(days=999)).astimezone(zone))

    assert (then.occurred_at, then.occurred_at.tzinfo) == (START - timedelta(hours=1), UTC)
    assert ahead.occurred_at == START


@pytest.mark.proves("identity:ingress:attestation", "case:API-17")
def test_a_part_of_an_event_that_is_of_another_type_is_refused(house: House) -> None:
    """An adapter that states nonsense is told what, and nothing of it is shown or kept."""
    good = house.state("u1")
    for stated, where in (
        (replace(good, mentions=None), "event.mentions"),
        (replace(good, mentions=("u2", 7)), "event.mentions[1]"),
        (replace(good, changes=({"kind": "left"},)), "event.changes[0]"),
        (replace(good, sender=None), "event.sender"),
        (replace(good, text=b"secret"), "event.text"),
        (replace(good, occurred_at="secret"), "event.occurred_at"),
    ):
        with pytest.raises(InputError) as refused:
            house.admit(stated)
        assert refused.value.where == where
        assert "secret" not in str(refused.value)


class NamedByAnother(ChatAdapter):
    """An adapter that asks the host about itself when it is asked for its name."""

    def __init__(self, house: House) -> None:
        super().__init__()
        self.house = house

    @property
    @override
    def name(self) -> str:
        """Look at who is registered, and say another name."""
        _ = self.house.host.adapters.find("chat")
        return "other"


@pytest.mark.timeout(10)
@pytest.mark.proves("case:ID-14")
def test_an_adapter_may_use_the_host_while_it_is_registered(house: House) -> None:
    """It is asked for its name with nothing held, and does not wait for itself."""
    with pytest.raises(InputError, match="not on the list"):
        house.host.adapters.register(NamedByAnother(house))


class OtherAdapter(ChatAdapter):
    """An adapter that no operator named."""

    name = "other"


@pytest.mark.proves("case:ID-14")
def test_adapters_are_named_by_the_operator_once_and_in_time(house: House) -> None:
    """One that is not on the list, comes twice or comes late is refused."""
    with pytest.raises(InputError):
        house.host.adapters.register(OtherAdapter())
    with pytest.raises(InputError):
        house.host.adapters.register(ChatAdapter())
    with pytest.raises(InputError):
        house.host.ingress("other")
    house.hear("u1")
    with pytest.raises(InputError) as late:
        house.host.adapters.register(OtherAdapter())

    assert late.value.problem == "comes too late"


@pytest.mark.proves("identity:ingress:attestation", "egress:exposure-bounds-egress")
def test_an_event_without_words_begins_runs_and_leaves_no_message(house: House) -> None:
    """A client that only wants memory makes no transcript event."""
    event = house.hear("u1", "")
    house.agent.session(event).run(event)

    assert house.plugin.events == []


@pytest.mark.proves("identity:ingress:attestation")
def test_an_event_stands_in_the_transcript_once(house: House) -> None:
    """However many runs it begins, each agent hears it once."""
    event = house.hear("u1", "hello")
    session = house.agent.session(event)
    session.run(event)
    session.run(event)
    other = house.host.add_agent("other")
    other.session(event).run(event)

    assert [said.text for _, said in house.plugin.events] == ["hello", "hello"]


@pytest.mark.proves("identity:strength:vouched")
def test_a_production_home_takes_nobodys_word(builder: Builder) -> None:
    """There is no local door, and nothing to vouch with."""
    house = builder.build(mode=Mode.PRODUCTION)
    with pytest.raises(InputError):
        _ = house.host.local
    with pytest.raises(InputError):
        house.host.vouch("alice", "hello")


@pytest.mark.proves("session:incognito:narrows")
def test_an_incognito_session_is_one_of_its_own(house: House) -> None:
    """The same route has another session where it may leave no trace."""
    event = house.hear("u1")
    normal = house.agent.session(event)
    incognito = house.agent.session(event, Visibility.INCOGNITO)
    incognito.run(event)

    assert incognito.key != normal.key
    assert house.seen.visibility is Visibility.INCOGNITO
    with pytest.raises(DeniedError):
        normal.run(house.hear("u2"))
