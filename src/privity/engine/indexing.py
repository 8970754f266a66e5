"""Indexing: bring one store's index up to the catalog. It may lag; a lagging row is a denial."""

import threading
from collections.abc import Sequence

from privity.engine.parts import Parts
from privity.engine.records import IndexRow, RevisionRecord, StoreRecord
from privity.model.ids import PolicyId, RevisionId
from privity.model.policies import Policy
from privity.model.resources import Integrity, Lineage, RevisionState, Section
from privity.policy.sets import live_requirement


class Indexer:
    """Applies catalog changes to indexes, one at a time, so that a watermark never goes back."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._lock = threading.Lock()  # LOCK: taken alone, never inside a transaction

    def catch_up(self, store: StoreRecord) -> int:
        """Apply every change above the watermark and return how many rows that were."""
        with self._lock:
            return self._apply_changes(store)

    def drop(self, store: StoreRecord, ids: Sequence[RevisionId]) -> None:
        """Catch up, and drop what may be left of `ids` whatever the watermark says."""
        with self._lock:
            self._apply_changes(store)
            self._parts.backend.index.apply(store.facts.agent_id, store, (), ids, 0)

    def _apply_changes(self, store: StoreRecord) -> int:
        agent_id = store.facts.agent_id
        index = self._parts.backend.index
        watermark = index.state(agent_id, store, self._parts.clock.now()).watermark
        changed = self._parts.backend.revisions.list_changes(agent_id, store.facts.store_id, watermark)
        if not changed:
            return 0
        puts = [row for row in (self._row(store, revision) for revision in changed) if row]
        kept = {row.revision_id for row in puts}
        drops = [row.revision_id for row in changed if row.revision_id not in kept]
        index.apply(agent_id, store, puts, drops, max(row.change for row in changed))
        return len(changed)

    def _row(self, store: StoreRecord, revision: RevisionRecord) -> IndexRow | None:
        """Return the index row of a revision that could be found, or nothing."""
        if not is_findable(revision) or not self._requirements_hold(revision):
            return None
        artifact = self._parts.backend.artifacts.load(
            revision.agent_id,
            store.path_key,
            revision.section,
            revision.revision_id,
            revision.content_hash,
        )
        if artifact.integrity is not Integrity.VERIFIED or artifact.content is None:
            return None
        return IndexRow(
            revision_id=revision.revision_id,
            class_id=revision.class_id,
            text=artifact.content.decode("utf-8"),
            expires_at=revision.lifetime.expires_at,
        )

    def _requirements_hold(self, revision: RevisionRecord) -> bool:
        """Every policy the row inherited stands as it was captured."""
        named = [requirement.policy_id for requirement in revision.requirements]
        policies: dict[PolicyId, Policy] = {}
        if named:
            policies.update(self._parts.backend.stores.load_policies(revision.agent_id, named))
        return all(live_requirement(r, policies) for r in revision.requirements)


def is_findable(revision: RevisionRecord) -> bool:
    """Search may ever return this row, whoever asks."""
    return (
        revision.section is Section.NOTE
        and revision.state is RevisionState.ACTIVE
        and revision.lineage is Lineage.INTACT
    )
