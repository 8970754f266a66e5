"""Planted leaks: one part each is replaced by one that does not do its work."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from typing_extensions import override

from privity.backends.inmemory.artifacts import InMemoryArtifacts
from privity.backends.inmemory.backend import InMemoryBackend
from privity.backends.inmemory.revisions import InMemoryRevisions
from privity.backends.inmemory.runs import InMemoryRuns
from privity.backends.inmemory.stores import InMemoryStores
from privity.engine.engine import Engine
from privity.engine.handles import Handles
from privity.engine.parts import parts_of
from privity.engine.ports import Artifacts, Backend, Index, Keys, Outbox, Revisions, Runs, Stores
from privity.engine.records import ActivateCommit, PolicyClass, RevisionRecord, StoreRecord, TombstoneCommit
from privity.engine.seals import Seals
from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import AgentId, PolicyId, RevisionId, RunExposureRevision, SessionId
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy
from privity.model.principals import Membership, PrincipalActor
from privity.model.receipts import EgressReceipt
from privity.model.resources import Anonymity, Section
from privity.model.standing import ContextStanding
from privity.model.stores import StoreKind
from tests.engine.desk import AGENT, CountingEntropy, Desk, Seat, StoppedClock, belonging, person
from tests.leaks.doors import DeskDoor
from tests.leaks.oracle import Sitting

EVERYBODY: Final = Audience(kind=AudienceKind.AGENT_SHARED, id=AGENT)
ANN: Final = Audience(kind=AudienceKind.USER, id=person("ann"))


@dataclass(frozen=True, kw_only=True)
class Parted:
    """A backend in parts."""

    stores: Stores
    revisions: Revisions
    runs: Runs
    outbox: Outbox
    artifacts: Artifacts
    index: Index
    keys: Keys


def parted(backend: Backend) -> Parted:
    """Take a backend apart."""
    return Parted(
        stores=backend.stores,
        revisions=backend.revisions,
        runs=backend.runs,
        outbox=backend.outbox,
        artifacts=backend.artifacts,
        index=backend.index,
        keys=backend.keys,
    )


class MountsMembers(InMemoryStores):
    """Mounts the private store of a member in a room."""

    @override
    def find_stores(self, agent_id: AgentId, wanted: Sequence[tuple[StoreKind, Audience]]) -> tuple[StoreRecord, ...]:
        found = super().find_stores(agent_id, wanted)
        rooms = [audience for kind, audience in wanted if kind is StoreKind.CONVERSATION]
        private = super().find_stores(agent_id, [(StoreKind.USER, ANN)]) if rooms else ()
        return found + tuple(
            replace(store, facts=replace(store.facts, kind=StoreKind.CONVERSATION, audience=rooms[0]))
            for store in private
        )

    @override
    def load_policies(self, agent_id: AgentId, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
        found = super().load_policies(agent_id, ids)
        return {
            key: replace(policy, audience=EVERYBODY) if policy.audience == ANN else policy
            for key, policy in found.items()
        }


class IgnoresDenials(InMemoryStores):
    """Forgets every rule that denies."""

    @override
    def load_policies(self, agent_id: AgentId, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
        found = super().load_policies(agent_id, ids)
        return {
            key: replace(policy, rules=tuple(r for r in policy.rules if r.effect is Effect.ALLOW))
            for key, policy in found.items()
        }


class IgnoresTombstones(InMemoryRevisions):
    """Says that it tombstoned, and does not."""

    @override
    def tombstone(self, commit: TombstoneCommit) -> int:
        return 0


class KeepsBytes(InMemoryArtifacts):
    """Removes nothing."""

    @override
    def remove(self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId) -> None:
        return


class DropsRequirements(InMemoryRevisions):
    """Keeps what was derived as if it had been made from nothing."""

    @override
    def activate(self, commit: ActivateCommit) -> RevisionRecord:
        revision = replace(commit.revision, requirements=(), parents=())
        return super().activate(replace(commit, revision=revision))


class CallsAllAnonymous(InMemoryRevisions):
    """Takes every row for one that is safe where nobody is known."""

    @override
    def load_revisions(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> Mapping[RevisionId, RevisionRecord]:
        return {key: anonymous(row) for key, row in super().load_revisions(agent_id, ids).items()}

    @override
    def load_classes(self, agent_id: AgentId, ids: Iterable[str]) -> Mapping[str, PolicyClass]:
        found = super().load_classes(agent_id, ids)
        return {key: replace(row, anonymity=Anonymity.ANONYMOUS_SAFE) for key, row in found.items()}


def anonymous(row: RevisionRecord) -> RevisionRecord:
    """Return a row as one that is safe where nobody is known."""
    return replace(row, anonymity=Anonymity.ANONYMOUS_SAFE)


class IgnoresTime(InMemoryRevisions):
    """Takes every row for one that never expires."""

    @override
    def load_revisions(self, agent_id: AgentId, ids: Iterable[RevisionId]) -> Mapping[RevisionId, RevisionRecord]:
        return {key: lasting(row) for key, row in super().load_revisions(agent_id, ids).items()}

    @override
    def activate(self, commit: ActivateCommit) -> RevisionRecord:
        return super().activate(replace(commit, revision=lasting(commit.revision)))


def lasting(row: RevisionRecord) -> RevisionRecord:
    """Return a row that never expires."""
    return replace(row, lifetime=replace(row.lifetime, expires_at=None))


class OneKeySeals(Seals):
    """Derives one key for the handles of all sessions."""

    @override
    def derive(self, purpose: str, length: int) -> bytes:
        return super().derive("handle" if purpose.startswith("handle/") else purpose, length)


class SharesHandles(Desk):
    """A desk whose engine gives one handle to a revision in every session."""

    def __init__(self, backend: Backend, *, clock: StoppedClock, entropy: CountingEntropy) -> None:
        super().__init__(backend, clock=clock, entropy=entropy)
        parts = parts_of(backend, self, clock, entropy)
        self.engine = Engine(replace(parts, handles=Handles(OneKeySeals(backend.keys.home_key()))))


class IgnoresMembership(Desk):
    """A desk that takes everybody for a member of the room, and of what they once belonged to."""

    @override
    def context(self, seat: Seat, operation: Operation, audiences: Sequence[Audience] | None = None) -> AccessContext:
        present = tuple(lasts(one, self.clock.now()) for one in seat.memberships)
        return super().context(replace(seat, memberships=(*present, *admitted(seat))), operation, audiences)


def lasts(membership: Membership, now: datetime) -> Membership:
    """Return a membership as one that holds."""
    return replace(membership, expires_at=now + timedelta(hours=1))


def admitted(seat: Seat) -> tuple[Membership, ...]:
    """Return evidence that the speaker belongs to the room, whoever it is."""
    if seat.conversation is None or not isinstance(seat.actor, PrincipalActor):
        return ()
    return (belonging(seat.actor.principal_id, seat.conversation.conversation_id, hours=10_000),)


class IgnoresDelivery(Desk):
    """A desk that states the first recipient of a delivery and no other."""

    @override
    def context(self, seat: Seat, operation: Operation, audiences: Sequence[Audience] | None = None) -> AccessContext:
        return super().context(seat, operation, None if audiences is None else audiences[:1])


class IgnoresRevocation(Desk):
    """A desk that never says that somebody was revoked."""

    @override
    def standing(self, context: AccessContext) -> ContextStanding:
        return replace(super().standing(context), revoked_ids=frozenset())


class OpensGate(Engine):
    """An engine whose receipts allow whatever was asked for."""

    @override
    def authorize_egress(
        self, context: AccessContext, exposure_revision: RunExposureRevision
    ) -> EgressReceipt | Denied:
        receipt = super().authorize_egress(context, exposure_revision)
        if isinstance(receipt, Denied):
            return receipt
        return replace(receipt, allowed_audiences=context.delivery.audiences)


class OpenGateDesk(Desk):
    """A desk whose gate is open."""

    def __init__(self, backend: Backend, *, clock: StoppedClock, entropy: CountingEntropy) -> None:
        super().__init__(backend, clock=clock, entropy=entropy)
        self.engine = OpensGate(parts_of(backend, self, clock, entropy))


class ForgetsWindows(DeskDoor):
    """A door that begins every turn as if its window had been shown nothing."""

    @override
    def begin(self, sitting: Sitting) -> bool:
        runs = self.desk.backend.runs
        assert isinstance(runs, InMemoryRuns)
        runs.memory.cell(AGENT).windows.pop(SessionId(sitting.window), None)
        return super().begin(sitting)


Build = Callable[[InMemoryBackend, StoppedClock, CountingEntropy], DeskDoor]


def stores(kind: type[InMemoryStores]) -> Build:
    """Plant another kind of stores."""
    return lambda backend, clock, entropy: DeskDoor(
        Desk(replace(parted(backend), stores=kind(memory=backend.stores.memory)), clock=clock, entropy=entropy)
    )


def revisions(kind: type[InMemoryRevisions]) -> Build:
    """Plant another kind of catalog."""
    return lambda backend, clock, entropy: DeskDoor(
        Desk(replace(parted(backend), revisions=kind(memory=backend.revisions.memory)), clock=clock, entropy=entropy)
    )


def keep_forgotten(backend: InMemoryBackend, clock: StoppedClock, entropy: CountingEntropy) -> DeskDoor:
    """Plant a catalog that forgets nothing, and artifacts that stay."""
    memory = backend.revisions.memory
    planted = replace(
        parted(backend),
        revisions=IgnoresTombstones(memory=memory),
        artifacts=KeepsBytes(memory=memory, entropy=entropy),
    )
    return DeskDoor(Desk(planted, clock=clock, entropy=entropy))


def desks(kind: type[Desk]) -> Build:
    """Plant another kind of desk."""
    return lambda backend, clock, entropy: DeskDoor(kind(backend, clock=clock, entropy=entropy))


def forget_windows(backend: InMemoryBackend, clock: StoppedClock, entropy: CountingEntropy) -> DeskDoor:
    """Plant a window that is forgotten between turns."""
    return ForgetsWindows(Desk(backend, clock=clock, entropy=entropy))


def sound(backend: Backend, clock: StoppedClock, entropy: CountingEntropy) -> DeskDoor:
    """Plant nothing."""
    return DeskDoor(Desk(backend, clock=clock, entropy=entropy))


PLANTS: Final[Mapping[str, Build]] = {
    "a room mounts a member's private store": stores(MountsMembers),
    "membership is ignored": desks(IgnoresMembership),
    "tombstones are ignored": keep_forgotten,
    "windows are forgotten between turns": forget_windows,
    "further recipients are ignored": desks(IgnoresDelivery),
    "the gate is open": desks(OpenGateDesk),
    "handles are shared across sessions": desks(SharesHandles),
    "denying rules are ignored": stores(IgnoresDenials),
    "derived texts inherit nothing": revisions(DropsRequirements),
    "everything is safe for anybody": revisions(CallsAllAnonymous),
    "nothing expires": revisions(IgnoresTime),
    "revocation is ignored": desks(IgnoresRevocation),
}
