"""One FTS5 index per store, in a file of its own, scored over permitted rows by the engine."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from privity.backends.sqlite import codec, queries, rows
from privity.backends.sqlite.database import Bindings, Database
from privity.backends.sqlite.index_file import IndexFiles
from privity.backends.sqlite.tokenizer import Tokenizer
from privity.engine.records import (
    ClassTotals,
    IndexMatches,
    IndexQuery,
    IndexRow,
    IndexState,
    Posting,
    StoreRecord,
)
from privity.engine.terms import fold, is_unspaced, segment
from privity.model.ids import AgentId, RevisionId


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteIndex:
    """Implement `privity.engine.ports.Index`."""

    files: IndexFiles
    tokenizer: Tokenizer

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the tokens of `text` exactly as the index makes them, repeats included."""
        return self.tokenizer.tokens(text)

    def state(self, agent_id: AgentId, store: StoreRecord, at: datetime) -> IndexState:
        """Return the watermark, and the totals of each class over rows unexpired at `at`."""
        with self.files.reading(agent_id, store) as database:
            watermark = rows.returned(database.row(queries.LOAD_WATERMARK))
            return IndexState(watermark=watermark, classes=MappingProxyType(load_totals(database, at)))

    def match(self, agent_id: AgentId, store: StoreRecord, query: IndexQuery) -> IndexMatches:
        """Return postings and totals over unexpired rows of `query.classes` outside `query.skip`."""
        permitted: Bindings = {
            "classes": json.dumps(sorted(query.classes)),
            "skip": json.dumps(sorted(query.skip)),
            "at": codec.to_micros(query.at),
        }
        with self.files.reading(agent_id, store) as database:
            terms = [match_term(database, permitted, term) for term in query.terms]
            needles = [match_needle(database, permitted, needle) for needle in query.needles]
            totals = permitted_totals(database, query)
        return IndexMatches(totals=totals, postings=(*terms, *needles))

    def apply(
        self,
        agent_id: AgentId,
        store: StoreRecord,
        puts: Sequence[IndexRow],
        drops: Sequence[RevisionId],
        watermark: int,
    ) -> None:
        """Add rows, then drop rows, and raise the watermark; a row put again is replaced."""
        chunks = [self.chunk(put) for put in puts]
        with self.files.writing(agent_id, store) as database:
            with database.transaction():
                removed = sum(put_chunk(database, chunk) for chunk in chunks)
                removed += sum(drop_chunk(database, revision_id) for revision_id in drops)
                database.run(queries.RAISE_WATERMARK, {"change": watermark})
            if removed or drops:
                # The log still holds the pages as they were, also those that an interrupted drop changed.
                database.rows(queries.TRUNCATE_LOG)

    def reset(self, agent_id: AgentId, store: StoreRecord) -> None:
        """Throw the index of one store away; its watermark is 0 again."""
        self.files.remove(agent_id, store)

    def chunk(self, put: IndexRow) -> Bindings:
        """Return the columns of a row."""
        folded = fold(put.text)
        return {
            "revision_id": put.revision_id,
            "class_id": put.class_id,
            "tokens": len(self.tokens(put.text)),
            "expires_at": codec.optional_micros(put.expires_at),
            "unspaced": int(is_unspaced(folded)),
            "folded": folded,
            "text": segment(folded),
        }


def put_chunk(database: Database, chunk: Bindings) -> int:
    """Insert a row in place of one that is there; return how many that were."""
    replaced = drop_chunk(database, str(chunk["revision_id"]))
    row = rows.returned(database.row(queries.ADD_CHUNK, chunk))
    placed = {**chunk, "row": row}
    database.run(queries.ADD_TEXT, placed)
    database.run(queries.ADD_TERMS, placed)
    return replaced


def drop_chunk(database: Database, revision_id: str) -> int:
    """Delete a row and its terms; return how many were there."""
    found = database.row(queries.FIND_CHUNK, {"revision_id": revision_id})
    if found is None:
        return 0
    row, folded = found
    database.run(queries.DROP_TERMS, {"row": row, "text": segment(folded)})
    database.run(queries.DROP_TEXT, {"row": row})
    database.run(queries.DROP_CHUNK, {"row": row})
    return 1


def match_term(database: Database, permitted: Bindings, term: str) -> tuple[Posting, ...]:
    """Return the permitted rows that have the token, with how often."""
    return tuple(database.rows(queries.MATCH_TERM, {**permitted, "term": term}))


def match_needle(database: Database, permitted: Bindings, needle: str) -> tuple[Posting, ...]:
    """Return the permitted rows that hold the literal, with how often."""
    found = database.rows(queries.MATCH_NEEDLE, {**permitted, "needle": needle, "unspaced": int(is_unspaced(needle))})
    return tuple((RevisionId(key), tokens, folded.count(needle)) for key, tokens, folded in found)


def load_totals(database: Database, at: datetime) -> dict[str, ClassTotals]:
    """Return the totals of each class over its unexpired rows."""
    expired = {
        key: (count, tokens) for key, count, tokens in database.rows(queries.LIST_EXPIRED, {"at": codec.to_micros(at)})
    }
    totals: dict[str, ClassTotals] = {}
    for key, chunks, tokens in database.rows(queries.LIST_TOTALS):
        gone_chunks, gone_tokens = expired.get(key, (0, 0))
        if chunks > gone_chunks:
            totals[key] = ClassTotals(rows=chunks - gone_chunks, tokens=tokens - gone_tokens)
    return totals


def permitted_totals(database: Database, query: IndexQuery) -> ClassTotals:
    """Return the totals over unexpired rows of the query's classes outside its skip."""
    totals = load_totals(database, query.at)
    counted = [totals[key] for key in query.classes if key in totals]
    skipped = [length for revision_id in query.skip for length in permitted_length(database, query, revision_id)]
    return ClassTotals(
        rows=sum(each.rows for each in counted) - len(skipped),
        tokens=sum(each.tokens for each in counted) - sum(skipped),
    )


def permitted_length(database: Database, query: IndexQuery, revision_id: RevisionId) -> tuple[int, ...]:
    """Return the length of one row, if there is such a row and only `skip` keeps it out."""
    found = database.row(queries.FIND_LENGTH, {"revision_id": revision_id, "at": codec.to_micros(query.at)})
    return (found[1],) if found is not None and found[0] in query.classes else ()
