"""Every SQL statement of the backend. All of a cell bind the agent whose cell it is."""

from typing import Final

BEGIN: Final = "BEGIN IMMEDIATE"
COMMIT: Final = "COMMIT"
ROLLBACK: Final = "ROLLBACK"
GROUP_COMMITS: Final = "PRAGMA synchronous = NORMAL"
SYNC_COMMITS: Final = "PRAGMA synchronous = FULL"
READ_VERSION: Final = "PRAGMA user_version"
TRUNCATE_LOG: Final = "PRAGMA wal_checkpoint(TRUNCATE)"
INTEGRITY: Final = "PRAGMA integrity_check"
COUNT_TABLES: Final = "SELECT count(*) FROM sqlite_schema"

# The registry of cells

FIND_CELL: Final = "SELECT directory FROM cells WHERE agent_id = :agent_id"
ADD_CELL: Final = "INSERT INTO cells (agent_id, directory, made_at) VALUES (:agent_id, :directory, :made_at)"
LIST_CELLS: Final = "SELECT agent_id, directory FROM cells ORDER BY agent_id"

# Authority

START_CELL: Final = "INSERT INTO cell VALUES (1, :agent_id, 0, 0, 0)"
LOAD_AUTHORITY: Final = "SELECT authority_revision, host_facts_revision FROM cell WHERE agent_id = :agent_id"
ADVANCE_AUTHORITY: Final = """
UPDATE cell SET authority_revision = authority_revision + 1 WHERE agent_id = :agent_id RETURNING authority_revision
"""
ADVANCE_HOST_FACTS: Final = """
UPDATE cell SET host_facts_revision = :epoch WHERE agent_id = :agent_id AND host_facts_revision < :epoch
"""

# Stores and policies

FIND_STORE: Final = """
SELECT store_id, state, policy_id, path_key, created_at FROM stores
WHERE agent_id = :agent_id AND kind = :kind AND audience_kind = :audience_kind AND audience_id = :audience_id
"""
STORE_EXISTS: Final = "SELECT 1 FROM stores WHERE agent_id = :agent_id AND store_id = :store_id"
ADD_STORE: Final = """
INSERT INTO stores (agent_id, store_id, kind, audience_kind, audience_id, state, policy_id, path_key, created_at, change)
VALUES (:agent_id, :store_id, :kind, :audience_kind, :audience_id, :state, :policy_id, :path_key, :created_at, 0)
"""
LIST_STORES: Final = "SELECT store_id, kind, path_key, change FROM stores WHERE agent_id = :agent_id ORDER BY store_id"
NEXT_CHANGE: Final = """
UPDATE stores SET change = change + 1 WHERE agent_id = :agent_id AND store_id = :store_id RETURNING change
"""
LOAD_POLICY: Final = """
SELECT policy_id, policy_revision, revocation_epoch, state, audience_kind, audience_id, rules
FROM policies WHERE policy_id = :policy_id
"""
ADD_POLICY: Final = """
INSERT INTO policies (policy_id, policy_revision, revocation_epoch, state, audience_kind, audience_id, rules)
VALUES (:policy_id, :policy_revision, :revocation_epoch, :state, :audience_kind, :audience_id, :rules)
"""
AMEND_POLICY: Final = """
UPDATE policies SET policy_revision = :policy_revision, revocation_epoch = :revocation_epoch, state = :state,
    audience_kind = :audience_kind, audience_id = :audience_id, rules = :rules
WHERE policy_id = :policy_id
"""
LIST_DEPENDENTS: Final = """
SELECT r.revision_id, r.store_id FROM dependence AS d JOIN revisions AS r ON r.revision_id = d.revision_id
WHERE d.policy_id = :policy_id AND r.agent_id = :agent_id ORDER BY r.change
"""
ADD_DEPENDENCE: Final = "INSERT OR IGNORE INTO dependence (policy_id, revision_id) VALUES (:policy_id, :revision_id)"

# Revisions

LOAD_REVISION: Final = """
SELECT agent_id, store_id, resource_id, revision_id, number, state, lineage, content_hash, size, section, anonymity,
    class_id, trust, author_id, event_id, about, recorded_at, expires_at, own_policy_ids, requirements, parents, change
FROM revisions WHERE agent_id = :agent_id AND revision_id = :revision_id
"""
LIST_CHANGES: Final = """
SELECT agent_id, store_id, resource_id, revision_id, number, state, lineage, content_hash, size, section, anonymity,
    class_id, trust, author_id, event_id, about, recorded_at, expires_at, own_policy_ids, requirements, parents, change
FROM revisions WHERE agent_id = :agent_id AND store_id = :store_id AND change > :after ORDER BY change
"""
LIST_CARD: Final = """
SELECT agent_id, store_id, resource_id, revision_id, number, state, lineage, content_hash, size, section, anonymity,
    class_id, trust, author_id, event_id, about, recorded_at, expires_at, own_policy_ids, requirements, parents, change
FROM revisions WHERE agent_id = :agent_id AND store_id = :store_id AND section = 'card' AND state = :state
ORDER BY recorded_at, row
"""
FIND_STANDING: Final = """
SELECT store_id, state, lineage FROM revisions WHERE agent_id = :agent_id AND revision_id = :revision_id
"""
NUMBER_TAKEN: Final = """
SELECT 1 FROM revisions WHERE agent_id = :agent_id AND resource_id = :resource_id AND number = :number
"""
RESOURCE_IN_FORCE: Final = """
SELECT 1 FROM revisions WHERE agent_id = :agent_id AND resource_id = :resource_id AND state = :state
"""
RESOURCE_ELSEWHERE: Final = """
SELECT 1 FROM resources WHERE agent_id = :agent_id AND resource_id = :resource_id AND store_id <> :store_id
"""
ADD_RESOURCE: Final = """
INSERT OR IGNORE INTO resources (agent_id, resource_id, store_id) VALUES (:agent_id, :resource_id, :store_id)
"""
ADD_REVISION: Final = """
INSERT INTO revisions (agent_id, store_id, resource_id, revision_id, number, state, lineage, content_hash, size,
    section, anonymity, class_id, trust, author_id, event_id, about, recorded_at, expires_at, own_policy_ids,
    requirements, parents, change)
VALUES (:agent_id, :store_id, :resource_id, :revision_id, :number, :state, :lineage, :content_hash, :size,
    :section, :anonymity, :class_id, :trust, :author_id, :event_id, :about, :recorded_at, :expires_at, :own_policy_ids,
    :requirements, :parents, :change)
"""
CHANGE_REVISION: Final = """
UPDATE revisions SET state = coalesce(:state, state), lineage = coalesce(:lineage, lineage), change = :change
WHERE agent_id = :agent_id AND revision_id = :revision_id
"""
ADD_PARENTAGE: Final = """
INSERT OR IGNORE INTO parentage (parent_id, store_id, child_id) VALUES (:parent_id, :store_id, :child_id)
"""
LIST_DESCENDANTS: Final = """
WITH RECURSIVE descendants (revision_id) AS (
    SELECT child_id FROM parentage WHERE parent_id = :revision_id
    UNION
    SELECT p.child_id FROM parentage AS p JOIN descendants AS d ON p.parent_id = d.revision_id
)
SELECT r.revision_id, r.store_id FROM descendants AS d CROSS JOIN revisions AS r ON r.revision_id = d.revision_id
WHERE r.agent_id = :agent_id AND r.lineage = :intact ORDER BY r.change
"""
# SQL: CROSS JOIN keeps the order, so that what was derived into another store is not even stepped over.
LIST_DERIVED: Final = """
WITH RECURSIVE derived (revision_id) AS (
    SELECT p.child_id FROM json_each(:stores) AS s
    CROSS JOIN parentage AS p ON p.parent_id = :revision_id AND p.store_id = s.value
    UNION
    SELECT p.child_id FROM derived AS d CROSS JOIN json_each(:stores) AS s
    CROSS JOIN parentage AS p ON p.parent_id = d.revision_id AND p.store_id = s.value
)
SELECT r.agent_id, r.store_id, r.resource_id, r.revision_id, r.number, r.state, r.lineage, r.content_hash, r.size,
    r.section, r.anonymity, r.class_id, r.trust, r.author_id, r.event_id, r.about, r.recorded_at, r.expires_at,
    r.own_policy_ids, r.requirements, r.parents, r.change
FROM derived AS d CROSS JOIN revisions AS r ON r.revision_id = d.revision_id
WHERE r.agent_id = :agent_id AND r.lineage = :intact AND r.state = :state ORDER BY r.recorded_at, r.row
"""
ADD_LEFTOVER: Final = "INSERT OR IGNORE INTO leftovers (revision_id) VALUES (:revision_id)"
DROP_LEFTOVER: Final = "DELETE FROM leftovers WHERE revision_id = :revision_id"
LIST_LEFTOVERS: Final = """
SELECT r.revision_id, r.section, s.kind, s.audience_kind, s.audience_id,
    s.store_id, s.state, s.policy_id, s.path_key, s.created_at
FROM leftovers AS l CROSS JOIN revisions AS r ON r.revision_id = l.revision_id
JOIN stores AS s ON s.store_id = r.store_id
WHERE r.agent_id = :agent_id ORDER BY r.store_id, r.row
"""
LOAD_CLASS: Final = """
SELECT class_id, own_policy_ids, inherited_policy_ids, anonymity FROM policy_classes WHERE class_id = :class_id
"""
ADD_CLASS: Final = """
INSERT OR IGNORE INTO policy_classes (class_id, own_policy_ids, inherited_policy_ids, anonymity)
VALUES (:class_id, :own_policy_ids, :inherited_policy_ids, :anonymity)
"""
COUNT_STORES: Final = "SELECT kind, count(*) FROM stores WHERE agent_id = :agent_id GROUP BY kind"
COUNT_REVISIONS: Final = "SELECT state, count(*) FROM revisions WHERE agent_id = :agent_id GROUP BY state"
COUNT_EVENTS: Final = "SELECT count(*) FROM labels WHERE sequence > 0"
COUNT_OUTBOX: Final = "SELECT count(*) FROM outbox"
LIST_FILES: Final = """
SELECT section, revision_id, state, content_hash FROM revisions WHERE agent_id = :agent_id AND store_id = :store_id
"""

# Runs, windows and events

LOAD_WINDOW: Final = "SELECT policy_set, shown, copied_from FROM windows WHERE session_id = :session_id"
SAVE_WINDOW: Final = """
INSERT INTO windows (session_id, policy_set, shown) VALUES (:session_id, :policy_set, :shown)
ON CONFLICT (session_id) DO UPDATE SET policy_set = excluded.policy_set, shown = excluded.shown
"""
COPY_WINDOW: Final = """
INSERT INTO windows (session_id, policy_set, shown, copied_from)
SELECT :session_id, policy_set, shown, session_id FROM windows WHERE session_id = :source
"""
COPY_SHOWN: Final = """
INSERT INTO shown (session_id, revision_id, place)
SELECT :session_id, revision_id, place FROM shown WHERE session_id = :source
"""
ADD_SHOWN: Final = """
INSERT OR IGNORE INTO shown (session_id, revision_id, place) VALUES (:session_id, :revision_id, :place)
RETURNING place
"""
LIST_SHOWN: Final = """
SELECT s.revision_id, 0 AS turn, s.place AS place
FROM runs AS r JOIN shown AS s ON s.session_id = r.session_id
WHERE r.run_id = :run_id AND s.place <= r.shown_before
UNION ALL
SELECT j.value, e.exposure_revision, j.key FROM exposures AS e JOIN json_each(e.shown) AS j
WHERE e.run_id = :run_id AND e.exposure_revision <= :until
ORDER BY turn, place
"""
LOAD_RUN: Final = "SELECT session_id, exposure_revision, policy_set, shown_before FROM runs WHERE run_id = :run_id"
FIND_EXPOSURE: Final = "SELECT exposure_revision FROM runs WHERE run_id = :run_id"
ADD_RUN: Final = """
INSERT INTO runs (run_id, session_id, exposure_revision, policy_set, shown_before)
VALUES (:run_id, :session_id, :exposure_revision, :policy_set, :shown_before)
"""
SAVE_RUN: Final = """
UPDATE runs SET exposure_revision = :exposure_revision, policy_set = :policy_set WHERE run_id = :run_id
"""
ADD_EXPOSURE: Final = """
INSERT INTO exposures (run_id, exposure_revision, shown, captured)
VALUES (:run_id, :exposure_revision, :shown, :captured)
"""
FIND_EVENT: Final = "SELECT 1 FROM events WHERE session_id = :session_id AND event_id = :event_id"
ADD_EVENT: Final = """
INSERT INTO events (session_id, sequence, event_id, kind, occurred_at, text)
SELECT :session_id, coalesce(max(sequence), 0) + 1, :event_id, :kind, :occurred_at, :text
FROM events WHERE session_id = :session_id
RETURNING sequence
"""
ADD_LABEL: Final = "INSERT INTO labels (session_id, sequence, label) VALUES (:session_id, :sequence, :label)"
LIST_EVENTS: Final = """
SELECT e.event_id, e.sequence, e.kind, e.text, e.occurred_at, l.label
FROM events AS e JOIN labels AS l ON l.session_id = e.session_id AND l.sequence = e.sequence
WHERE e.session_id = :session_id ORDER BY e.sequence
"""

# Outbox

NEXT_SEQUENCE: Final = """
UPDATE cell SET outbox_sequence = outbox_sequence + 1 WHERE agent_id = :agent_id RETURNING outbox_sequence
"""
ADD_RECORD: Final = "INSERT INTO outbox (sequence, decision_id, record) VALUES (:sequence, :decision_id, :record)"
PULL_RECORDS: Final = """
SELECT sequence, record FROM outbox WHERE sequence > :after ORDER BY sequence LIMIT :limit
"""
FIND_RECORD: Final = """
SELECT sequence, record FROM outbox WHERE decision_id = :decision_id ORDER BY sequence LIMIT 1
"""

# The index of one store

LOAD_WATERMARK: Final = "SELECT change FROM watermark"
FIND_OWNER: Final = "SELECT path_key FROM watermark"
CLAIM_INDEX: Final = "UPDATE watermark SET path_key = :path_key WHERE path_key = ''"
RAISE_WATERMARK: Final = "UPDATE watermark SET change = max(change, :change)"
LIST_TOTALS: Final = "SELECT class_id, chunks, tokens FROM class_totals"
LIST_EXPIRED: Final = """
SELECT class_id, count(*), sum(tokens) FROM chunks WHERE expires_at <= :at GROUP BY class_id
"""
FIND_CHUNK: Final = """
SELECT c.row, t.folded FROM chunks AS c JOIN texts AS t ON t.row = c.row WHERE c.revision_id = :revision_id
"""
FIND_LENGTH: Final = """
SELECT class_id, tokens FROM chunks
WHERE revision_id = :revision_id AND (expires_at IS NULL OR expires_at > :at)
"""
ADD_CHUNK: Final = """
INSERT INTO chunks (revision_id, class_id, tokens, expires_at, unspaced)
VALUES (:revision_id, :class_id, :tokens, :expires_at, :unspaced) RETURNING row
"""
DROP_CHUNK: Final = "DELETE FROM chunks WHERE row = :row"
ADD_TEXT: Final = "INSERT INTO texts (row, folded) VALUES (:row, :folded)"
DROP_TEXT: Final = "DELETE FROM texts WHERE row = :row"
ADD_TERMS: Final = "INSERT INTO terms (rowid, folded) VALUES (:row, :text)"
DROP_TERMS: Final = "INSERT INTO terms (terms, rowid, folded) VALUES ('delete', :row, :text)"
MATCH_TERM: Final = """
SELECT c.revision_id, c.tokens, p.occurrences
FROM (SELECT doc, count(*) AS occurrences FROM term_places WHERE term = :term GROUP BY doc) AS p
CROSS JOIN chunks AS c ON c.row = p.doc
WHERE c.class_id IN (SELECT value FROM json_each(:classes))
    AND (c.expires_at IS NULL OR c.expires_at > :at)
    AND c.revision_id NOT IN (SELECT value FROM json_each(:skip))
"""
MATCH_NEEDLE: Final = """
SELECT c.revision_id, c.tokens, t.folded FROM chunks AS c CROSS JOIN texts AS t ON t.row = c.row
WHERE c.unspaced >= :unspaced AND instr(t.folded, :needle) > 0
    AND c.class_id IN (SELECT value FROM json_each(:classes))
    AND (c.expires_at IS NULL OR c.expires_at > :at)
    AND c.revision_id NOT IN (SELECT value FROM json_each(:skip))
"""
LAST_ROWS: Final = """
INSERT INTO policies VALUES (char(1114111), 0, 0, '', '', '', '');
INSERT INTO policy_classes VALUES (char(1114111), '', '', '');
INSERT INTO stores VALUES (
    '', char(1114111), char(1114111), char(1114111), char(1114111), '', char(1114111), char(1114111), 0, 0
);
INSERT INTO resources VALUES ('', char(1114111), char(1114111));
INSERT INTO revisions VALUES (
    NULL, '', char(1114111), char(1114111), char(1114111), 0, char(1114111), '', '', 0, 'card', '', char(1114111),
    '', NULL, NULL, '', 0, NULL, '', '', '', 0
);
INSERT INTO parentage VALUES (char(1114111), '', '');
INSERT INTO windows VALUES (char(1114111), '', 0, NULL);
INSERT INTO shown VALUES (char(1114111), '', 0);
INSERT INTO runs VALUES (char(1114111), '', 0, '', 0);
INSERT INTO exposures VALUES (char(1114111), 0, '[]', '{}');
INSERT INTO events VALUES (char(1114111), 0, char(1114111), '', 0, '');
INSERT INTO labels VALUES (char(1114111), 0, '');
"""
"""A row that no query matches, after every other in each index.

So a look for what is absent, or past the last row of a store, always ends at a row that is
not the store's, and takes the same steps whatever else the cell holds.
"""
