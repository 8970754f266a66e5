"""The tables of the three kinds of database in a vault.

Every table is STRICT and every text compares byte by byte (BINARY, SQLite's default), so ids
that differ only in case are different ids.
"""

from typing import Final

from privity.backends.sqlite.queries import LAST_ROWS

CELLS_VERSION: Final = 1
AGENT_VERSION: Final = 3
INDEX_VERSION: Final = 2

CELLS: Final = """
CREATE TABLE cells (
    agent_id TEXT NOT NULL PRIMARY KEY,
    directory TEXT NOT NULL UNIQUE,
    made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

AGENT_TABLES: Final = """
CREATE TABLE cell (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    agent_id TEXT NOT NULL,
    authority_revision INTEGER NOT NULL,
    host_facts_revision INTEGER NOT NULL,
    outbox_sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE stores (
    agent_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    audience_kind TEXT NOT NULL,
    audience_id TEXT NOT NULL,
    state TEXT NOT NULL,
    policy_id TEXT NOT NULL REFERENCES policies (policy_id),
    path_key TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (store_id),
    UNIQUE (kind, audience_kind, audience_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE policies (
    policy_id TEXT NOT NULL PRIMARY KEY,
    policy_revision INTEGER NOT NULL,
    revocation_epoch INTEGER NOT NULL,
    state TEXT NOT NULL,
    audience_kind TEXT NOT NULL,
    audience_id TEXT NOT NULL,
    rules TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE policy_classes (
    class_id TEXT NOT NULL PRIMARY KEY,
    own_policy_ids TEXT NOT NULL,
    inherited_policy_ids TEXT NOT NULL,
    anonymity TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE resources (
    agent_id TEXT NOT NULL,
    resource_id TEXT NOT NULL PRIMARY KEY,
    store_id TEXT NOT NULL REFERENCES stores (store_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE revisions (
    row INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    store_id TEXT NOT NULL REFERENCES stores (store_id),
    resource_id TEXT NOT NULL REFERENCES resources (resource_id),
    revision_id TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    lineage TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    section TEXT NOT NULL,
    anonymity TEXT NOT NULL,
    class_id TEXT NOT NULL REFERENCES policy_classes (class_id),
    trust TEXT NOT NULL,
    author_id TEXT,
    event_id TEXT,
    about TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    expires_at INTEGER,
    own_policy_ids TEXT NOT NULL,
    requirements TEXT NOT NULL,
    parents TEXT NOT NULL,
    change INTEGER NOT NULL,
    UNIQUE (resource_id, number)
) STRICT;

CREATE UNIQUE INDEX revisions_by_change ON revisions (store_id, change);
CREATE INDEX revisions_of_cards ON revisions (store_id, state, recorded_at) WHERE section = 'card';

CREATE UNIQUE INDEX revisions_in_force ON revisions (resource_id) WHERE state = 'active';

CREATE TABLE parentage (
    parent_id TEXT NOT NULL,
    store_id TEXT NOT NULL,
    child_id TEXT NOT NULL,
    PRIMARY KEY (parent_id, store_id, child_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE leftovers (
    revision_id TEXT NOT NULL PRIMARY KEY REFERENCES revisions (revision_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE dependence (
    policy_id TEXT NOT NULL,
    revision_id TEXT NOT NULL,
    PRIMARY KEY (policy_id, revision_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE windows (
    session_id TEXT NOT NULL PRIMARY KEY,
    policy_set TEXT NOT NULL,
    shown INTEGER NOT NULL,
    copied_from TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE shown (
    session_id TEXT NOT NULL,
    revision_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (session_id, revision_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    run_id TEXT NOT NULL PRIMARY KEY,
    session_id TEXT NOT NULL,
    exposure_revision INTEGER NOT NULL,
    policy_set TEXT NOT NULL,
    shown_before INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE exposures (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    exposure_revision INTEGER NOT NULL,
    shown TEXT NOT NULL,
    captured TEXT NOT NULL,
    PRIMARY KEY (run_id, exposure_revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    session_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session_id, sequence),
    UNIQUE (session_id, event_id)
) STRICT;

CREATE TABLE labels (
    session_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (session_id, sequence),
    FOREIGN KEY (session_id, sequence) REFERENCES events (session_id, sequence)
) STRICT;

CREATE TABLE outbox (
    sequence INTEGER NOT NULL PRIMARY KEY,
    decision_id TEXT NOT NULL,
    record TEXT NOT NULL
) STRICT;

CREATE INDEX outbox_by_decision ON outbox (decision_id, sequence);
"""


AGENT: Final = AGENT_TABLES + LAST_ROWS

INDEX: Final = """
CREATE TABLE watermark (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    change INTEGER NOT NULL,
    path_key TEXT NOT NULL
) STRICT;

CREATE TABLE chunks (
    row INTEGER PRIMARY KEY,
    revision_id TEXT NOT NULL UNIQUE,
    class_id TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    expires_at INTEGER,
    unspaced INTEGER NOT NULL
) STRICT;

CREATE TABLE texts (
    row INTEGER PRIMARY KEY,
    folded TEXT NOT NULL
) STRICT;

CREATE INDEX chunks_that_expire ON chunks (expires_at, class_id, tokens) WHERE expires_at IS NOT NULL;

CREATE TABLE class_totals (
    class_id TEXT NOT NULL PRIMARY KEY,
    chunks INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER chunk_added AFTER INSERT ON chunks BEGIN
    INSERT INTO class_totals (class_id, chunks, tokens) VALUES (new.class_id, 1, new.tokens)
    ON CONFLICT (class_id) DO UPDATE SET chunks = chunks + 1, tokens = tokens + excluded.tokens;
END;

CREATE TRIGGER chunk_dropped AFTER DELETE ON chunks BEGIN
    UPDATE class_totals SET chunks = chunks - 1, tokens = tokens - old.tokens WHERE class_id = old.class_id;
    DELETE FROM class_totals WHERE class_id = old.class_id AND chunks = 0;
END;

CREATE VIRTUAL TABLE terms USING fts5 (
    folded, content = '', columnsize = 0, tokenize = 'porter unicode61 remove_diacritics 2'
);

INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);

CREATE VIRTUAL TABLE term_places USING fts5vocab (terms, instance);

INSERT INTO watermark VALUES (1, 0, '');
"""
