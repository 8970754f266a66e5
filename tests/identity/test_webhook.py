"""The webhook adapter: what is signed, fresh and well formed comes in, and nothing else."""

import base64
import json
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from privity.identity.webhook import WebhookAdapter, WebhookSigner
from privity.sdk.errors import InputError
from privity.sdk.identity import ChangeKind, ConversationKind, MembershipChange, SenderClaim
from tests.fakes import START, StandingClock

SECRETS = {
    "main": "whsec_" + base64.b64encode(b"m" * 32).decode(),
    "side": "whsec_" + base64.b64encode(b"s" * 32).decode(),
}
BODY: dict[str, object] = {
    "sender": {"id": "U1", "label": "Sam"},
    "conversation": {"kind": "group", "id": "C1"},
    "text": "When is stand-up?",
}


def adapter(clock: StandingClock | None = None) -> WebhookAdapter:
    """Return an adapter with two accounts."""
    accounts = [
        WebhookSigner(account="main", secret=SECRETS["main"], claim=SenderClaim.VERIFIED),
        WebhookSigner(account="side", secret=SECRETS["side"], claim=SenderClaim.ASSERTED),
    ]
    return WebhookAdapter(accounts, clock or StandingClock())


def signed(
    body: bytes, *, account: str = "main", age: timedelta = timedelta(0), event_id: str = "msg_1"
) -> dict[str, str]:
    """Return the headers that an account would send with `body`."""
    at = START - age
    return {
        "Webhook-Id": event_id,
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": Webhook(SECRETS[account]).sign(event_id, at, body.decode()),
    }


def body_of(**changes: object) -> bytes:
    """Return a body."""
    return json.dumps({**BODY, **changes}).encode()


@pytest.mark.proves("identity:ingress:attestation")
def test_a_signed_event_comes_in() -> None:
    """The account is the one whose secret signed, and its claim is what the operator declared."""
    event = adapter().verify(signed(body_of()), body_of())
    other = adapter().verify(signed(body_of(), account="side"), body_of())

    assert (event.adapter, event.account, event.event_id) == ("webhook", "main", "msg_1")
    assert (event.sender.sender_id, event.sender.label, event.sender.claim) == ("U1", "Sam", SenderClaim.VERIFIED)
    assert (event.conversation.kind, event.conversation.conversation_id) == (ConversationKind.GROUP, "C1")
    assert (event.text, event.occurred_at) == ("When is stand-up?", START)
    assert (other.account, other.sender.claim) == ("side", SenderClaim.ASSERTED)
    assert adapter().name == "webhook"


@pytest.mark.proves("identity:ingress:attestation")
def test_everything_a_body_can_say_is_read() -> None:
    """Mentions, membership changes and the time; an unknown form of conversation is unknown."""
    body = body_of(
        mentions=["U2"],
        changes=[{"kind": "left", "id": "U3"}, {"kind": "joined", "id": "U4"}],
        occurred_at="2026-03-02T08:59:00+00:00",
        conversation={"kind": "huddle", "id": "C1"},
    )
    event = adapter().verify(signed(body), body)

    assert event.mentions == ("U2",)
    assert event.changes == (
        MembershipChange(kind=ChangeKind.LEFT, sender_id="U3"),
        MembershipChange(kind=ChangeKind.JOINED, sender_id="U4"),
    )
    assert START - event.occurred_at == timedelta(minutes=1)
    assert event.conversation.kind is ConversationKind.UNKNOWN


@pytest.mark.proves("identity:ingress:attestation")
def test_one_of_several_signatures_is_enough() -> None:
    """While a secret is being replaced, two stand in the header."""
    headers = signed(body_of())
    headers["Webhook-Signature"] = "v1,bm9wZQ== " + headers["Webhook-Signature"]

    assert adapter().verify(headers, body_of()).account == "main"


@pytest.mark.proves("identity:ingress:attestation")
@pytest.mark.parametrize(
    "changes",
    [
        {"Webhook-Signature": "v1,bm9wZQ=="},
        {"Webhook-Signature": "v2,"},
        {"Webhook-Signature": "nonsense"},
        {"Webhook-Signature": "é"},
        {"Webhook-Signature": ""},
        {"Webhook-Signature": " ".join(["v1,bm9wZQ=="] * 17)},
        {"Webhook-Id": "msg_2"},
        {"Webhook-Id": ""},
        {"Webhook-Id": "a\nb"},
        {"Webhook-Timestamp": str(int(START.timestamp()) + 1)},
        {"Webhook-Timestamp": "soon"},
        {"Webhook-Timestamp": "nan"},
        {"Webhook-Timestamp": "-1"},
        {"Webhook-Timestamp": "1e9"},
        {"Webhook-Timestamp": "9" * 30},
        {"Webhook-Timestamp": "٣" * 10},
    ],
)
def test_a_header_that_does_not_fit_is_refused(changes: dict[str, str]) -> None:
    """A wrong signature, another id, another time, and what is none of these."""
    with pytest.raises(InputError):
        adapter().verify({**signed(body_of()), **changes}, body_of())


@pytest.mark.proves("identity:ingress:attestation")
@pytest.mark.parametrize("name", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_a_header_that_stands_twice_is_refused(name: str) -> None:
    """Which of the two a sender meant, and which one a proxy looked at, nobody can say."""
    headers = signed(body_of())
    twice = {name.lower(): "x", **headers}
    with pytest.raises(InputError, match="names one twice"):
        adapter().verify(twice, body_of())
    with pytest.raises(InputError, match="names one twice"):
        adapter().verify({**headers, name.upper(): headers[name]}, body_of())


@pytest.mark.proves("identity:ingress:attestation", "case:API-17")
@pytest.mark.parametrize(
    "headers", [None, [], {"Webhook-Id": 7}, {"Webhook-Id": None}, {7: "x"}, {b"webhook-id": b"x"}]
)
def test_headers_are_a_mapping_of_text_to_text(headers: object) -> None:
    """Lists, bytes and numbers are errors of the caller, with a word of what to pass."""
    with pytest.raises(InputError, match="mapping of str to str"):
        adapter().verify(headers, body_of())  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("identity:ingress:attestation", "case:API-17")
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{", "is not JSON in UTF-8"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"sender": {"id": "U1", "id": "U2"}}', "names a field twice"),
        (b'{"sender": ' + b"9" * 5_000 + b"}", "is not JSON in UTF-8"),
        (b'{"sender": 1e999}', "is not an object"),
        (b'\xef\xbb\xbf{"sender": {}}', "is not JSON in UTF-8"),
    ],
)
def test_a_signed_body_that_cannot_be_read_says_why(body: bytes, problem: str) -> None:
    """Too deep, doubled and endless are told apart from what is no JSON at all."""
    with pytest.raises(InputError) as refused:
        adapter().verify(signed(body), body)

    assert refused.value.problem == problem


@pytest.mark.proves("identity:ingress:attestation")
@pytest.mark.parametrize("missing", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_a_missing_header_is_refused(missing: str) -> None:
    """All three are needed."""
    headers = signed(body_of())
    del headers[missing]
    with pytest.raises(InputError):
        adapter().verify(headers, body_of())


@pytest.mark.proves("identity:ingress:attestation", "case:POL-02")
@pytest.mark.parametrize(
    ("age", "accepted"),
    [
        (timedelta(minutes=5), True),
        (-timedelta(minutes=5), True),
        (timedelta(seconds=301), False),
        (-timedelta(seconds=301), False),
    ],
)
def test_a_signature_is_good_for_five_minutes(age: timedelta, *, accepted: bool) -> None:
    """Older or newer than that it is stale, by the home's own clock."""
    headers = signed(body_of(), age=age)
    if accepted:
        assert adapter().verify(headers, body_of())
        return
    with pytest.raises(InputError):
        adapter().verify(headers, body_of())


BAD_BODIES = [
    b"",
    b"{",
    b"[]",
    b'"text"',
    b"\xff\xfe",
    b'{"sender": {"id": "U1"}, "sender": {"id": "U2"}, "conversation": {"kind": "direct"}, "text": "x"}',
    b'{"sender": NaN}',
    b"[" * 100_000,
    body_of(user_id="U9"),
    body_of(sender={"id": "U1", "admin": True}),
    body_of(sender="U1"),
    body_of(sender={"id": 7}),
    body_of(conversation={"kind": "group", "store": "x"}),
    body_of(conversation=None),
    body_of(text=None),
    body_of(text=["x"]),
    body_of(mentions="U2"),
    body_of(mentions=[7]),
    body_of(changes={"left": "U2"}),
    body_of(changes=[{"kind": "kicked", "id": "U2"}]),
    body_of(changes=["U2"]),
    body_of(occurred_at="yesterday"),
    body_of(occurred_at="2026-03-02T09:00:00"),
    body_of(occurred_at=7),
    json.dumps({"conversation": {"kind": "direct"}, "text": "x"}).encode(),
    json.dumps({"sender": {"id": "U1"}, "text": "x"}).encode(),
    json.dumps({"sender": {"id": "U1"}, "conversation": {"kind": "direct"}}).encode(),
]


@pytest.mark.proves("identity:ingress:attestation", "case:ID-01", "case:API-17")
@pytest.mark.parametrize("body", BAD_BODIES)
def test_a_signed_body_of_another_form_is_refused(body: bytes) -> None:
    """Malformed, repeated, unknown, missing and undecodable parts are errors, however well signed."""
    headers = signed(b"x")
    if body != b"\xff\xfe":
        headers = signed(body)
    with pytest.raises(InputError):
        adapter().verify(headers, body)


@pytest.mark.property
@pytest.mark.proves("identity:ingress:attestation")
@given(
    body=st.binary(max_size=64),
    name=st.sampled_from(["webhook-id", "webhook-timestamp", "webhook-signature"]),
    value=st.text(max_size=40),
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_unsigned_gets_through(body: bytes, name: str, value: str) -> None:
    """Whatever headers and body are made of, without the secret there is no event."""
    headers = {
        "webhook-id": "msg",
        "webhook-timestamp": str(int(START.timestamp())),
        "webhook-signature": "v1,x",
        name: value,
    }
    with pytest.raises(InputError):
        adapter().verify(headers, body)


@pytest.mark.proves("identity:binding:no-raw-ids")
def test_a_secret_is_not_shown() -> None:
    """Not in a representation, and not in an error."""
    account = WebhookSigner(account="main", secret=SECRETS["main"], claim=SenderClaim.VERIFIED)

    assert SECRETS["main"] not in repr(account)
