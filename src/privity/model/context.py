"""The access context: the frozen, branded facts of one operation."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from privity.model.audiences import Audience
from privity.model.ids import (
    AgentId,
    CollaborationRevision,
    ContextId,
    DeliveryRevision,
    EgressCapabilityId,
    EgressRegistryRevision,
    EvidenceRevision,
    HostFactsRevision,
    PlanId,
    PrincipalId,
    RequestId,
    RunId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    SubjectRevision,
)
from privity.model.operations import Operation
from privity.model.principals import Actor, Membership, VerifiedPrincipal
from privity.model.subjects import SessionSubject

CONTEXT_VERSION: Final = 1


class SinkKind(StrEnum):
    """What kind of place a delivery goes to."""

    PRIVATE = "private"
    CHANNEL = "channel"
    SESSION = "session"
    INTERNAL = "internal"


class CollaborationMode(StrEnum):
    """The mode of a collaborative session."""

    SHARED = "shared"
    READ_ONLY = "read-only"
    SUGGEST = "suggest"
    DRAFT = "draft"


class CollaborationRole(StrEnum):
    """An actor's role in a collaborative session."""

    ADMIN = "admin"
    OWNER = "owner"
    MEMBER = "member"
    VIEWER = "viewer"


class Visibility(StrEnum):
    """Whether a session may leave durable traces. Incognito only narrows."""

    NORMAL = "normal"
    INCOGNITO = "incognito"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFacts:
    """The conversation a session stands in; `owner_id` is whom the operator named, if anyone."""

    conversation_id: PrincipalId
    adapter: str
    account: str
    owner_id: PrincipalId | None
    evidence_revision: EvidenceRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Where the output of an operation will go. `audiences` empty means nowhere, never everywhere."""

    sink_kind: SinkKind
    audiences: tuple[Audience, ...]
    egress_capability_ids: tuple[EgressCapabilityId, ...]
    egress_registry_revision: EgressRegistryRevision
    delivery_revision: DeliveryRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSession:
    """The host's decision about one actor in a collaborative session."""

    mode: CollaborationMode
    role: CollaborationRole
    decision_revision: CollaborationRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCollaborative:
    """The session is not a collaborative one."""


Collaboration = SharedSession | NotCollaborative


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """What a parent run handed to a child. The child's view is the intersection, nothing more."""

    root_principal_id: PrincipalId
    root_context_id: ContextId
    parent_context_id: ContextId
    parent_plan_id: PlanId
    capability_snapshot_id: str
    allowed_operations: frozenset[Operation]
    maximum_audiences: frozenset[Audience]
    store_cap_token: str
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessContext:
    """Everything the host knows about one operation, frozen and branded.

    Only the host's context factory makes one. A context serves one operation and is
    verified again before content is exposed and before a write is committed.
    Source: seed, "Trusted types"; decision 42.
    """

    version: int
    context_id: ContextId
    request_id: RequestId
    run_id: RunId
    agent_id: AgentId
    session_key: SessionKey
    session_id: SessionId
    session_identity_revision: SessionIdentityRevision
    subject_revision: SubjectRevision
    session_subject: SessionSubject
    visibility: Visibility
    actor: Actor
    verified_principals: tuple[VerifiedPrincipal, ...]
    mentioned_ids: tuple[PrincipalId, ...]
    conversation: ConversationFacts | None
    delivery: Delivery
    collaboration: Collaboration
    verified_memberships: tuple[Membership, ...]
    delegation: Delegation | None
    operation: Operation
    host_facts_revision: HostFactsRevision
    issued_at: datetime
    expires_at: datetime
    brand: bytes
