"""Audit records and explanations: identifiers, revisions, decisions and digests, never content."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from privity.model.decisions import TraceEntry
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    ContextId,
    DecisionId,
    PolicySetId,
    PrincipalId,
    ReceiptId,
    RequestId,
    RevisionId,
    RuleId,
    RunExposureRevision,
    RunId,
    SessionId,
    StoreId,
)
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.stores import StoreKind


class SearchTier(StrEnum):
    """Which branch found the rows of an access."""

    EXACT = "exact"
    FTS = "fts"
    VECTOR = "vector"
    HYBRID = "hybrid"
    SCAN = "scan"


class AuditKind(StrEnum):
    """What an audit record is about."""

    ACCESS = "access"
    DENIAL = "denial"
    WRITE = "write"
    EVENT = "event"
    EGRESS = "egress"
    AMENDMENT = "amendment"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One row of the outbox. `sequence` is 0 until the catalog numbers it.

    `accessor_id` is the actor, or `None` for an unattributed one; `target_ids` are the stores
    touched. `query_digest` is keyed; there is no field for text, title, path or name.
    """

    sequence: int
    kind: AuditKind
    decision_id: DecisionId
    agent_id: AgentId
    request_id: RequestId
    context_id: ContextId
    run_id: RunId
    session_id: SessionId
    accessor_id: PrincipalId | None
    target_ids: tuple[StoreId, ...]
    operation: Operation
    reason: Reason | None
    step: int
    revision_ids: tuple[RevisionId, ...]
    query_digest: str | None
    result_count: int
    search_tier: SearchTier | None
    authority_revision: AuthorityRevision
    run_exposure_revision: RunExposureRevision
    policy_set_id: PolicySetId | None
    receipt_id: ReceiptId | None
    determining_rules: tuple[RuleId, ...]
    store_kinds: tuple[StoreKind, ...]
    trace: tuple[TraceEntry, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why one decision came out as it did, for whom the host lets ask."""

    record: AuditRecord
