"""What the host keeps, as values: the shapes that cross its storage ports."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from privity.model.audit import AuditRecord
from privity.model.context import Visibility
from privity.model.ids import (
    AgentId,
    EvidenceRevision,
    GroupId,
    HostFactsRevision,
    PrincipalId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    SubjectRevision,
)
from privity.model.principals import Assurance, PrincipalKind
from privity.model.reasons import Reason
from privity.model.subjects import SessionSubject


class PrincipalState(StrEnum):
    """Whether a principal may still be anybody."""

    LIVE = "live"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalRecord:
    """A principal. `label` is what the operator calls it; it is never a key and may repeat."""

    principal_id: PrincipalId
    kind: PrincipalKind
    label: str
    state: PrincipalState
    merged_into: PrincipalId | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Who a principal is now: its merge head, and everybody who was merged into that head."""

    principal: PrincipalRecord
    merged_ids: tuple[PrincipalId, ...]

    @property
    def all_ids(self) -> tuple[PrincipalId, ...]:
        """The head's id and the merged ones."""
        return (self.principal.principal_id, *self.merged_ids)


class BindingMethod(StrEnum):
    """How a binding came about."""

    FIRST_CONTACT = "first-contact"
    OPERATOR = "operator"
    VOUCHED = "vouched-by-operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingRecord:
    """A tie of one sender of one account to a principal. `sender_key` is a keyed digest."""

    binding_id: str
    sender_key: str
    principal_id: PrincipalId
    adapter: str
    account: str
    assurance: Assurance
    method: BindingMethod
    evidence_revision: EvidenceRevision
    created_by: PrincipalId | None
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRecord:
    """A conversation as a principal. `conversation_key` is a keyed digest."""

    conversation_id: PrincipalId
    conversation_key: str
    adapter: str
    account: str
    owner_id: PrincipalId | None
    evidence_revision: EvidenceRevision
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Evidence that a principal belonged to a conversation or a role, one row for each provider.

    `left_at` is when the principal last left the group, whoever observed that.
    """

    principal_id: PrincipalId
    group_id: GroupId
    provider: str
    evidence_revision: EvidenceRevision
    observed_at: datetime
    expires_at: datetime
    left_at: datetime | None


class SessionStanding(StrEnum):
    """Whether a session has a memory view at all."""

    OPEN = "open"
    QUARANTINED = "quarantined"


class Succession(StrEnum):
    """How a window came to be."""

    OPENED = "opened"
    RESET = "reset"
    BRANCH = "branch"
    FORK = "fork"
    RESTORE = "restore"
    REWIND = "rewind"
    DELEGATION = "delegation"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """A session node, written once. `route_key` is the route whose events it answers.

    `conversation_id` is the conversation it stands in, where it stands in one.
    """

    agent_id: AgentId
    session_key: SessionKey
    route_key: SessionKey
    subject: SessionSubject
    subject_revision: SubjectRevision
    visibility: Visibility
    standing: SessionStanding
    conversation_id: PrincipalId | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window of a session. The current one is what the session key maps to.

    `inherits_from` names the window whose exposure it must take over before its first use;
    it is `None` once that was done.
    """

    session_id: SessionId
    identity_revision: SessionIdentityRevision
    succession: Succession
    inherits_from: SessionId | None
    opened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedSession:
    """A session and its current window."""

    record: SessionRecord
    window: Window


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """An agent: a hard cell of memory. `owner_id` is its administrative owner.

    `settled_epoch` is the host-facts epoch that the plugin is known to hold durably.
    """

    agent_id: AgentId
    name: str
    owner_id: PrincipalId
    host_facts_epoch: HostFactsRevision
    settled_epoch: HostFactsRevision
    created_at: datetime


class HostAct(StrEnum):
    """What the host itself writes into the audit."""

    AGENT_ADDED = "agent-added"
    PRINCIPAL_ADDED = "principal-added"
    BINDING_ADDED = "binding-added"
    BINDING_REVOKED = "binding-revoked"
    PRINCIPAL_REVOKED = "principal-revoked"
    PRINCIPALS_MERGED = "principals-merged"
    OWNER_NAMED = "owner-named"
    MEMBER_ADDED = "member-added"
    MEMBER_LEFT = "member-left"
    SESSION_SUCCEEDED = "session-succeeded"
    CONTEXT_DENIED = "context-denied"
    RELEASE_DENIED = "release-denied"
    RELEASED = "released"
    RELEASE_FAILED = "release-failed"
    RIGHT_GRANTED = "right-granted"
    RIGHT_REVOKED = "right-revoked"
    RIGHT_DENIED = "right-denied"
    DENIAL_LIFTED = "denial-lifted"
    PUBLISHED = "published"
    AUDIT_SEEN = "audit-seen"
    HOME_REJOINED = "home-rejoined"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAuditRecord:
    """One act of the host: identifiers and reasons, never content.

    `justification` is an administrator's stated reason, in the administrator's words.
    """

    act: HostAct
    agent_id: AgentId | None
    actor_id: PrincipalId | None
    target_ids: tuple[str, ...]
    reason: Reason | None
    justification: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One row of the home's audit, numbered in the order in which it arrived."""

    sequence: int
    record: AuditRecord | HostAuditRecord


class Freshness(StrEnum):
    """Whether an event was admitted before."""

    FRESH = "fresh"
    REPLAYED = "replayed"
