"""From a handle to the row it names, of a mounted store or not at all."""

from dataclasses import dataclass

from privity.engine.bound import Bound
from privity.engine.parts import Parts
from privity.engine.records import RevisionRecord, StoreRecord
from privity.model.ids import ResourceHandle


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A revision of a mounted store. Nothing has decided about it yet."""

    store: StoreRecord
    revision: RevisionRecord


def find_row(parts: Parts, bound: Bound, handle: ResourceHandle) -> Row | None:
    """Return what a handle names: foreign, unmounted, unknown and garbage are alike."""
    context = bound.snapshot.context
    named = parts.handles.open_resource(context, handle)
    if named is None:
        return None
    rows = parts.backend.revisions.load_revisions(context.agent_id, [named.revision_id])
    store, revision = bound.find_store(named.store_id), rows.get(named.revision_id)
    return None if store is None or revision is None else Row(store=store, revision=revision)
