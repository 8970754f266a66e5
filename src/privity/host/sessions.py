"""Sessions: a subject stamped once for each route, and the windows that succeed one another."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from privity.host.bindings import Absence, Resolution, Resolved, Resolver
from privity.host.events import Admission
from privity.host.keys import HostKeys, Purpose
from privity.host.ports import SessionLedger
from privity.host.records import (
    MappedSession,
    SessionRecord,
    SessionStanding,
    Succession,
    Window,
)
from privity.model.context import Visibility
from privity.model.ids import (
    AgentId,
    EvidenceRevision,
    PrincipalId,
    SessionId,
    SessionIdentityRevision,
    SessionKey,
    SubjectRevision,
)
from privity.model.reasons import Reason
from privity.model.subjects import (
    AmbiguityReason,
    AmbiguousSubject,
    AutonomousKind,
    AutonomousSubject,
    ConversationSubject,
    EvidenceKind,
    SessionSubject,
    SubjectEvidence,
    UserSubject,
)
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import DeniedError
from privity.sdk.identity import ConversationKind

UNBOUND: Final = AmbiguousSubject(reason=AmbiguityReason.UNBOUND)
CONFLICTING: Final = AmbiguousSubject(reason=AmbiguityReason.CONFLICTING_BINDINGS)
SHARED_MAIN: Final = AmbiguousSubject(reason=AmbiguityReason.SHARED_MAIN)

Inherit = Callable[[MappedSession, SessionId], None]
"""Lets the plugin give a session's current window what another window was shown."""


class Sessions:
    """Opens sessions for routes, and gives them successors. Nothing changes a subject."""

    def __init__(
        self, ledger: SessionLedger, resolver: Resolver, keys: HostKeys, clock: Clock, entropy: Entropy
    ) -> None:
        self._ledger = ledger
        self._resolver = resolver
        self._keys = keys
        self._clock = clock
        self._entropy = entropy

    def open_for(self, agent_id: AgentId, admission: Admission, visibility: Visibility) -> MappedSession:
        """Return the session of an event's route, stamped now if it is new."""
        resolution = self._resolver.resolve(admission.sender)
        key = self.route(agent_id, admission, resolution, visibility)
        return self.open(agent_id, key, stamp(admission, resolution), visibility, admission.conversation_id)

    def open_autonomous(self, agent_id: AgentId, kind: AutonomousKind, principal_id: PrincipalId) -> MappedSession:
        """Return the session in which a service, an agent or the system acts for itself."""
        key = self.key(agent_id, "autonomous", kind, principal_id)
        subject = AutonomousSubject(kind=kind, principal_id=principal_id)
        return self.open(agent_id, key, subject, Visibility.NORMAL, None)

    def open_personal(self, agent_id: AgentId, principal_id: PrincipalId, evidence: EvidenceRevision) -> MappedSession:
        """Return the session of a person whom the host authenticated itself, without a transport."""
        key = self.key(agent_id, "personal", principal_id)
        subject = UserSubject(
            principal_id=principal_id,
            creation_evidence=SubjectEvidence(kind=EvidenceKind.GATEWAY_PROFILE, revision=evidence),
        )
        return self.open(agent_id, key, subject, Visibility.NORMAL, None)

    def open_quarantined(self, agent_id: AgentId) -> MappedSession:
        """Return a new session for what cannot prove its lineage. It has no memory view, ever."""
        key = self.fresh_key()
        record = self.record(agent_id, key, UNBOUND, Visibility.NORMAL, None)
        quarantined = replace(record, standing=SessionStanding.QUARANTINED)
        return self._ledger.open_session(quarantined, self.window(Succession.IMPORTED, None))

    def find(self, agent_id: AgentId, session_key: SessionKey) -> MappedSession | None:
        """Return a session under its key, with its current window."""
        return self._ledger.find_session(agent_id, session_key)

    def answers(self, session: MappedSession, admission: Admission) -> bool:
        """The event belongs to the route that this session answers, as it resolves now."""
        record = session.record
        resolution = self._resolver.resolve(admission.sender)
        return record.route_key == self.route(record.agent_id, admission, resolution, record.visibility)

    def succeed(self, session: MappedSession, succession: Succession, inherit: Inherit) -> MappedSession:
        """Return a successor with a new window, the exact subject, and the exposure of this window.

        A reset maps the key to the new window; every other successor has a key of its own.

        Raises:
            DeniedError: the session has moved on to another window meanwhile, or may not be used.
        """
        record = session.record
        self.require_current(session)
        self.settle(session, inherit)
        window = self.window(succession, session.window.session_id)
        if succession is not Succession.RESET:
            branched = replace(record, session_key=self.fresh_key())
            return self.settle(self._ledger.open_session(branched, window), inherit)
        if not self._ledger.remap(record.agent_id, record.session_key, session.window.session_id, window):
            raise DeniedError(Reason.SESSION_REBOUND, 1)
        return self.settle(MappedSession(record=record, window=window), inherit)

    def require_current(self, session: MappedSession) -> None:
        """Let nothing continue from a window that is over, or from what has no memory view.

        Raises:
            DeniedError: the session is quarantined, or has another window now.
        """
        if session.record.standing is SessionStanding.QUARANTINED:
            raise DeniedError(Reason.INVALID_CONTEXT, 1)
        current = self._ledger.find_session(session.record.agent_id, session.record.session_key)
        if current is None or current.window.session_id != session.window.session_id:
            raise DeniedError(Reason.SESSION_REBOUND, 1)

    def settle(self, session: MappedSession, inherit: Inherit) -> MappedSession:
        """Let a window take over what it inherits, if that is still to be done."""
        if session.window.inherits_from is None:
            return session
        record = session.record
        current = self._ledger.find_session(record.agent_id, record.session_key)
        if current is None or current.window.session_id != session.window.session_id:
            return session
        source = current.window.inherits_from
        if source is None:
            return current
        inherit(current, source)
        self._ledger.settle_window(record.agent_id, current.window.session_id)
        return replace(current, window=replace(current.window, inherits_from=None))

    def open(
        self,
        agent_id: AgentId,
        key: SessionKey,
        subject: SessionSubject,
        visibility: Visibility,
        conversation_id: PrincipalId | None,
    ) -> MappedSession:
        """Return the session under `key`, written now if there is none."""
        found = self._ledger.find_session(agent_id, key)
        if found is not None:
            return found
        record = self.record(agent_id, key, subject, visibility, conversation_id)
        return self._ledger.open_session(record, self.window(Succession.OPENED, None))

    def record(
        self,
        agent_id: AgentId,
        key: SessionKey,
        subject: SessionSubject,
        visibility: Visibility,
        conversation_id: PrincipalId | None,
    ) -> SessionRecord:
        """Return a session that is not stored yet."""
        return SessionRecord(
            agent_id=agent_id,
            session_key=key,
            route_key=key,
            subject=subject,
            subject_revision=SubjectRevision(self._entropy.token("sbr")),
            visibility=visibility,
            standing=SessionStanding.OPEN,
            conversation_id=conversation_id,
            created_at=self._clock.now(),
        )

    def window(self, succession: Succession, source: SessionId | None) -> Window:
        """Return a window that is not stored yet."""
        return Window(
            session_id=SessionId(self._entropy.token("win")),
            identity_revision=SessionIdentityRevision(self._entropy.token("sir")),
            succession=succession,
            inherits_from=source,
            opened_at=self._clock.now(),
        )

    def route(
        self, agent_id: AgentId, admission: Admission, resolution: Resolution, visibility: Visibility
    ) -> SessionKey:
        """Return the session key of an event's route.

        A direct message is keyed by its sender and by whom the sender is bound to, so that a
        sender who is bound anew never enters the session of the principal before.
        """
        sender = admission.sender
        parts = [visibility, sender.adapter, sender.account, admission.conversation, admission.route]
        if admission.conversation is ConversationKind.DIRECT:
            parts += [sender.sender_key, bound_to(resolution)]
        return self.key(agent_id, "route", *parts)

    def key(self, agent_id: AgentId, *parts: str) -> SessionKey:
        """Return the session key of a route of one agent."""
        return SessionKey("key_" + self._keys.digest(Purpose.SESSION, agent_id, *parts))

    def fresh_key(self) -> SessionKey:
        """Return a session key that no route leads to."""
        return SessionKey(self._entropy.token("key"))


def bound_to(resolution: Resolution) -> str:
    """Return whom a sender is bound to, or why to nobody."""
    if isinstance(resolution, Resolved):
        return resolution.binding.principal_id
    return resolution.absence


def stamp(admission: Admission, resolution: Resolution) -> SessionSubject:
    """Return the subject of a session that an event opens. What has no coherent one is ambiguous."""
    match admission.conversation, admission.conversation_id:
        case ConversationKind.GROUP, str() as conversation_id:
            return ConversationSubject(
                conversation_id=conversation_id,
                adapter=admission.sender.adapter,
                account=admission.sender.account,
            )
        case ConversationKind.DIRECT, _:
            return stamp_direct(resolution)
        case ConversationKind.SHARED_MAIN, _:
            return SHARED_MAIN
        case _:
            return UNBOUND


def stamp_direct(resolution: Resolution) -> SessionSubject:
    """Return the subject of a direct message: its one verified person, or nobody."""
    match resolution:
        case Resolved(head=head, binding=binding):
            evidence = SubjectEvidence(kind=EvidenceKind.CHANNEL_BINDING, revision=binding.evidence_revision)
            return UserSubject(principal_id=head.principal.principal_id, creation_evidence=evidence)
        case _ if resolution.absence is Absence.CONFLICTING:
            return CONFLICTING
        case _:
            return UNBOUND
