"""Leftovers: what a tombstone leaves in index and directory, cleared away now or at the next start.

It is denied from the tombstone on, so a failure here loses nothing and shows nothing: what
could not be cleared stays on the list, and the next forgetting or start tries again.
"""

from collections.abc import Sequence
from itertools import groupby

from privity.engine.indexing import Indexer
from privity.engine.meter import Count
from privity.engine.parts import Parts
from privity.engine.records import Leftover
from privity.model.ids import AgentId
from privity.sdk.errors import UnavailableError


def clear_leftovers(parts: Parts, indexer: Indexer, agent_id: AgentId) -> int:
    """Clear away everything on the list of a cell; return how much of it could not be."""
    try:
        listed = parts.backend.revisions.list_leftovers(agent_id)
    except UnavailableError:
        parts.meter.count(Count.ARTIFACT_LEFT)
        return 1
    stores = [tuple(rows) for _, rows in groupby(listed, key=lambda row: row.store.facts.store_id)]
    return sum(clear_store(parts, indexer, rows) for rows in stores)


def clear_store(parts: Parts, indexer: Indexer, rows: Sequence[Leftover]) -> int:
    """Clear away what is left in one store; return how much stays on the list."""
    try:
        clear_rows(parts, indexer, rows)
    except UnavailableError:
        parts.meter.count(Count.ARTIFACT_LEFT)
        return len(rows)
    return 0


def clear_rows(parts: Parts, indexer: Indexer, rows: Sequence[Leftover]) -> None:
    """Drop index rows, then files, then the list's own rows: a crash between any two leaves them listed."""
    store = rows[0].store
    agent_id, ids = store.facts.agent_id, [row.revision_id for row in rows]
    indexer.drop(store, ids)
    for row in rows:
        parts.backend.artifacts.remove(agent_id, store.path_key, row.section, row.revision_id)
    parts.backend.revisions.clear_leftovers(agent_id, ids)
