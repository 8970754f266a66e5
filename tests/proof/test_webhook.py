"""The end-to-end proof with two people of one display name, through signed requests and through the operator's word."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import apsw
import pytest
from standardwebhooks.webhooks import Webhook

from privity.host.events import VerifiedEvent
from privity.host.host import Host
from privity.host.keys import derived_key
from privity.host.options import Mode
from privity.host.run import Run
from privity.host.sinks import Outgoing, Sink
from privity.identity.local import ID_HEADER, SEAL_HEADER
from privity.model.audit import AuditKind, AuditRecord
from privity.model.context import SinkKind
from privity.model.events import EventKind
from privity.model.ids import EgressCapabilityId, PrincipalId, SinkId
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.subjects import ConversationSubject, UserSubject
from privity.sdk.errors import DeniedError, EgressDeniedError, InputError
from privity.wiring import init_home
from privity.wiring import open as open_home
from privity.wiring.clock import SystemClock

SECRET: Final = "whsec_" + "c2VjcmV0" * 4
SETTINGS: Final = '\n[accounts.webhook.acme]\nsecret = "env:ACME_WEBHOOK_SECRET"\nsender = "verified"\n'
SAM: Final = "Sam Rivers"
"""What both of them are called, in every event of theirs."""

ONE, OTHER, ROOM = "U-7731", "U-9942", "C-5508"
ONE_FACT: Final = "Sam Rivers has an offer of 92,000 and nobody else may know."
OTHER_FACT: Final = "Sam Rivers has an offer of 71,500, keep it between us."
ROOM_FACT: Final = "The offer letters of Sam Rivers go out on Friday."
Headers = dict[str, str]


def signed(_: Path, event_id: str, body: str) -> Headers:
    """Return the headers of a request as the account's signer makes them."""
    now = SystemClock().now()
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(SECRET).sign(event_id, now, body),
    }


def sealed(home: Path, event_id: str, body: str) -> Headers:
    """Return the headers of an event on the operator's word; `host.local.event` names no label."""
    key = derived_key((home / "host" / "keys" / "host.key").read_bytes(), "local")
    message = len(event_id).to_bytes(8, "big") + event_id.encode() + body.encode()
    return {ID_HEADER: event_id, SEAL_HEADER: hmac.new(key, message, hashlib.sha256).hexdigest()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A home, and one way for people to reach the agent in it."""

    home: Path
    host: Host
    adapter: str
    account: str
    proof_of: Callable[[Path, str, str], Headers]
    sent: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def request(self, sender: str, text: str, room: str | None) -> tuple[Headers, bytes]:
        """Return what the transport sends for one message of somebody called Sam."""
        place = {"kind": "direct"} if room is None else {"kind": "group", "id": room}
        document = {"sender": {"id": sender, "label": SAM}, "conversation": place, "text": text}
        body = json.dumps(document)
        return self.proof_of(self.home, f"evt-{secrets.token_hex(8)}", body), body.encode()

    def hear(self, sender: str, text: str, room: str | None = None) -> VerifiedEvent:
        """Let one message in."""
        return self.host.ingress(self.adapter).verify(*self.request(sender, text, room))

    def turn(self, sender: str, text: str, room: str | None = None) -> Run:
        """Begin the run of one message."""
        event = self.hear(sender, text, room)
        return self.host.agent("support").session(event).run(event)

    def person(self, sender: str) -> PrincipalId:
        """Return who a sender is."""
        subject = self.host.agent("support").session(self.hear(sender, "hi")).subject
        assert isinstance(subject, UserSubject)
        return subject.principal_id

    def join(self, *senders: str) -> None:
        """Have people in the room: each by an event of their own, or by the operator's word where that counts."""
        conversations = self.host.operator().conversations
        for sender in senders:
            person = self.person(sender)
            if self.adapter == "local":
                conversations.add_member(conversations.add(self.adapter, self.account, ROOM), person)
            else:
                self.hear(sender, "hello all", ROOM)

    def deliver(self, outgoing: Outgoing) -> None:
        """Keep a reply, and where it went."""
        self.sent.append((outgoing.address.conversation_id or outgoing.address.sender_id, outgoing.text))


@pytest.fixture(
    params=[
        pytest.param(("webhook", "acme", signed), id="signed"),
        pytest.param(("local", "local", sealed), id="local"),
    ]
)
def door(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """Return a real home with an agent and a sink for replies, where nobody is known beforehand."""
    adapter, account, proof_of = cast("tuple[str, str, Callable[[Path, str, str], Headers]]", request.param)
    monkeypatch.setenv("ACME_WEBHOOK_SECRET", SECRET)
    home = tmp_path / "home"
    init_home(home, Mode.DEVELOPMENT)
    with (home / "privity.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    with closing(open_home(home)) as host:
        host.add_agent("support")
        made = Door(home=home, host=host, adapter=adapter, account=account, proof_of=proof_of)
        host.sinks.register(
            Sink(
                sink_id=SinkId(adapter),
                capability_id=EgressCapabilityId("egress.replies"),
                kind=SinkKind.SESSION,
                resolve=lambda _route: (),
                deliver=made.deliver,
            )
        )
        yield made


def fill(door: Door) -> None:
    """Let each Sam say something in private, both join the room, and one of them say something there."""
    for sender, fact in ((ONE, ONE_FACT), (OTHER, OTHER_FACT)):
        with door.turn(sender, "note this") as run:
            run.remember(fact)
    door.join(ONE, OTHER)
    with door.turn(ONE, "note this", ROOM) as run:
        run.remember(ROOM_FACT)


def found(door: Door, sender: str, query: str, room: str | None = None) -> list[str]:
    """Return the texts that a search finds in a turn of its own."""
    with door.turn(sender, "what is the offer?", room) as run:
        return [passage.text for passage in run.search(query)]


@pytest.mark.proves("proof:step-1", "identity:ingress:attestation", "store:about:same-name-two-ids")
def test_two_people_of_one_name_are_two_people(door: Door) -> None:
    """Their label is the same letter for letter, nobody named them beforehand, and what they sign tells them apart."""
    labels = {door.hear(sender, "hi", room).sender_label for sender in (ONE, OTHER) for room in (None, ROOM)}
    one, other = door.person(ONE), door.person(OTHER)
    named = {person.principal_id: person.label for person in door.host.operator().identities.people()}
    headers, body = door.request(ONE, "hi", None)
    with pytest.raises(InputError):
        door.host.ingress(door.adapter).verify(headers, body.replace(ONE.encode(), OTHER.encode()))

    assert labels == {SAM}
    assert one != other
    assert (door.person(ONE), door.person(OTHER)) == (one, other)
    assert named[one] == named[other]


@pytest.mark.proves("proof:step-2", "proof:step-3", "proof:step-4", "store:about:same-name-two-ids")
@pytest.mark.parametrize("query", ["Sam Rivers", "offer", "92,000", "71,500", "Friday"])
def test_each_of_one_name_finds_their_own_and_their_room_the_rooms(door: Door, query: str) -> None:
    """By the name, by the noun, and by the very words of what another one keeps."""
    fill(door)
    everything = (ONE_FACT, OTHER_FACT, ROOM_FACT)
    holds = {fact for fact in everything if query in fact}

    assert set(found(door, ONE, query)) == holds & {ONE_FACT}
    assert set(found(door, OTHER, query)) == holds & {OTHER_FACT}
    assert set(found(door, ONE, query, ROOM)) == holds & {ROOM_FACT}
    assert set(found(door, OTHER, query, ROOM)) == holds & {ROOM_FACT}


@pytest.mark.proves("proof:step-4", "plugin:handle:no-bearer")
def test_a_handle_of_another_of_the_same_name_opens_nothing(door: Door) -> None:
    """Neither in private nor in the room; what its owner reads by it is there."""
    fill(door)
    with door.turn(ONE, "what is the offer?") as run:
        handle = run.search("offer")[0].handle
        own = run.read(handle).text
    reasons: list[Reason] = []
    for sender, room in ((OTHER, None), (OTHER, ROOM), (ONE, ROOM)):
        with door.turn(sender, "read it", room) as run, pytest.raises(DeniedError) as denied:
            run.read(handle)
        reasons.append(denied.value.reason)

    assert own == ONE_FACT
    assert reasons == [Reason.OUTSIDE_VIEW] * 3


@pytest.mark.proves("session:subject:kinds", "session:subject:write-once")
def test_the_room_stays_the_subject_whichever_of_them_speaks(door: Door) -> None:
    """Two private sessions, and one of the room."""
    fill(door)
    agent = door.host.agent("support")
    rooms = [agent.session(door.hear(sender, "hi", ROOM)) for sender in (ONE, OTHER)]
    private = {agent.session(door.hear(sender, "hi")).session_id for sender in (ONE, OTHER)}

    assert len(private) == 2
    assert isinstance(rooms[0].subject, ConversationSubject)
    assert (rooms[0].subject, rooms[0].session_id) == (rooms[1].subject, rooms[1].session_id)


@pytest.mark.proves("egress:exposure:window", "egress:exposure-bounds-egress", "egress:release:appended-first")
def test_nobody_of_one_name_launders_a_private_fact_by_waiting_a_turn(door: Door) -> None:
    """Shown in one turn, said a turn later: to the room and to the namesake never, to whom it belongs yes."""
    fill(door)
    to_room, to_other = door.hear(ONE, "anything new?", ROOM), door.hear(OTHER, "anything new?")
    seen = found(door, ONE, "offer")
    reasons: list[Reason] = []
    for destination in (to_room, to_other):
        with door.turn(ONE, "post it") as run, pytest.raises(EgressDeniedError) as denied:
            run.release("The offer is 92,000.", to=destination.delivery)
        reasons.append(denied.value.reason)
    own = door.hear(ONE, "then tell me")
    with door.host.agent("support").session(own).run(own) as run:
        run.release("Your offer is 92,000.", to=own.delivery)
    with door.host.agent("support").session(to_room).run(to_room) as run:
        run.search("offer")
        run.release("The letters go out on Friday.", to=to_room.delivery)

    assert seen == [ONE_FACT]
    assert reasons == [Reason.AUDIENCE_WIDENED] * 2
    assert door.sent == [(ONE, "Your offer is 92,000."), (ROOM, "The letters go out on Friday.")]


CANARIES: Final = ("92,000", "71,500", "Friday", "offer", "Rivers", "zanzibar", "note this", "quokka", "wombat", SECRET)
OUTSIDE_IDS: Final = (ONE, OTHER, ROOM)


def live(door: Door) -> None:
    """Do everything that leaves a row in the audit, allowed and denied, with words that are found again."""
    fill(door)
    with door.turn(ONE, "zanzibar") as run:
        handle = run.search("offer zanzibar")[0].handle
        run.read(handle)
        run.remember_card("A card about the quokka.")
        run.bootstrap()
        run.record(EventKind.TOOL_RESULT, "the quokka result")
    with door.turn(OTHER, "zanzibar", ROOM) as run:
        run.search("offer zanzibar")
        with pytest.raises(DeniedError):
            run.read(handle)
        with pytest.raises(DeniedError):
            run.forget(handle)
    event, room = door.hear(ONE, "say the wombat"), door.hear(ONE, "the wombat", ROOM)
    with door.host.agent("support").session(event).run(event) as run:
        with pytest.raises(EgressDeniedError):
            run.release("The wombat has 92,000.", to=room.delivery)
        run.release("Your wombat has 92,000.", to=event.delivery)
        run.forget(handle)
    operator, agent = door.host.operator(), door.host.agent("support")
    operator.grant(agent, Operation.PUBLISH, door.person(OTHER))
    operator.publish(agent, "The wombat is public.")
    operator.identities.revoke_principal(door.person(OTHER))
    door.host.drain()


def outbox_rows(home: Path) -> list[str]:
    """Return what stands in the outbox of every agent of a home that is closed."""
    found: list[str] = []
    for path in sorted((home / "vault").rglob("agent.db")):
        database: Any = apsw.Connection(str(path))  # apsw's own type is not typed strictly
        found += [str(row) for row in database.execute("SELECT * FROM outbox")]
        database.close()
    return found


def bytes_of(directory: Path) -> bytes:
    """Return all that stands in the files of a directory."""
    return b"\n".join(path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file())


@pytest.mark.proves("proof:step-7", "audit:no-content", "audit:who-saw-it")
def test_no_record_of_any_kind_and_no_file_of_the_host_says_what_was_said(door: Door) -> None:
    """Every kind of record is there, and no fact, query, reply, name, sender or secret is in any, nor in an outbox."""
    live(door)
    records = [entry.record for entry in door.host.audit(500)]
    kept = [record for record in records if isinstance(record, AuditRecord)]
    door.host.close()
    rows, host_files, vault = outbox_rows(door.home), bytes_of(door.home / "host"), bytes_of(door.home / "vault")
    places = {"audit": repr(records), "outbox": "\n".join(rows), "host": host_files.decode("latin-1")}
    said = {place: [word for word in (*CANARIES, *OUTSIDE_IDS) if word in text] for place, text in places.items()}

    assert {record.kind for record in kept} == set(AuditKind)
    assert len(rows) == len(kept)
    assert said == {"audit": [], "outbox": [], "host": []}
    assert [word for word in ("71,500", "zanzibar", "quokka", "wombat") if word.encode() not in vault] == []


@pytest.mark.proves("proof:step-7", "audit:who-saw-it")
def test_the_audit_tells_two_people_of_one_name_apart(door: Door) -> None:
    """Whose look it was, at how much, under which session's store."""
    fill(door)
    people = {ONE: door.person(ONE), OTHER: door.person(OTHER)}
    for sender, room in ((ONE, None), (OTHER, None), (OTHER, ROOM)):
        found(door, sender, "offer", room)
    door.host.drain()
    records = [entry.record for entry in door.host.audit(500)]
    looks = [one for one in records if isinstance(one, AuditRecord) and one.kind is AuditKind.ACCESS]
    seen = [set(one.revision_ids) for one in looks]

    assert [one.accessor_id for one in looks] == [people[ONE], people[OTHER], people[OTHER]]
    assert [(one.result_count, len(one.revision_ids)) for one in looks] == [(1, 1)] * 3
    assert seen[0].isdisjoint(seen[1] | seen[2])
    assert seen[1].isdisjoint(seen[2])
