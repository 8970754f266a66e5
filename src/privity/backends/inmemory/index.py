"""Indexes by brute force, in memory: every question looks at every row."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from privity.backends.inmemory.artifacts import InMemoryArtifacts
from privity.backends.inmemory.cell import Memory
from privity.backends.inmemory.tokenizer import Tokenizer
from privity.engine.records import (
    ClassTotals,
    IndexMatches,
    IndexQuery,
    IndexRow,
    IndexState,
    Posting,
    StoreRecord,
)
from privity.engine.terms import fold
from privity.model.ids import AgentId, RevisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row with its tokens and its folded text."""

    row: IndexRow
    tokens: tuple[str, ...]
    folded: str

    def is_live(self, at: datetime) -> bool:
        """The row has not expired."""
        return self.row.expires_at is None or self.row.expires_at > at


@dataclass(slots=True, kw_only=True)
class StoreIndex:
    """The index of one store."""

    watermark: int = 0
    rows: dict[RevisionId, Row] = field(default_factory=dict[RevisionId, Row])


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryIndex:
    """Implement `privity.engine.ports.Index`."""

    memory: Memory
    artifacts: InMemoryArtifacts
    tokenizer: Tokenizer
    indexes: dict[tuple[AgentId, str], StoreIndex] = field(default_factory=dict[tuple[AgentId, str], StoreIndex])

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the tokens of `text` exactly as the index makes them, repeats included."""
        return self.tokenizer.tokens(text)

    def state(self, agent_id: AgentId, store: StoreRecord, at: datetime) -> IndexState:
        """Return the watermark, and the totals of each class over rows unexpired at `at`."""
        with self.memory.lock:
            index = self.indexes.get((agent_id, store.path_key), StoreIndex())
            live = [row for row in index.rows.values() if row.is_live(at)]
            classes = {row.row.class_id for row in live}
            return IndexState(
                watermark=index.watermark,
                classes=MappingProxyType(
                    {key: totals(row for row in live if row.row.class_id == key) for key in classes}
                ),
            )

    def match(self, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
        """Return postings and totals over unexpired rows of `query.classes` outside `query.skip`."""
        with self.memory.lock:
            index = self.indexes.get((agent_id, store.path_key), StoreIndex())
            rows = [row for row in index.rows.values() if is_permitted(row, query)]
            terms = tuple(term_postings(rows, term) for term in query.terms)
            needles = tuple(needle_postings(rows, needle) for needle in query.needles)
            return IndexMatches(totals=totals(rows), postings=terms + needles)

    def apply(
        self,
        agent_id: AgentId,
        store: StoreRecord,
        puts: Sequence[IndexRow],
        drops: Sequence[RevisionId],
        watermark: int,
    ) -> None:
        """Add rows, then drop rows, and raise the watermark; a row put again is replaced."""
        added = {put.revision_id: self.row(put) for put in puts}
        with self.memory.lock:
            self.artifacts.require_root(agent_id, store.path_key)
            index = self.indexes.setdefault((agent_id, store.path_key), StoreIndex())
            index.rows.update(added)
            for revision_id in drops:
                index.rows.pop(revision_id, None)
            index.watermark = max(index.watermark, watermark)

    def reset(self, agent_id: AgentId, store: StoreRecord) -> None:
        """Throw the index of one store away; its watermark is 0 again."""
        with self.memory.lock:
            self.indexes.pop((agent_id, store.path_key), None)

    def row(self, put: IndexRow) -> Row:
        """Return the row to keep."""
        return Row(row=put, tokens=self.tokens(put.text), folded=fold(put.text))


def is_permitted(row: Row, query: IndexQuery) -> bool:
    """The query may look at the row."""
    return row.is_live(query.at) and row.row.class_id in query.classes and row.row.revision_id not in query.skip


def totals(rows: Iterable[Row]) -> ClassTotals:
    """Return how many rows, and how many tokens in them."""
    lengths = [len(row.tokens) for row in rows]
    return ClassTotals(rows=len(lengths), tokens=sum(lengths))


def term_postings(rows: Iterable[Row], term: str) -> tuple[Posting, ...]:
    """Return the rows that have the token, with how often."""
    found = ((row, row.tokens.count(term)) for row in rows)
    return tuple((row.row.revision_id, len(row.tokens), count) for row, count in found if count)


def needle_postings(rows: Iterable[Row], needle: str) -> tuple[Posting, ...]:
    """Return the rows that hold the literal, with how often."""
    found = ((row, row.folded.count(needle)) for row in rows)
    return tuple((row.row.revision_id, len(row.tokens), count) for row, count in found if count)
