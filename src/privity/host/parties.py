"""The party of an operation: who acts, and which principals are verified beside them."""

from dataclasses import dataclass

from privity.host.bindings import Absence, Resolved, Resolver
from privity.host.events import Admission
from privity.host.ports import IdentityStore
from privity.host.records import BindingRecord, Head, PrincipalState
from privity.host.rosters import Rosters
from privity.model.ids import EvidenceRevision, PrincipalId
from privity.model.principals import (
    Actor,
    ActorKind,
    Assurance,
    Membership,
    PrincipalActor,
    SenderStrength,
    UnattributedActor,
    VerifiedPrincipal,
)
from privity.model.reasons import Reason
from privity.model.subjects import (
    AutonomousSubject,
    SessionSubject,
    UserSubject,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """The people of one operation, as they are now. `binding` is what ties the actor to a sender.

    `objection` is why the host lets this party do nothing at all.
    """

    actor: Actor
    verified_principals: tuple[VerifiedPrincipal, ...]
    mentioned_ids: tuple[PrincipalId, ...]
    memberships: tuple[Membership, ...]
    binding: BindingRecord | None
    objection: Reason | None


class Parties:
    """Looks people up again for each operation."""

    def __init__(self, identities: IdentityStore, resolver: Resolver, rosters: Rosters) -> None:
        self._identities = identities
        self._resolver = resolver
        self._rosters = rosters

    def of_event(self, admission: Admission) -> Party:
        """Return the party of an operation that a verified event caused."""
        resolution = self._resolver.resolve(admission.sender)
        mentioned = self.mentioned(admission)
        if isinstance(resolution, Resolved):
            return self.of_person(resolution, mentioned)
        return self.of_nobody(admission, resolution.absence, mentioned)

    def of_nobody(self, admission: Admission, absence: Absence, mentioned: tuple[PrincipalId, ...]) -> Party:
        """Return the party of an event whose sender is nobody whom the host knows."""
        reference = admission.sender.transport_ref
        return Party(
            actor=UnattributedActor(transport_audit_ref=reference, evidence_revision=EvidenceRevision(reference)),
            verified_principals=(),
            mentioned_ids=mentioned,
            memberships=(),
            binding=None,
            objection=self.withheld(admission, absence),
        )

    def withheld(self, admission: Admission, absence: Absence) -> Reason | None:
        """Return why somebody who was known may not look on in a conversation as a stranger may.

        To lose what one was known by must never give what was taken away before.
        """
        heads = self._resolver.heads(admission.sender.sender_key)
        if admission.conversation_id is None or not heads:
            return None
        if absence is not Absence.TOO_WEAK:
            return Reason.IDENTITY_REVOKED
        belongs = any(
            membership.group_id == admission.conversation_id
            for head in heads
            for membership in self._rosters.live(head)
        )
        return None if belongs else Reason.MEMBERSHIP_STALE

    def of_person(self, resolution: Resolved, mentioned: tuple[PrincipalId, ...]) -> Party:
        """Return the party of a resolved sender."""
        principal = VerifiedPrincipal(
            principal_id=resolution.head.principal.principal_id,
            merged_ids=resolution.head.merged_ids,
            assurance=resolution.binding.assurance,
            strength=resolution.strength,
            evidence_revision=resolution.binding.evidence_revision,
            expires_at=None,
        )
        return Party(
            actor=actor_of(principal, ActorKind.HUMAN),
            verified_principals=(principal,),
            mentioned_ids=mentioned,
            memberships=self._rosters.live(resolution.head),
            binding=resolution.binding,
            objection=None,
        )

    def of_principal(self, head: Head, kind: ActorKind) -> Party:
        """Return the party of a principal that the host itself authenticated."""
        principal = VerifiedPrincipal(
            principal_id=head.principal.principal_id,
            merged_ids=head.merged_ids,
            assurance=Assurance.GATEWAY_PROFILE if kind is ActorKind.HUMAN else Assurance.SERVICE,
            strength=SenderStrength.VERIFIED,
            evidence_revision=self.profile_evidence(head.principal.principal_id),
            expires_at=None,
        )
        return Party(
            actor=actor_of(principal, kind),
            verified_principals=(principal,),
            mentioned_ids=(),
            memberships=self._rosters.live(head),
            binding=None,
            objection=None,
        )

    def profile_evidence(self, principal_id: PrincipalId) -> EvidenceRevision:
        """Return the evidence revision of a principal that needs no transport: it is the host's own."""
        return EvidenceRevision(principal_id)

    def mentioned(self, admission: Admission) -> tuple[PrincipalId, ...]:
        """Return the known people whom an event mentions, each once, in its order."""
        found = (self._resolver.find(key) for key in admission.mention_keys)
        heads = (one.head.principal.principal_id for one in found if isinstance(one, Resolved))
        return tuple(dict.fromkeys(heads))

    def revoked(self, party: Party, subject: SessionSubject) -> frozenset[PrincipalId]:
        """Return those principals of an operation that are nobody any more."""
        named = {principal.principal_id for principal in party.verified_principals}
        gone = {principal_id for principal_id in named | subject_ids(subject) if self.is_gone(principal_id)}
        if party.binding is not None and not self.still_binds(party.binding):
            gone |= named
        return frozenset(gone)

    def is_gone(self, principal_id: PrincipalId) -> bool:
        """The principal, or its merge head, is revoked or never was."""
        head = self._identities.find_head(principal_id)
        return head is None or head.principal.state is not PrincipalState.LIVE

    def still_binds(self, binding: BindingRecord) -> bool:
        """The sender of `binding` still resolves through it."""
        resolution = self._resolver.find(binding.sender_key)
        return isinstance(resolution, Resolved) and resolution.binding == binding


def actor_of(principal: VerifiedPrincipal, kind: ActorKind) -> PrincipalActor:
    """Return a verified principal as the actor."""
    return PrincipalActor(
        actor_kind=kind,
        principal_id=principal.principal_id,
        assurance=principal.assurance,
        strength=principal.strength,
        evidence_revision=principal.evidence_revision,
        expires_at=principal.expires_at,
    )


def subject_ids(subject: SessionSubject) -> set[PrincipalId]:
    """Return the principal whose view a session has, unless it is a conversation or nobody."""
    return {subject.principal_id} if isinstance(subject, UserSubject | AutonomousSubject) else set()
