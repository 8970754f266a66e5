"""Rows of a host's database as values, and values as what its statements bind."""

from dataclasses import dataclass

from privity.backends.sqlite import codec
from privity.backends.sqlite.codec import from_micros, optional_micros, optional_time, to_micros
from privity.backends.sqlite.database import Bindings, Row
from privity.host.records import (
    AgentRecord,
    BindingMethod,
    BindingRecord,
    ConversationRecord,
    MappedSession,
    Observation,
    PrincipalRecord,
    PrincipalState,
    SessionRecord,
    SessionStanding,
    Succession,
    Window,
)
from privity.model.context import Visibility
from privity.model.principals import Assurance, PrincipalKind
from privity.model.subjects import SessionSubject


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The subject of a session, as its column holds it."""

    subject: SessionSubject


def principal_bindings(principal: PrincipalRecord) -> Bindings:
    """Return what a statement binds of a principal."""
    return {
        "principal_id": principal.principal_id,
        "kind": principal.kind,
        "label": principal.label,
        "state": principal.state,
        "merged_into": principal.merged_into,
        "created_at": to_micros(principal.created_at),
    }


def principal_of(row: Row) -> PrincipalRecord:
    """Return a row as a principal."""
    return PrincipalRecord(
        principal_id=row[0],
        kind=PrincipalKind(row[1]),
        label=row[2],
        state=PrincipalState(row[3]),
        merged_into=row[4],
        created_at=from_micros(row[5]),
    )


def binding_bindings(binding: BindingRecord) -> Bindings:
    """Return what a statement binds of a binding."""
    return {
        "binding_id": binding.binding_id,
        "sender_key": binding.sender_key,
        "principal_id": binding.principal_id,
        "adapter": binding.adapter,
        "account": binding.account,
        "assurance": binding.assurance,
        "method": binding.method,
        "evidence_revision": binding.evidence_revision,
        "created_by": binding.created_by,
        "created_at": to_micros(binding.created_at),
        "revoked_at": optional_micros(binding.revoked_at),
    }


def binding_of(row: Row) -> BindingRecord:
    """Return a row as a binding."""
    return BindingRecord(
        binding_id=row[0],
        sender_key=row[1],
        principal_id=row[2],
        adapter=row[3],
        account=row[4],
        assurance=Assurance(row[5]),
        method=BindingMethod(row[6]),
        evidence_revision=row[7],
        created_by=row[8],
        created_at=from_micros(row[9]),
        revoked_at=optional_time(row[10]),
    )


def conversation_bindings(conversation: ConversationRecord) -> Bindings:
    """Return what a statement binds of a conversation."""
    return {
        "conversation_id": conversation.conversation_id,
        "conversation_key": conversation.conversation_key,
        "adapter": conversation.adapter,
        "account": conversation.account,
        "owner_id": conversation.owner_id,
        "evidence_revision": conversation.evidence_revision,
        "created_at": to_micros(conversation.created_at),
    }


def conversation_of(row: Row) -> ConversationRecord:
    """Return a row as a conversation."""
    return ConversationRecord(
        conversation_id=row[0],
        conversation_key=row[1],
        adapter=row[2],
        account=row[3],
        owner_id=row[4],
        evidence_revision=row[5],
        created_at=from_micros(row[6]),
    )


def observation_bindings(observation: Observation) -> Bindings:
    """Return what a statement binds of an observation."""
    return {
        "group_id": observation.group_id,
        "principal_id": observation.principal_id,
        "provider": observation.provider,
        "evidence_revision": observation.evidence_revision,
        "observed_at": to_micros(observation.observed_at),
        "expires_at": to_micros(observation.expires_at),
    }


def observation_of(row: Row) -> Observation:
    """Return a row as an observation."""
    return Observation(
        principal_id=row[0],
        group_id=row[1],
        provider=row[2],
        evidence_revision=row[3],
        observed_at=from_micros(row[4]),
        expires_at=from_micros(row[5]),
        left_at=optional_time(row[6]),
    )


def session_bindings(record: SessionRecord, window: Window) -> Bindings:
    """Return what the statements on a session and its first window bind."""
    return {
        "agent_id": record.agent_id,
        "session_key": record.session_key,
        "route_key": record.route_key,
        "subject": codec.dump(Stamp(subject=record.subject), Stamp),
        "subject_revision": record.subject_revision,
        "visibility": record.visibility,
        "standing": record.standing,
        "conversation_id": record.conversation_id,
        "created_at": to_micros(record.created_at),
        **window_bindings(window),
    }


def window_bindings(window: Window) -> Bindings:
    """Return what a statement binds of a window."""
    return {
        "session_id": window.session_id,
        "identity_revision": window.identity_revision,
        "succession": window.succession,
        "inherits_from": window.inherits_from,
        "opened_at": to_micros(window.opened_at),
    }


def session_of(row: Row) -> MappedSession:
    """Return a row as a session and its current window."""
    record = SessionRecord(
        agent_id=row[0],
        session_key=row[1],
        route_key=row[2],
        subject=codec.load(row[3], Stamp).subject,
        subject_revision=row[4],
        visibility=Visibility(row[5]),
        standing=SessionStanding(row[6]),
        conversation_id=row[7],
        created_at=from_micros(row[8]),
    )
    window = Window(
        session_id=row[9],
        identity_revision=row[10],
        succession=Succession(row[11]),
        inherits_from=row[12],
        opened_at=from_micros(row[13]),
    )
    return MappedSession(record=record, window=window)


def agent_bindings(agent: AgentRecord) -> Bindings:
    """Return what a statement binds of an agent."""
    return {
        "agent_id": agent.agent_id,
        "name": agent.name,
        "owner_id": agent.owner_id,
        "host_facts_epoch": agent.host_facts_epoch,
        "settled_epoch": agent.settled_epoch,
        "created_at": to_micros(agent.created_at),
    }


def agent_of(row: Row) -> AgentRecord:
    """Return a row as an agent."""
    return AgentRecord(
        agent_id=row[0],
        name=row[1],
        owner_id=row[2],
        host_facts_epoch=row[3],
        settled_epoch=row[4],
        created_at=from_micros(row[5]),
    )
