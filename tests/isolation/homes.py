"""Homes to compare: two copies of one, told apart only by what must make no difference."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Final

from privity.backends.inmemory.backend import open_memory
from privity.backends.sqlite.backend import open_vault
from privity.backends.sqlite.flusher import Durability
from privity.engine.indexing import Indexer
from privity.engine.parts import parts_of
from privity.engine.ports import Backend
from privity.engine.records import StoreRecord
from privity.model.audiences import Audience, AudienceKind
from privity.model.audit import AuditRecord
from privity.model.decisions import Denied
from privity.model.ids import ResourceHandle, RevisionId, SessionId, StoreId
from privity.model.mutations import Amendment, AmendmentKind
from privity.model.operations import Operation
from privity.model.passages import Remembered
from privity.model.policies import Effect
from privity.model.principals import PrincipalActor
from privity.model.resources import Anonymity, Section
from privity.model.stores import StoreKind
from privity.model.subjects import AutonomousKind
from tests.engine.desk import AGENT, CountingEntropy, Desk, Seat, StoppedClock, autonomous, dm, nobody, room

KINDS: Final = ("inmemory", "sqlite")
SHARED: Final = Audience(kind=AudienceKind.AGENT_SHARED, id=AGENT)
QUERIES: Final = (
    "launch",
    "when is the launch date of the harbour project",
    "發布日期",
    "launch 港口 date!",
    "...",
    "absent",
)
LIMITS: Final = (1, 6, 50)
WORDS: Final = "launch date launch harbour project when launch 發布日期 港口 date ... harbour harbour"
"""Every word of the queries, some of them often: what a foreign or denied row is full of."""

Alter = Callable[[Backend], Backend]


def unchanged(backend: Backend) -> Backend:
    """Return the backend itself."""
    return backend


@dataclass(kw_only=True)
class Home:
    """One home that can be opened, altered in what is below it, and opened again."""

    kind: str
    path: Path
    vfs: str | None = None
    durability: Durability = Durability.GROUPED
    closers: list[Callable[[], None]]

    def open(self, alter: Alter = unchanged) -> Desk:
        """Open the home at the same time, with the same ids to come."""
        clock, entropy = StoppedClock(), CountingEntropy()
        if self.kind == "inmemory":
            memory = open_memory(entropy=entropy)
            self.closers.append(memory.close)
            return Desk(alter(memory), clock=clock, entropy=entropy)
        vault = open_vault(self.path, clock=clock, entropy=entropy, durability=self.durability, vfs=self.vfs)
        self.closers.append(vault.close)
        return Desk(alter(vault), clock=clock, entropy=entropy)

    def close(self) -> None:
        """Close whatever is open."""
        while self.closers:
            self.closers.pop()()


@dataclass(kw_only=True)
class Twins:
    """Two copies of one furnished home, both open."""

    plain: Desk
    other: Desk
    homes: tuple[Home, Home]

    def close(self) -> None:
        """Close both."""
        for home in self.homes:
            home.close()


def twins(kind: str, path: Path, *, alter: Alter = unchanged) -> Twins:
    """Return two copies of one furnished home. What is in memory is furnished twice, under equal ids."""
    path.mkdir(exist_ok=True)
    homes = (
        Home(kind=kind, path=path / "plain", closers=[]),
        Home(kind=kind, path=path / "other", closers=[]),
    )
    if kind == "inmemory":
        plain, other = homes[0].open(), homes[1].open(alter)
        furnish(plain)
        furnish(other)
    else:
        furnish(homes[0].open())
        homes[0].close()
        shutil.copytree(homes[0].path, homes[1].path)
        plain, other = homes[0].open(), homes[1].open(alter)
    for desk in (plain, other):
        desk.entropy.count = 1_000_000
    return Twins(plain=plain, other=other, homes=homes)


def furnish(desk: Desk) -> None:
    """Give Alice, a room, a service and the agent notes of their own."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "My launch date is 3 May, at the harbour.")
    desk.kept(alice, "The harbour project has a budget of 40,000.")
    desk.kept(alice, "Lunch is at noon, 發布日期 is Monday.")
    desk.kept(alice, "Alice sails.", section=Section.CARD)
    team = desk.begin(room("team", "alice"))
    desk.kept(team, "The launch is on Monday at the harbour.")
    desk.kept(team, "港口 means harbour.")
    desk.kept(desk.begin(autonomous("cron")), "The launch report ran.")
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.PUBLISH))
    published(desk, "The launch calendar is public.", Anonymity.ANONYMOUS_SAFE)


@dataclass(frozen=True, kw_only=True)
class Amended:
    """A rule that the operator puts in force over the agent-shared store."""

    effect: Effect
    capability: Operation
    grantee: Seat | None = None


def operator() -> Seat:
    """Return the operator's seat."""
    return autonomous("operator", AutonomousKind.SYSTEM)


def amend(desk: Desk, amended: Amended) -> None:
    """Put a rule in force."""
    seat = desk.begin(operator())
    grantee = (amended.grantee or operator()).actor
    assert isinstance(grantee, PrincipalActor)
    context = desk.context(seat, Operation.POLICY_ADMIN)
    plan = desk.engine.authorize(context)
    assert not isinstance(plan, Denied), plan
    amendment = Amendment(
        kind=AmendmentKind.GRANT,
        effect=amended.effect,
        capability=amended.capability,
        grantee_id=grantee.principal_id,
        lifetime=None,
    )
    changed = desk.engine.amend_rules(context, plan, amendment)
    assert not isinstance(changed, Denied), changed


def published(desk: Desk, text: str, anonymity: Anonymity) -> None:
    """Publish a note to everybody, as the operator."""
    result = desk.publish(desk.begin(operator()), text, anonymity)
    assert isinstance(result, Remembered), result


def indexer(desk: Desk) -> Indexer:
    """Return an indexer over the desk's backend."""
    return Indexer(parts_of(desk.backend, desk, desk.clock, desk.entropy))


def store(desk: Desk, kind: StoreKind, audience: Audience) -> StoreRecord:
    """Return a store that is there."""
    return desk.backend.stores.find_stores(AGENT, [(kind, audience)])[0]


def elsewhere(seat: Seat, window: str) -> Seat:
    """Return the same seat in another window, so that what it is shown leaves the first one alone."""
    return replace(seat, session_id=SessionId(f"{seat.session_id}_{window}"))


def named(desk: Desk, seat: Seat, handle: ResourceHandle) -> tuple[StoreId, RevisionId]:
    """Return the store and the revision behind a handle of a seat."""
    handles = parts_of(desk.backend, desk, desk.clock, desk.entropy).handles
    found = handles.open_resource(desk.context(seat, Operation.READ), handle)
    assert found is not None
    return found.store_id, found.revision_id


def record_of_denial(desk: Desk) -> AuditRecord:
    """Return some audit record, for a commit that is made beside the engine."""
    return desk.engine.pull_outbox(AGENT, 0, 1)[0]


ALL_SEATS: Final = (dm("alice"), room("team", "alice"), room("team", None), autonomous("cron"), nobody())
"""Every kind of session that is compared."""


def crowd(desk: Desk, size: int) -> list[tuple[Seat, ResourceHandle]]:
    """Add foreign stores that are full of the queries' words: people, rooms and services."""
    added: list[tuple[Seat, ResourceHandle]] = []
    for number in range(size):
        seat = desk.begin(foreign(number))
        added.append((seat, desk.kept(seat, f"{WORDS} {number}")))
    return added


def foreign(number: int) -> Seat:
    """Return one of the strangers."""
    makers: tuple[Callable[[], Seat], ...] = (
        lambda: dm(f"stranger{number}"),
        lambda: room(f"strangers{number}", f"stranger{number}"),
        lambda: autonomous(f"foreign{number}"),
    )
    return makers[number % len(makers)]()


def answers(desk: Desk, *, since: int, whole: bool = True, seats: Sequence[Seat] = ALL_SEATS) -> list[str]:
    """Return everything that the seats are told, as text that differs where a byte does.

    With `whole`, the receipts too; else what was found and its handles.
    """
    desk.entropy.count = since
    told: list[str] = []
    for seat in seats:
        running = desk.begin(seat, "when is the launch?")
        for query in QUERIES:
            told += [asked(desk, running, query, limit, whole=whole) for limit in LIMITS]
        told += [bootstrapped(desk, running, whole=whole), *reread(desk, running)]
    return told


def asked(desk: Desk, seat: Seat, query: str, limit: int, *, whole: bool) -> str:
    """Return what a search is answered."""
    context = desk.context(seat, Operation.READ)
    plan = desk.engine.authorize(context)
    assert not isinstance(plan, Denied), plan
    envelope = desk.engine.search(context, plan, query, about=None, limit=limit)
    if isinstance(envelope, Denied) or whole:
        return repr(envelope)
    return repr((envelope.value, envelope.exposure.exposed_handles))


def bootstrapped(desk: Desk, seat: Seat, *, whole: bool) -> str:
    """Return the card that a seat is given."""
    context = desk.context(seat, Operation.READ)
    plan = desk.engine.authorize(context)
    assert not isinstance(plan, Denied), plan
    envelope = desk.engine.bootstrap(context, plan)
    return repr(envelope if isinstance(envelope, Denied) or whole else envelope.value)


def reread(desk: Desk, seat: Seat) -> list[str]:
    """Return what reading every handle that the seat was given shows."""
    found = desk.search(seat, "launch harbour", limit=50)
    assert not isinstance(found, Denied), found
    return [repr(desk.read(seat, passage.handle)) for passage in found]


def differences(plain: list[str], other: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of answers that are not the same to the byte."""
    pairs = zip_longest(plain, other, fillvalue="nothing")
    return [(one, two) for one, two in pairs if one.encode() != two.encode()]


def rows_found(told: list[str]) -> int:
    """Return how many passages the answers hold, so that a comparison of nothing is noticed."""
    return sum(answer.count("Passage(") for answer in told)


A_MOMENT: Final = timedelta(seconds=2)
