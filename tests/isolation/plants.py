"""Planted violations: each is below the engine, and each turns a comparison red."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from privity.engine.ports import Artifacts, Backend, Index, Keys, Outbox, Revisions, Runs, Stores
from privity.engine.records import (
    AmendCommit,
    Authority,
    ClassTotals,
    IndexMatches,
    IndexQuery,
    IndexRow,
    IndexState,
    StoreRecord,
)
from privity.model.audiences import Audience, AudienceKind
from privity.model.ids import AgentId, AuthorityRevision, HostFactsRevision, PolicyId, RevisionId
from privity.model.policies import Policy
from privity.model.stores import StoreKind
from tests.engine.desk import person

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
ALICE = Audience(kind=AudienceKind.USER, id=person("alice"))
STRANGER = Audience(kind=AudienceKind.USER, id=person("stranger0"))


@dataclass(frozen=True, kw_only=True)
class Rigged:
    """A backend with one part replaced."""

    stores: Stores
    revisions: Revisions
    runs: Runs
    outbox: Outbox
    artifacts: Artifacts
    index: Index
    keys: Keys


def rigged(backend: Backend, *, stores: Stores | None = None, index: Index | None = None) -> Rigged:
    """Return `backend` with a part replaced."""
    return Rigged(
        stores=stores or backend.stores,
        revisions=backend.revisions,
        runs=backend.runs,
        outbox=backend.outbox,
        artifacts=backend.artifacts,
        index=index or backend.index,
        keys=backend.keys,
    )


Match = Callable[[Index, AgentId, StoreRecord, IndexQuery], IndexMatches]


@dataclass(frozen=True, kw_only=True)
class AlteredIndex:
    """An index that matches in another way, and may keep what should be dropped."""

    inner: Index
    matching: Match
    drops: bool = True

    def tokens(self, text: str) -> tuple[str, ...]:
        """Pass it on."""
        return self.inner.tokens(text)

    def state(self, agent_id: AgentId, store: StoreRecord, at: datetime) -> IndexState:
        """Pass it on."""
        return self.inner.state(agent_id, store, at)

    def match(self, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
        """Match in the other way."""
        return self.matching(self.inner, agent_id, store, query)

    def apply(
        self,
        agent_id: AgentId,
        store: StoreRecord,
        puts: Sequence[IndexRow],
        drops: Sequence[RevisionId],
        watermark: int,
    ) -> None:
        """Pass it on, with what is to be dropped or without."""
        self.inner.apply(agent_id, store, puts, drops if self.drops else (), watermark)

    def reset(self, agent_id: AgentId, store: StoreRecord) -> None:
        """Pass it on."""
        self.inner.reset(agent_id, store)


def counting_strangers(stores: Stores) -> Match:
    """Return a match that adds the rows of a stranger to the totals."""

    def match(index: Index, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
        matches = index.match(agent_id, store, query)
        totals = matches.totals
        for stranger in stores.find_stores(agent_id, [(StoreKind.USER, STRANGER)]):
            for found in index.state(agent_id, stranger, query.at).classes.values():
                totals = ClassTotals(rows=totals.rows + found.rows, tokens=totals.tokens + found.tokens)
        return replace(matches, totals=totals)

    return match


def opening_strangers(stores: Stores) -> Match:
    """Return a match that looks into a stranger's store first, and uses nothing of it."""

    def match(index: Index, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
        for stranger in stores.find_stores(agent_id, [(StoreKind.USER, STRANGER)]):
            index.match(agent_id, stranger, query)
        return index.match(agent_id, store, query)

    return match


def counting_denied(index: Index, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
    """Match over all classes, skipped and expired rows included."""
    classes = frozenset(index.state(agent_id, store, LONG_AGO).classes)
    return index.match(agent_id, store, replace(query, classes=classes, skip=frozenset(), at=LONG_AGO))


@dataclass(frozen=True, kw_only=True)
class MountsStrangers:
    """Stores that hand out a stranger's store as the asker's own."""

    inner: Stores

    def find_stores(self, agent_id: AgentId, wanted: Sequence[tuple[StoreKind, Audience]]) -> tuple[StoreRecord, ...]:
        """Add a stranger's store to what Alice mounts."""
        found = self.inner.find_stores(agent_id, wanted)
        if (StoreKind.USER, ALICE) not in wanted:
            return found
        foreign = self.inner.find_stores(agent_id, [(StoreKind.USER, STRANGER)])
        return (*found, *(replace(record, facts=replace(record.facts, audience=ALICE)) for record in foreign))

    def load_policies(self, agent_id: AgentId, ids: Iterable[PolicyId]) -> Mapping[PolicyId, Policy]:
        """Say of a stranger's placement that it is Alice's."""
        found = self.inner.load_policies(agent_id, ids)
        return {key: relabelled(policy) for key, policy in found.items()}

    def open_cell(self, agent_id: AgentId) -> Authority:
        """Pass it on."""
        return self.inner.open_cell(agent_id)

    def authority(self, agent_id: AgentId) -> Authority:
        """Pass it on."""
        return self.inner.authority(agent_id)

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Pass it on."""
        return self.inner.advance_host_facts(agent_id, epoch)

    def add_store(self, store: StoreRecord, policy: Policy) -> StoreRecord:
        """Pass it on."""
        return self.inner.add_store(store, policy)

    def amend(self, commit: AmendCommit) -> AuthorityRevision:
        """Pass it on."""
        return self.inner.amend(commit)


def relabelled(policy: Policy) -> Policy:
    """Return a stranger's policy as Alice's."""
    return replace(policy, audience=ALICE) if policy.audience == STRANGER else policy


def count_strangers(backend: Backend) -> Backend:
    """Plant statistics over a foreign store."""
    return rigged(backend, index=AlteredIndex(inner=backend.index, matching=counting_strangers(backend.stores)))


def open_strangers(backend: Backend) -> Backend:
    """Plant a look into a foreign store."""
    return rigged(backend, index=AlteredIndex(inner=backend.index, matching=opening_strangers(backend.stores)))


def mount_strangers(backend: Backend) -> Backend:
    """Plant a foreign store in a view."""
    return rigged(backend, stores=MountsStrangers(inner=backend.stores))


def count_denied(backend: Backend) -> Backend:
    """Plant statistics over denied rows."""
    return rigged(backend, index=AlteredIndex(inner=backend.index, matching=counting_denied, drops=False))


def hiding_one(index: Index, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
    """Match, and lose the last posting of each term that has several."""
    matches = index.match(agent_id, store, query)
    return replace(matches, postings=tuple(rows[:-1] if len(rows) > 1 else rows for rows in matches.postings))


def hide_one(backend: Backend) -> Backend:
    """Plant an index that does not return every row."""
    return rigged(backend, index=AlteredIndex(inner=backend.index, matching=hiding_one))
