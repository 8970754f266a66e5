"""The seed's end-to-end proof, steps 1 to 4 and 7, on a real home; names that are equal stand in `test_webhook`."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.run import Run
from privity.host.sinks import Outgoing, Sink
from privity.model.audit import AuditKind, AuditRecord
from privity.model.context import SinkKind
from privity.model.events import EventKind
from privity.model.ids import EgressCapabilityId, PrincipalId, SinkId
from privity.model.reasons import Reason
from privity.model.subjects import ConversationSubject, UserSubject
from privity.sdk.errors import DeniedError, EgressDeniedError
from privity.wiring import init_home
from privity.wiring import open as open_home

ALICE_FACT = "Sam's offer is 92,000 and nobody else may know."
BOB_FACT = "Sam's offer is 71,500, keep it between us."
ROOM_FACT = "The offer letters go out on Friday."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a fresh development home."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    return tmp_path / "home"


@pytest.fixture
def host(home: Path) -> Iterator[Host]:
    """Return a host with an agent, two people whose names are alike and a room of both."""
    with closing(open_home(home)) as opened:
        opened.add_agent("support")
        operator = opened.operator()
        people = [operator.identities.add_local_person(name) for name in ("sam-a", "sam-b")]
        team = operator.conversations.add("local", "local", "team")
        for person in people:
            operator.conversations.add_member(team, person)
        yield opened


def turn(host: Host, sender: str, text: str, room: str | None = None) -> Run:
    """Begin the run of one message."""
    event = host.vouch(sender, text, room)
    return host.agent("support").session(event).run(event)


def found(run: Run, query: str) -> list[str]:
    """Return the texts a search finds."""
    return [passage.text for passage in run.search(query)]


def fill(host: Host) -> None:
    """Let each Sam say something in private, and both something in the room."""
    for sender, fact, room in (
        ("sam-a", ALICE_FACT, None),
        ("sam-b", BOB_FACT, None),
        ("sam-a", ROOM_FACT, "team"),
    ):
        with turn(host, sender, "note this", room) as run:
            run.remember(fact)


def known(host: Host, label: str) -> PrincipalId:
    """Return the principal that the operator calls `label`."""
    people = host.operator().identities.people()
    return next(person.principal_id for person in people if person.label == label)


class Wire:
    """A sink that keeps what it was handed."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def deliver(self, outgoing: Outgoing) -> None:
        """Keep a reply."""
        self.sent.append(outgoing.text)


def connect(host: Host) -> Wire:
    """Register the sink of local replies."""
    wire = Wire()
    host.sinks.register(
        Sink(
            sink_id=SinkId("local"),
            capability_id=EgressCapabilityId("egress.local"),
            kind=SinkKind.SESSION,
            resolve=lambda _route: (),
            deliver=wire.deliver,
        )
    )
    return wire


@pytest.mark.proves("proof:step-1", "proof:step-2", "proof:step-3", "proof:step-4")
def test_two_people_and_their_room_each_find_their_own_and_nothing_beside_it(host: Host) -> None:
    """Steps 1 to 4: verified private messages, one noun, names alike, one room."""
    fill(host)
    with turn(host, "sam-a", "what is the offer?") as run:
        alice = found(run, "Sam's offer")
    with turn(host, "sam-b", "what is the offer?") as run:
        bob = found(run, "Sam's offer")
    with turn(host, "sam-b", "what about the offer?", "team") as run:
        room = found(run, "Sam's offer")

    assert alice == [ALICE_FACT]
    assert bob == [BOB_FACT]
    assert room == [ROOM_FACT]


@pytest.mark.proves("session:subject:kinds", "session:subject:write-once")
def test_the_subject_is_the_person_in_private_and_the_room_in_the_room(host: Host) -> None:
    """Who speaks last does not change it."""
    agent: Agent = host.agent("support")
    private = agent.session(host.vouch("sam-a", "hi"))
    first = agent.session(host.vouch("sam-a", "hi", "team"))
    last = agent.session(host.vouch("sam-b", "hi", "team"))

    assert isinstance(private.subject, UserSubject)
    assert isinstance(first.subject, ConversationSubject)
    assert (first.subject, first.session_id, first.subject_revision) == (
        last.subject,
        last.session_id,
        last.subject_revision,
    )


@pytest.mark.proves("egress:exposure:window", "egress:release:appended-first")
def test_nobody_launders_a_private_fact_by_waiting_a_turn(host: Host) -> None:
    """Search in private, say nothing, and try to post it into the room a turn later."""
    fill(host)
    wire = connect(host)
    room_event = host.vouch("sam-a", "anything new?", "team")
    with turn(host, "sam-a", "what is my offer?") as run:
        found(run, "offer")
    private_event = host.vouch("sam-a", "post it to the team")
    with (
        host.agent("support").session(private_event).run(private_event) as run,
        pytest.raises(EgressDeniedError) as denied,
    ):
        run.release("The offer is 92,000.", to=room_event.delivery)
    with host.agent("support").session(private_event).run(host.vouch("sam-a", "then tell me")) as run:
        run.release("Your offer is 92,000.", to=private_event.delivery)

    assert denied.value.reason is Reason.AUDIENCE_WIDENED
    assert denied.value.remedy
    assert wire.sent == ["Your offer is 92,000."]


@pytest.mark.proves("egress:registry:every-sink")
def test_an_unregistered_sink_is_denied(host: Host) -> None:
    """Nothing leaves through a place that no operator registered."""
    event = host.vouch("sam-a", "hi")
    with host.agent("support").session(event).run(event) as run, pytest.raises(EgressDeniedError):
        run.release("hello", to=event.delivery)


@pytest.mark.proves("session:membership:conversation-expires", "case:REV-02")
def test_REV_02_who_was_removed_from_the_room_is_denied_at_once(host: Host) -> None:
    """Removal reaches open runs as well as new ones."""
    fill(host)
    operator = host.operator()
    room, bob = operator.conversations.list()[0].conversation_id, known(host, "sam-b")
    open_run = turn(host, "sam-b", "what about the offer?", "team")
    before = found(open_run, "offer")
    operator.conversations.remove_member(room, bob)
    with pytest.raises(DeniedError) as in_flight:
        open_run.search("offer")
    with pytest.raises(DeniedError) as afresh:
        turn(host, "sam-b", "and now?", "team")

    assert before == [ROOM_FACT]
    assert in_flight.value.reason in {Reason.IDENTITY_REVOKED, Reason.MEMBERSHIP_STALE, Reason.INVALID_CONTEXT}
    assert afresh.value.reason is Reason.MEMBERSHIP_STALE


@pytest.mark.proves("proof:step-7", "audit:no-content")
def test_the_audit_shows_who_saw_what_without_what_it_says(host: Host, home: Path) -> None:
    """Step 7: exposures and decisions, and no fact, no query and no sender id anywhere in it."""
    fill(host)
    with turn(host, "sam-a", "what is the offer?") as run:
        found(run, "offer zanzibar")
        run.record(EventKind.TOOL_RESULT, "zanzibar result")
    host.drain()
    records = [entry.record for entry in host.audit(1000)]
    accesses = [r for r in records if isinstance(r, AuditRecord) and r.kind is AuditKind.ACCESS]

    assert [(a.result_count, len(a.revision_ids), len(a.target_ids)) for a in accesses] == [(1, 1, 1)]
    assert accesses[0].accessor_id == known(host, "sam-a")
    for canary in ("92,000", "zanzibar", "Sam", "offer", "note this"):
        assert canary not in repr(accesses)
    for file in (home / "host").rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert b"92,000" not in content
            assert b"zanzibar" not in content


@pytest.mark.proves("read:lane:no-unscoped-fallback")
def test_a_home_opened_again_remembers_the_same_for_the_same(host: Host, home: Path) -> None:
    """Closing and opening changes nothing of who finds what."""
    fill(host)
    host.close()
    with closing(open_home(home)) as again:
        with turn(again, "sam-b", "what is the offer?") as run:
            bob = found(run, "offer")
        with turn(again, "sam-a", "what is the offer?", "team") as run:
            room = found(run, "offer")

    assert bob == [BOB_FACT]
    assert room == [ROOM_FACT]
