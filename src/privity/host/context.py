"""Access contexts: the only place that makes one, and the answer to whether one is genuine."""

import hmac
from dataclasses import fields, replace
from threading import Lock

from privity.host.delivery import Basis, Destination
from privity.host.keys import HostKeys
from privity.host.occasions import Issued, Known, Occasion
from privity.host.options import HostOptions
from privity.host.parties import Parties
from privity.host.ports import HostStores
from privity.host.records import SessionRecord, SessionStanding
from privity.host.sinks import Sinks
from privity.model.canonical import canonical_bytes
from privity.model.context import (
    CONTEXT_VERSION,
    AccessContext,
    ConversationFacts,
    NotCollaborative,
)
from privity.model.ids import (
    ContextId,
    DeliveryRevision,
    HostFactsRevision,
    RequestId,
)
from privity.model.reasons import Reason
from privity.model.standing import Authenticity, ContextStanding
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import DeniedError, UnavailableError

UNKNOWN_DELIVERY = DeliveryRevision("")
"""Equal to the delivery revision of no context."""


class ContextDesk:
    """Issues contexts and vouches for those that are live. Satisfies `ContextVerifier`."""

    def __init__(
        self,
        stores: HostStores,
        parties: Parties,
        sinks: Sinks,
        keys: HostKeys,
        options: HostOptions,
        clock: Clock,
        entropy: Entropy,
    ) -> None:
        self._stores = stores
        self._parties = parties
        self._sinks = sinks
        self._keys = keys
        self._options = options
        self._clock = clock
        self._entropy = entropy
        self._lock = Lock()
        self._live: dict[int, Issued] = {}

    def issue(self, occasion: Occasion) -> AccessContext:
        """Return a new live context.

        Raises:
            DeniedError: the session moved on or is quarantined, or somebody in it was revoked.
        """
        refuse(self.objection(occasion))
        context = self.branded(occasion)
        with self._lock:
            self._live[id(context)] = Issued(context=context, occasion=occasion, known=None)
        return context

    def close(self, context: AccessContext) -> None:
        """Let `context` serve nothing any more."""
        with self._lock:
            self._live.pop(id(context), None)

    def objection(self, occasion: Occasion) -> Reason | None:
        """Return why the host refuses before it asks anybody."""
        record = occasion.session.record
        current = self._stores.sessions.find_session(record.agent_id, record.session_key)
        if record.standing is SessionStanding.QUARANTINED:
            return Reason.INVALID_CONTEXT
        if current is None or current.window.session_id != occasion.session.window.session_id:
            return Reason.SESSION_REBOUND
        if self._parties.revoked(occasion.party, record.subject):
            return Reason.IDENTITY_REVOKED
        return occasion.party.objection

    def branded(self, occasion: Occasion) -> AccessContext:
        """Return a context that states the facts of `occasion` as they are now."""
        record = occasion.session.record
        now = self._clock.now()
        draft = AccessContext(
            version=CONTEXT_VERSION,
            context_id=ContextId(self._entropy.token("ctx")),
            request_id=RequestId(self._entropy.token("req")),
            run_id=occasion.run_id,
            agent_id=record.agent_id,
            session_key=record.session_key,
            session_id=occasion.session.window.session_id,
            session_identity_revision=occasion.session.window.identity_revision,
            subject_revision=record.subject_revision,
            session_subject=record.subject,
            visibility=record.visibility,
            actor=occasion.party.actor,
            verified_principals=occasion.party.verified_principals,
            mentioned_ids=occasion.party.mentioned_ids,
            conversation=self.conversation(record),
            delivery=self._sinks.delivery(occasion.destination, record.agent_id),
            collaboration=NotCollaborative(),
            verified_memberships=occasion.party.memberships,
            delegation=occasion.delegation,
            operation=occasion.operation,
            host_facts_revision=self.epoch(record),
            issued_at=now,
            expires_at=now + self._options.lifetimes.context,
            brand=b"",
        )
        return replace(draft, brand=self._keys.brand(branded_bytes(draft)))

    def conversation(self, record: SessionRecord) -> ConversationFacts | None:
        """Return the facts of the conversation a session stands in."""
        if record.conversation_id is None:
            return None
        conversation = self._stores.roster.load_conversation(record.conversation_id)
        if conversation is None:
            return None
        return ConversationFacts(
            conversation_id=conversation.conversation_id,
            adapter=conversation.adapter,
            account=conversation.account,
            owner_id=conversation.owner_id,
            evidence_revision=conversation.evidence_revision,
        )

    def epoch(self, record: SessionRecord) -> HostFactsRevision:
        """Return the host-facts epoch of a session's agent."""
        agent = self._stores.agents.load_agent(record.agent_id)
        return HostFactsRevision(0) if agent is None else agent.host_facts_epoch

    def standing(self, context: AccessContext) -> ContextStanding:
        """Return the host's current facts beside `context`, its authenticity first."""
        issued = self.find(context)
        if issued is None or not self.bears_brand(context):
            return self.stranger(self.estrangement(context))
        mark = (self._stores.changes, self._sinks.revision)
        known = issued.known
        if known is not None and known.mark == mark:
            return known.standing
        standing = self.current(issued)
        if issued.occasion.destination.basis is Basis.FACTS:
            issued.known = Known(mark=mark, standing=standing)
        return standing

    def current(self, issued: Issued) -> ContextStanding:
        """Return the host's facts beside a genuine context, looked up now."""
        record = issued.occasion.session.record
        current = self._stores.sessions.find_session(record.agent_id, record.session_key)
        return ContextStanding(
            authenticity=Authenticity.GENUINE,
            session_identity_revision=None if current is None else current.window.identity_revision,
            subject_revision=None if current is None else current.record.subject_revision,
            delivery_revision=self.delivery_revision(issued.occasion.destination),
            egress_registry_revision=self._sinks.revision,
            host_facts_revision=self.epoch(record),
            revoked_ids=self._parties.revoked(issued.occasion.party, record.subject),
        )

    def find(self, context: AccessContext) -> Issued | None:
        """Return the registration of this very object."""
        with self._lock:
            issued = self._live.get(id(context))
        return issued if issued is not None and issued.context is context else None

    def bears_brand(self, context: AccessContext) -> bool:
        """Nothing in `context` was changed since it was issued."""
        if type(context) is not AccessContext:
            return False
        try:
            brand = self._keys.brand(branded_bytes(context))
            return hmac.compare_digest(brand, context.brand)
        except (AttributeError, TypeError, ValueError, RecursionError):
            return False

    def estrangement(self, context: AccessContext) -> Authenticity:
        """Say whether a context that is not live once was: a copy of a live one never was."""
        if not self.bears_brand(context):
            return Authenticity.FORGED
        with self._lock:
            live = any(issued.context.context_id == context.context_id for issued in self._live.values())
        return Authenticity.FORGED if live else Authenticity.CLOSED

    def stranger(self, authenticity: Authenticity) -> ContextStanding:
        """Return the standing of a context that has none."""
        return ContextStanding(
            authenticity=authenticity,
            session_identity_revision=None,
            subject_revision=None,
            delivery_revision=UNKNOWN_DELIVERY,
            egress_registry_revision=self._sinks.revision,
            host_facts_revision=HostFactsRevision(0),
            revoked_ids=frozenset(),
        )

    def delivery_revision(self, destination: Destination) -> DeliveryRevision:
        """Return the current revision of a delivery, or one that equals none where a resolver fails."""
        try:
            return self._sinks.delivery_revision(destination)
        except UnavailableError:
            return UNKNOWN_DELIVERY


def refuse(reason: Reason | None) -> None:
    """Deny at the host's own step of the evaluation order.

    Raises:
        DeniedError: there is a reason to.
    """
    if reason is not None:
        raise DeniedError(reason, 1)


def branded_bytes(context: AccessContext) -> bytes:
    """Return the canonical bytes of every field but the brand."""
    names = (field.name for field in fields(AccessContext) if field.name != "brand")
    return canonical_bytes([getattr(context, name) for name in names])
