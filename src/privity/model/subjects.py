"""The session subject: whose view a session has, written once when the session is made."""

from dataclasses import dataclass
from enum import StrEnum

from privity.model.ids import EvidenceRevision, PrincipalId


class EvidenceKind(StrEnum):
    """Where the evidence that made a user subject came from."""

    GATEWAY_PROFILE = "gateway-profile"
    CHANNEL_BINDING = "channel-binding"
    ADAPTER_ATTESTED = "adapter-attested"
    EXPLICIT_SERVICE = "explicit-service"


class AmbiguityReason(StrEnum):
    """Why a session has no coherent subject."""

    SHARED_MAIN = "shared-main"
    UNBOUND = "unbound"
    CONFLICTING_BINDINGS = "conflicting-bindings"


class AutonomousKind(StrEnum):
    """The kinds of subject that are no person and no conversation."""

    SERVICE = "service"
    AGENT = "agent"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectEvidence:
    """A reference to the evidence a subject was created from. Provenance, never identity."""

    kind: EvidenceKind
    revision: EvidenceRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSubject:
    """An isolated direct message with one verified person."""

    principal_id: PrincipalId
    creation_evidence: SubjectEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSubject:
    """A group, room or channel; who speaks last does not change it."""

    conversation_id: PrincipalId
    adapter: str
    account: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AutonomousSubject:
    """A service, an agent or the system acting for itself."""

    kind: AutonomousKind
    principal_id: PrincipalId


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousSubject:
    """Nobody in particular: no private mount and no durable write."""

    reason: AmbiguityReason


SessionSubject = UserSubject | ConversationSubject | AutonomousSubject | AmbiguousSubject
