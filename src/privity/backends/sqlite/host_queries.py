"""The tables of a host's database, and every statement on them.

Every table is STRICT and compares text byte by byte. Times are microseconds.
"""

from typing import Final

VERSION: Final = 2

SCHEMA: Final = """
CREATE TABLE principals (
    principal_id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL,
    merged_into TEXT REFERENCES principals (principal_id),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX principals_merged ON principals (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE bindings (
    number INTEGER PRIMARY KEY,
    binding_id TEXT NOT NULL UNIQUE,
    sender_key TEXT NOT NULL,
    principal_id TEXT NOT NULL REFERENCES principals (principal_id),
    adapter TEXT NOT NULL,
    account TEXT NOT NULL,
    assurance TEXT NOT NULL,
    method TEXT NOT NULL,
    evidence_revision TEXT NOT NULL,
    created_by TEXT,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX bindings_sender ON bindings (sender_key);
CREATE INDEX bindings_principal ON bindings (principal_id);

CREATE TABLE conversations (
    conversation_id TEXT NOT NULL PRIMARY KEY,
    conversation_key TEXT NOT NULL UNIQUE,
    adapter TEXT NOT NULL,
    account TEXT NOT NULL,
    owner_id TEXT,
    evidence_revision TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE observations (
    group_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    evidence_revision TEXT NOT NULL,
    observed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (group_id, principal_id, provider)
) STRICT, WITHOUT ROWID;
CREATE INDEX observations_principal ON observations (principal_id);

CREATE TABLE departures (
    group_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    left_at INTEGER NOT NULL,
    PRIMARY KEY (group_id, principal_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    number INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    owner_id TEXT NOT NULL,
    host_facts_epoch INTEGER NOT NULL,
    settled_epoch INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    agent_id TEXT NOT NULL,
    session_key TEXT NOT NULL,
    route_key TEXT NOT NULL,
    subject TEXT NOT NULL,
    subject_revision TEXT NOT NULL,
    visibility TEXT NOT NULL,
    standing TEXT NOT NULL,
    conversation_id TEXT,
    created_at INTEGER NOT NULL,
    current_session_id TEXT NOT NULL,
    PRIMARY KEY (agent_id, session_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE windows (
    agent_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    session_key TEXT NOT NULL,
    identity_revision TEXT NOT NULL,
    succession TEXT NOT NULL,
    inherits_from TEXT,
    opened_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE admissions (
    admission_key TEXT NOT NULL PRIMARY KEY,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX admissions_until ON admissions (until);

CREATE TABLE audit (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    agent_id TEXT,
    outbox_sequence INTEGER,
    record TEXT NOT NULL,
    UNIQUE (agent_id, outbox_sequence)
) STRICT;

CREATE TABLE home (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    stamp TEXT NOT NULL,
    key_check TEXT NOT NULL
) STRICT;
"""

# Principals and bindings

ADD_PRINCIPAL: Final = """
INSERT OR IGNORE INTO principals (principal_id, kind, label, state, merged_into, created_at)
VALUES (:principal_id, :kind, :label, :state, :merged_into, :created_at)
"""
FIND_PRINCIPAL: Final = """
SELECT principal_id, kind, label, state, merged_into, created_at FROM principals WHERE principal_id = :principal_id
"""
FIND_HEAD: Final = """
SELECT head.principal_id, head.kind, head.label, head.state, head.merged_into, head.created_at
FROM principals AS one JOIN principals AS head ON head.principal_id = coalesce(one.merged_into, one.principal_id)
WHERE one.principal_id = :principal_id
"""
LIST_MERGED: Final = "SELECT principal_id FROM principals WHERE merged_into = :principal_id ORDER BY principal_id"
LIST_PRINCIPALS: Final = """
SELECT principal_id, kind, label, state, merged_into, created_at FROM principals
WHERE principal_id > :after ORDER BY principal_id LIMIT :limit
"""
REVOKE_PRINCIPAL: Final = """
UPDATE principals SET state = :revoked WHERE principal_id = :principal_id AND state <> :revoked RETURNING 1
"""
COUNT_HEADS: Final = """
SELECT count(*) FROM principals WHERE principal_id IN (:source, :head) AND merged_into IS NULL
"""
MERGE: Final = "UPDATE principals SET merged_into = :head WHERE principal_id = :source OR merged_into = :source"
ADD_BINDING: Final = """
INSERT INTO bindings (binding_id, sender_key, principal_id, adapter, account, assurance, method, evidence_revision,
    created_by, created_at, revoked_at)
VALUES (:binding_id, :sender_key, :principal_id, :adapter, :account, :assurance, :method, :evidence_revision,
    :created_by, :created_at, :revoked_at)
"""
FIND_BINDINGS: Final = """
SELECT binding_id, sender_key, principal_id, adapter, account, assurance, method, evidence_revision,
    created_by, created_at, revoked_at
FROM bindings WHERE sender_key = :sender_key ORDER BY number
"""
FIND_BINDING: Final = """
SELECT binding_id, sender_key, principal_id, adapter, account, assurance, method, evidence_revision,
    created_by, created_at, revoked_at
FROM bindings WHERE binding_id = :binding_id
"""
LIST_BINDINGS: Final = """
SELECT binding_id, sender_key, principal_id, adapter, account, assurance, method, evidence_revision,
    created_by, created_at, revoked_at
FROM bindings WHERE principal_id IN (SELECT value FROM json_each(:principal_ids)) ORDER BY number
"""
REVOKE_BINDING: Final = """
UPDATE bindings SET revoked_at = :at WHERE binding_id = :binding_id AND revoked_at IS NULL RETURNING 1
"""

# Conversations and memberships

ADD_CONVERSATION: Final = """
INSERT OR IGNORE INTO conversations (conversation_id, conversation_key, adapter, account, owner_id, evidence_revision,
    created_at)
VALUES (:conversation_id, :conversation_key, :adapter, :account, :owner_id, :evidence_revision, :created_at)
"""
FIND_CONVERSATION: Final = """
SELECT conversation_id, conversation_key, adapter, account, owner_id, evidence_revision, created_at
FROM conversations WHERE conversation_key = :conversation_key
"""
LOAD_CONVERSATION: Final = """
SELECT conversation_id, conversation_key, adapter, account, owner_id, evidence_revision, created_at
FROM conversations WHERE conversation_id = :conversation_id
"""
LIST_CONVERSATIONS: Final = """
SELECT conversation_id, conversation_key, adapter, account, owner_id, evidence_revision, created_at
FROM conversations WHERE conversation_id > :after ORDER BY conversation_id LIMIT :limit
"""
NAME_OWNER: Final = """
UPDATE conversations SET owner_id = :owner_id
WHERE conversation_id = :conversation_id AND owner_id IS NOT :owner_id RETURNING 1
"""
OBSERVE: Final = """
INSERT INTO observations (group_id, principal_id, provider, evidence_revision, observed_at, expires_at)
VALUES (:group_id, :principal_id, :provider, :evidence_revision, :observed_at, :expires_at)
ON CONFLICT DO UPDATE SET evidence_revision = excluded.evidence_revision, observed_at = excluded.observed_at,
    expires_at = excluded.expires_at
WHERE observations.observed_at <= excluded.observed_at
"""
LIST_MEMBERSHIPS: Final = """
SELECT principal_id, group_id, provider, evidence_revision, observed_at, expires_at, (
    SELECT max(left_at) FROM departures AS gone
    WHERE gone.group_id = one.group_id AND gone.principal_id IN (SELECT value FROM json_each(:principal_ids))
) AS left_at
FROM observations AS one WHERE principal_id IN (SELECT value FROM json_each(:principal_ids))
ORDER BY group_id, principal_id, provider
"""
LIST_MEMBERS: Final = """
SELECT one.principal_id, one.group_id, provider, evidence_revision, observed_at, expires_at, left_at
FROM observations AS one LEFT JOIN departures AS gone
    ON gone.group_id = one.group_id AND gone.principal_id = one.principal_id
WHERE one.group_id = :group_id
ORDER BY one.principal_id, provider
"""
DEPART: Final = """
INSERT INTO departures (group_id, principal_id, left_at) VALUES (:group_id, :principal_id, :at)
ON CONFLICT DO UPDATE SET left_at = excluded.left_at WHERE departures.left_at < excluded.left_at
RETURNING 1
"""

# Sessions and windows

ADD_SESSION: Final = """
INSERT INTO sessions (agent_id, session_key, route_key, subject, subject_revision, visibility, standing,
    conversation_id, created_at, current_session_id)
VALUES (:agent_id, :session_key, :route_key, :subject, :subject_revision, :visibility, :standing,
    :conversation_id, :created_at, :session_id)
"""
ADD_WINDOW: Final = """
INSERT INTO windows (agent_id, session_id, session_key, identity_revision, succession, inherits_from, opened_at)
VALUES (:agent_id, :session_id, :session_key, :identity_revision, :succession, :inherits_from, :opened_at)
"""
FIND_SESSION: Final = """
SELECT s.agent_id, s.session_key, route_key, subject, subject_revision, visibility, standing, conversation_id,
    created_at, session_id, identity_revision, succession, inherits_from, opened_at
FROM sessions AS s JOIN windows AS w ON w.agent_id = s.agent_id AND w.session_id = s.current_session_id
WHERE s.agent_id = :agent_id AND s.session_key = :session_key
"""
LIST_SESSIONS: Final = """
SELECT s.agent_id, s.session_key, route_key, subject, subject_revision, visibility, standing, conversation_id,
    created_at, session_id, identity_revision, succession, inherits_from, opened_at
FROM sessions AS s JOIN windows AS w ON w.agent_id = s.agent_id AND w.session_id = s.current_session_id
WHERE s.agent_id = :agent_id AND s.session_key > :after ORDER BY s.session_key LIMIT :limit
"""
REMAP: Final = """
UPDATE sessions SET current_session_id = :session_id
WHERE agent_id = :agent_id AND session_key = :session_key AND current_session_id = :expected RETURNING 1
"""
SETTLE_WINDOW: Final = """
UPDATE windows SET inherits_from = NULL WHERE agent_id = :agent_id AND session_id = :session_id
"""

# Agents and epochs

ADD_AGENT: Final = """
INSERT OR IGNORE INTO agents (agent_id, name, owner_id, host_facts_epoch, settled_epoch, created_at)
VALUES (:agent_id, :name, :owner_id, :host_facts_epoch, :settled_epoch, :created_at)
"""
FIND_AGENT: Final = """
SELECT agent_id, name, owner_id, host_facts_epoch, settled_epoch, created_at FROM agents WHERE name = :name
"""
LOAD_AGENT: Final = """
SELECT agent_id, name, owner_id, host_facts_epoch, settled_epoch, created_at FROM agents WHERE agent_id = :agent_id
"""
LIST_AGENTS: Final = """
SELECT agent_id, name, owner_id, host_facts_epoch, settled_epoch, created_at FROM agents ORDER BY number
"""
RAISE_EPOCHS: Final = "UPDATE agents SET host_facts_epoch = host_facts_epoch + 1"
RAISE_EPOCH: Final = """
UPDATE agents SET host_facts_epoch = :epoch WHERE agent_id = :agent_id AND host_facts_epoch < :epoch
"""
SETTLE_EPOCH: Final = """
UPDATE agents SET settled_epoch = :epoch WHERE agent_id = :agent_id AND settled_epoch < :epoch
"""

# Admissions, audit and the stamp of the home

FORGET_ADMISSIONS: Final = "DELETE FROM admissions WHERE until <= :now"
ADMIT: Final = """
INSERT OR IGNORE INTO admissions (admission_key, until) VALUES (:admission_key, :until) RETURNING 1
"""
ADD_AUDIT: Final = """
INSERT OR IGNORE INTO audit (source, agent_id, outbox_sequence, record)
VALUES (:source, :agent_id, :outbox_sequence, :record) RETURNING 1
"""
DRAINED: Final = "SELECT coalesce(max(outbox_sequence), 0) FROM audit WHERE agent_id = :agent_id"
LIST_AUDIT: Final = """
SELECT sequence, source, record FROM audit WHERE sequence > :after ORDER BY sequence LIMIT :limit
"""
FIND_STAMP: Final = "SELECT stamp, key_check FROM home"
STAMP: Final = "INSERT OR IGNORE INTO home (only, stamp, key_check) VALUES (1, :stamp, :key_check)"
