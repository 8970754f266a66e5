"""The local adapter: an operator's word, sealed so that nobody else's passes for it."""

import pytest

from privity.identity.local import LocalAdapter
from privity.sdk.errors import InputError
from privity.sdk.identity import ChangeKind, ConversationKind, MembershipChange, SenderClaim
from tests.fakes import START, CountingEntropy, StandingClock


def adapter(key: bytes = bytes(32)) -> LocalAdapter:
    """Return a local adapter."""
    return LocalAdapter(key, StandingClock(), CountingEntropy())


@pytest.mark.proves("identity:strength:vouched")
def test_the_operators_word_says_that_it_is_one() -> None:
    """The claim is spelled out; no transport stands behind it."""
    local = adapter()
    request = local.event(sender="alice", conversation=None, text="hello")
    event = local.verify(request.headers, request.body)

    assert event.sender.claim is SenderClaim.VOUCHED
    assert event.sender.claim == "vouched-by-operator"
    assert (event.adapter, event.account, event.sender.sender_id) == ("local", "local", "alice")
    assert (event.conversation.kind, event.occurred_at) == (ConversationKind.DIRECT, START)
    assert local.name == "local"


@pytest.mark.proves("identity:strength:vouched")
def test_the_word_covers_room_time_and_company() -> None:
    """For evaluation, what was said long ago is said then."""
    local = adapter()
    left = MembershipChange(kind=ChangeKind.LEFT, sender_id="carol")
    then = START.replace(year=2024)
    request = local.event(
        sender="alice", conversation="team", text="", occurred_at=then, mentions=("bob",), changes=(left,)
    )
    event = local.verify(request.headers, request.body)

    assert (event.conversation.kind, event.conversation.conversation_id) == (ConversationKind.GROUP, "team")
    assert (event.occurred_at, event.mentions, event.changes) == (then, ("bob",), (left,))


@pytest.mark.proves("identity:strength:vouched", "identity:ingress:attestation")
def test_a_word_of_somebody_else_is_refused() -> None:
    """Another home's, one without a seal, one for another body or under another id."""
    local = adapter()
    request = local.event(sender="alice", conversation=None, text="hello")
    foreign = adapter(b"k" * 32).event(sender="alice", conversation=None, text="hello")
    other = local.event(sender="bob", conversation=None, text="hello")
    renamed = {**request.headers, "privity-local-id": "lcl_other"}
    for headers, body in (
        (foreign.headers, foreign.body),
        ({}, request.body),
        (request.headers, other.body),
        (renamed, request.body),
        ({**request.headers, "privity-local-seal": "\ud800é"}, request.body),
    ):
        with pytest.raises(InputError):
            local.verify(headers, body)


@pytest.mark.proves("case:WRITE-14")
@pytest.mark.parametrize("part", ["sender", "conversation", "text"])
def test_words_that_are_no_unicode_are_refused_at_once(part: str) -> None:
    """A lone surrogate goes no further than this door."""
    given = {"sender": "alice", "conversation": "team", "text": "hello"}
    with pytest.raises(InputError, match="not valid Unicode"):
        adapter().event(**{**given, part: "\ud800"})  # pyright: ignore[reportArgumentType]
