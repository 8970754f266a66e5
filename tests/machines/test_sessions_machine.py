"""Sessions, bindings and memberships under any order of events, against a model made of dictionaries.

Both families of host stores are driven by the same steps and must agree with the model, and so
with each other.
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from typing_extensions import override

from privity.backends.inmemory.host_stores import open_host_memory
from privity.backends.sqlite.host_stores import open_host_stores
from privity.host.session import Session
from privity.model.ids import PrincipalId, SessionId, SessionKey
from privity.model.principals import PrincipalActor
from privity.model.subjects import SessionSubject
from privity.sdk.errors import DeniedError, InputError
from privity.sdk.identity import ChangeKind, MembershipChange
from tests.fakes import CountingEntropy, StandingClock
from tests.host.house import Builder, House, live_in

LONG: Final = os.environ.get("PRIVITY_LONG") == "1"
SENDERS: Final = ("u1", "u2", "u3")
DAY: Final = timedelta(hours=24)

senders = st.sampled_from(SENDERS)
rooms = st.sampled_from(["c1", "c2"])
places = st.sampled_from([None, None, "c1", "c2"])
successions = st.sampled_from(
    [Session.reset, Session.reset, Session.branch, Session.fork, Session.restore, Session.rewind]
)
ages = st.sampled_from([timedelta(0), timedelta(0), timedelta(hours=1), timedelta(hours=3)])


@dataclass(kw_only=True)
class Model:
    """What must be true: who is bound, merged or gone, who was seen where, who left, which window is current."""

    bound: dict[str, int] = field(default_factory=dict[str, int])
    revoked: set[str] = field(default_factory=set[str])
    gone: set[int] = field(default_factory=set[int])
    heads: dict[int, int] = field(default_factory=dict[int, int])
    seen: dict[tuple[int, str], datetime] = field(default_factory=dict[tuple[int, str], datetime])
    left: dict[tuple[int, str], datetime] = field(default_factory=dict[tuple[int, str], datetime])

    def head(self, person: int) -> int:
        """Return the merge head of a person."""
        return self.heads.get(person, person)

    def who(self, sender: str) -> int | None:
        """Return who a sender is now."""
        if sender not in self.bound or sender in self.revoked:
            return None
        head = self.head(self.bound[sender])
        return None if head in self.gone else head

    def hear(self, sender: str, room: str | None, at: datetime) -> None:
        """Take an event in."""
        if sender not in self.bound:
            self.bound[sender] = len(self.bound) + 1
        person = self.who(sender)
        if person is not None and room is not None:
            self.seen[person, room] = max(at, self.seen.get((person, room), at))

    def leave(self, sender: str, room: str, at: datetime) -> None:
        """Take the news in that somebody left."""
        for one in self.ids(self.head(self.bound[sender])):
            self.left[one, room] = max(at, self.left.get((one, room), at))

    def ids(self, person: int) -> list[int]:
        """Return every id of a person."""
        return [one for one in self.bound.values() if self.head(one) == person]

    def rooms(self, person: int, now: datetime) -> set[str]:
        """Return the rooms that a person belongs to."""
        ids = self.ids(person)
        departures = {(one, room): at for (one, room), at in self.left.items() if one in ids}
        return {
            room
            for (one, room), at in self.seen.items()
            if one in ids
            and at + DAY > now
            and all(at > gone for (_, there), gone in departures.items() if there == room)
        }


@dataclass(frozen=True, kw_only=True)
class Held:
    """A window that a client holds, one face in each house; `person` is whose it is, in private."""

    faces: tuple[Session, ...]
    sender: str
    room: str | None
    person: int | None


class SessionsMachine(RuleBasedStateMachine):
    """Drives two houses and the model."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = ExitStack()
        self.model = Model()
        self.held: list[Held] = []
        self.stamps: dict[tuple[int, SessionKey], SessionSubject] = {}
        self.current: dict[tuple[int, SessionKey], SessionId] = {}
        self.ids: tuple[dict[int, PrincipalId], ...] = ({}, {})
        self.epochs = [0, 0]
        self.houses: list[House] = []

    @initialize()
    def build(self) -> None:
        """Open two houses, one over each family of stores."""
        folder = Path(self.opened.enter_context(tempfile.TemporaryDirectory()))
        database = open_host_stores(folder / "host")
        self.opened.callback(database.close)
        self.houses = [
            Builder(stores=stores, clock=StandingClock(), entropy=CountingEntropy()).build()
            for stores in (open_host_memory(), database)
        ]

    @property
    def now(self) -> datetime:
        """The time in both houses."""
        return self.houses[0].clock.now()

    def learn(self, sender: str) -> None:
        """Learn which principal the model's person is in each house."""
        for known, house in zip(self.ids, self.houses, strict=True):
            key = house.workings.resolver.sender_key("chat", "acme", sender)
            known[self.model.bound[sender]] = house.stores.identities.find_bindings(key)[0].principal_id

    def hold(self, faces: tuple[Session, ...], sender: str, room: str | None, person: int | None) -> None:
        """Hold a window; a key that was seen before bears the subject it was stamped with."""
        for place, face in enumerate(faces):
            assert self.stamps.setdefault((place, face.key), face.subject) == face.subject
            self.current[place, face.key] = face.session_id
        self.held.append(Held(faces=faces, sender=sender, room=room, person=person))

    def is_current(self, held: Held) -> bool:
        """The held window is the one that its key maps to."""
        return self.current[0, held.faces[0].key] == held.faces[0].session_id

    def is_gone(self, held: Held) -> bool:
        """The person whose private session it is was revoked."""
        return held.person is not None and self.model.head(held.person) in self.model.gone

    @rule(sender=senders, room=places, age=ages)
    def hear(self, sender: str, room: str | None, age: timedelta) -> None:
        """Somebody says something; the session of its route opens."""
        at = self.now - age
        self.model.hear(sender, room, at)
        faces = tuple(house.session(sender, room=room, at=at)[1] for house in self.houses)
        self.learn(sender)
        person = self.model.who(sender) if room is None else None
        for place, face in enumerate(faces):
            expected = self.current.get((place, face.key), face.session_id)
            assert face.session_id == expected
        self.hold(faces, sender, room, person)

    @precondition(lambda self: bool(self.held))
    @rule(data=st.data(), age=ages)
    def run(self, data: st.DataObject, age: timedelta) -> None:
        """The sender of a held session says more, and a run begins exactly where it may."""
        held = data.draw(st.sampled_from(self.held))
        at = self.now - age
        self.model.hear(held.sender, held.room, at)
        person = self.model.who(held.sender)
        stays = person is not None if held.room is not None else (person is None) == (held.person is None)
        allowed = self.is_current(held) and stays and not self.is_gone(held)
        for place, (house, face) in enumerate(zip(self.houses, held.faces, strict=True)):
            event = house.hear(held.sender, room=held.room, at=at)
            if not allowed:
                with pytest.raises(DeniedError):
                    face.run(event)
                continue
            face.run(event).search("anything")
            self.agree(place, face, person)

    def agree(self, place: int, face: Session, person: int | None) -> None:
        """Hold the context that the plugin saw to the model."""
        context = self.houses[place].seen
        conversations = self.houses[place].host.operator().conversations
        assert context.session_subject == self.stamps[place, face.key]
        assert context.session_id == face.session_id
        if person is None:
            assert not isinstance(context.actor, PrincipalActor)
            assert context.verified_memberships == ()
            return
        assert isinstance(context.actor, PrincipalActor)
        assert context.actor.principal_id == self.ids[place][person]
        belongs = {conversations.add("chat", "acme", room) for room in self.model.rooms(person, self.now)}
        assert {membership.group_id for membership in context.verified_memberships} == belongs

    @precondition(lambda self: bool(self.held))
    @rule(data=st.data(), succeed=successions)
    def succeed(self, data: st.DataObject, succeed: Callable[[Session], Session]) -> None:
        """A held session gets a successor, if its window is not over and its person not gone."""
        held = data.draw(st.sampled_from(self.held))
        if not self.is_current(held) or self.is_gone(held):
            for face in held.faces:
                with pytest.raises(DeniedError):
                    succeed(face)
            self.follow_interrupted(held, succeed)
            return
        faces = tuple(succeed(face) for face in held.faces)
        for face, old in zip(faces, held.faces, strict=True):
            assert (face.subject, face.subject_revision) == (old.subject, old.subject_revision)
            assert face.session_id != old.session_id
            assert (face.key == old.key) is (succeed is Session.reset)
        self.hold(faces, held.sender, held.room, held.person)

    def follow_interrupted(self, held: Held, succeed: Callable[[Session], Session]) -> None:
        """A reset whose person is gone has moved the key all the same; nobody holds its window."""
        if succeed is not Session.reset:
            return
        for place, (house, face) in enumerate(zip(self.houses, held.faces, strict=True)):
            found = house.stores.sessions.find_session(house.agent.agent_id, face.key)
            assert found is not None
            self.current[place, face.key] = found.window.session_id

    @precondition(lambda self: bool(self.model.bound))
    @rule(data=st.data())
    def revoke_binding(self, data: st.DataObject) -> None:
        """The operator revokes a sender's binding."""
        sender = data.draw(st.sampled_from(sorted(self.model.bound)))
        self.model.revoked.add(sender)
        for house in self.houses:
            key = house.workings.resolver.sender_key("chat", "acme", sender)
            house.host.operator().identities.revoke_binding(house.stores.identities.find_bindings(key)[0].binding_id)

    @precondition(lambda self: bool(self.model.bound))
    @rule(data=st.data())
    def revoke_principal(self, data: st.DataObject) -> None:
        """The operator revokes a person, whoever was merged into them included."""
        person = self.model.bound[data.draw(st.sampled_from(sorted(self.model.bound)))]
        self.model.gone.add(self.model.head(person))
        for known, house in zip(self.ids, self.houses, strict=True):
            house.host.operator().identities.revoke_principal(known[person])

    @precondition(lambda self: len(self.model.bound) > 1)
    @rule(data=st.data())
    def merge(self, data: st.DataObject) -> None:
        """The operator merges two people, if they are two and live."""
        people = st.sampled_from(sorted(self.model.bound.values()))
        source, into = self.model.head(data.draw(people)), self.model.head(data.draw(people))
        possible = source != into and not {source, into} & self.model.gone
        for known, house in zip(self.ids, self.houses, strict=True):
            identities = house.host.operator().identities
            if possible:
                identities.merge(known[source], known[into], "the same person")
                continue
            with pytest.raises(InputError):
                identities.merge(known[source], known[into], "the same person")
        if possible:
            self.model.heads |= dict.fromkeys(self.model.ids(source), into)

    @precondition(lambda self: bool(self.model.bound))
    @rule(data=st.data(), room=rooms, age=ages)
    def leave(self, data: st.DataObject, room: str, age: timedelta) -> None:
        """News comes that somebody left a room."""
        sender = data.draw(st.sampled_from(sorted(self.model.bound)))
        at = self.now - age
        self.model.leave(sender, room, at)
        change = MembershipChange(kind=ChangeKind.LEFT, sender_id=sender)
        for house in self.houses:
            house.admit(replace(house.state("platform", "", room=room, at=at), changes=(change,)))

    @rule(hours=st.sampled_from([1, 5, 23]))
    def wait(self, hours: int) -> None:
        """Time passes."""
        for house in self.houses:
            house.clock.pass_by(timedelta(hours=hours))

    @invariant()
    def every_cell_knows_its_epoch(self) -> None:
        """The plugin holds the epoch that contexts will bear, and it never falls."""
        for place, house in enumerate(self.houses):
            (agent,) = house.stores.agents.list_agents()
            assert agent.settled_epoch == agent.host_facts_epoch == house.plugin.epochs[agent.agent_id]
            assert agent.host_facts_epoch >= self.epochs[place]
            self.epochs[place] = agent.host_facts_epoch

    @invariant()
    def no_context_is_left_open(self) -> None:
        """Whatever happened, the registry of live contexts is empty."""
        for house in self.houses:
            assert live_in(house) == {}

    @override
    def teardown(self) -> None:
        """Close what was opened."""
        self.opened.close()


@pytest.mark.machine
@pytest.mark.timeout(600)
@pytest.mark.proves(
    "session:subject:write-once",
    "session:subject:successors-copy",
    "session:rebound",
    "session:membership:conversation-expires",
    "identity:binding:revocation",
    "identity:principal:merge-head",
    "case:ID-19",
    "case:REV-02",
)
class TestSessions(SessionsMachine.TestCase):
    """The machine as a test."""

    settings = settings(
        max_examples=400 if LONG else 60,
        stateful_step_count=40 if LONG else 25,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
