"""Which audience covers which output, and what is left where several audiences bind at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from privity.model.audiences import NOBODY, Audience, AudienceBound, AudienceKind
from privity.model.context import AccessContext
from privity.model.ids import AgentId, PrincipalId
from privity.model.principals import Membership


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known at `now` about who is the same person and who belongs to which group.

    `heads` leads from a merged principal to its merge head; a principal in no merge is absent.
    """

    heads: Mapping[str, PrincipalId]
    memberships: tuple[Membership, ...]
    agent_id: AgentId
    now: datetime

    def head_of(self, principal_id: str) -> str:
        """Return the merge head of `principal_id`, itself where it is in no merge."""
        return self.heads.get(principal_id, principal_id)

    def merge_class(self, principal_id: str) -> frozenset[str]:
        """Return every id of the person or service behind `principal_id`."""
        head = self.head_of(principal_id)
        merged = (old for old, new in self.heads.items() if new == head)
        return frozenset({principal_id, head, *merged})

    def is_member(self, principal_id: str, group_id: str) -> bool:
        """The principal has a membership in the group that holds now."""
        head = self.head_of(principal_id)
        return any(
            m.group_id == group_id and self.head_of(m.principal_id) == head and is_live(m, self.now)
            for m in self.memberships
        )


def is_live(membership: Membership, now: datetime) -> bool:
    """The membership was observed and has not run out; at its very end it has."""
    return membership.observed_at <= now < membership.expires_at


def evidence_of(context: AccessContext, now: datetime) -> Evidence:
    """Return what `context` shows at `now`."""
    return Evidence(
        heads={
            merged: verified.principal_id for verified in context.verified_principals for merged in verified.merged_ids
        },
        memberships=context.verified_memberships,
        agent_id=context.agent_id,
        now=now,
    )


def canonical(audience: Audience, evidence: Evidence) -> Audience:
    """Return `audience` under its merge head, so that one person is one audience."""
    if audience.kind is not AudienceKind.USER or audience.id not in evidence.heads:
        return audience
    return Audience(kind=AudienceKind.USER, id=evidence.head_of(audience.id))


def covers(audience: Audience, output: Audience, evidence: Evidence) -> bool:
    """Whatever may reach `audience` may go to `output`."""
    return COVERS[audience.kind](audience, output, evidence)


def shared_covers(audience: Audience, output: Audience, evidence: Evidence) -> bool:
    """The agent cell covers every output of its own, and nothing of another cell."""
    return audience.id == evidence.agent_id and (
        output.kind in SCOPED_KINDS or (output.kind in CELL_KINDS and output.id == evidence.agent_id)
    )


def user_covers(audience: Audience, output: Audience, evidence: Evidence) -> bool:
    """The output is the same person, under whichever of their ids."""
    if output.kind is AudienceKind.USER:
        return evidence.head_of(audience.id) == evidence.head_of(output.id)
    return is_internal(output, evidence)


def role_covers(audience: Audience, output: Audience, evidence: Evidence) -> bool:
    """The output is the same role, or a person or agent who belongs to it now; never a conversation."""
    if output.kind in PRINCIPAL_KINDS:
        return evidence.is_member(output.id, audience.id)
    return output == audience or is_internal(output, evidence)


def only_itself_covers(audience: Audience, output: Audience, evidence: Evidence) -> bool:
    """The output is the audience itself."""
    return output == audience or is_internal(output, evidence)


def internal_covers(audience: Audience, output: Audience, evidence: Evidence) -> bool:
    """The output stays inside the same cell."""
    return output == audience and is_internal(output, evidence)


def is_internal(output: Audience, evidence: Evidence) -> bool:
    """The output stays inside this cell, where every audience of the cell may see it."""
    return output.kind is AudienceKind.INTERNAL and output.id == evidence.agent_id


CELL_KINDS: Final = frozenset({AudienceKind.AGENT_SHARED, AudienceKind.INTERNAL})
SCOPED_KINDS: Final = frozenset({AudienceKind.USER, AudienceKind.CONVERSATION, AudienceKind.ROLE, AudienceKind.AGENT})
PRINCIPAL_KINDS: Final = frozenset({AudienceKind.USER, AudienceKind.AGENT})
PLACE_KINDS: Final = frozenset({AudienceKind.USER, AudienceKind.CONVERSATION, AudienceKind.AGENT})
CONVERSATION_AND_ROLE: Final = frozenset({AudienceKind.CONVERSATION, AudienceKind.ROLE})

COVERS: Final[Mapping[AudienceKind, Callable[[Audience, Audience, Evidence], bool]]] = MappingProxyType(
    {
        AudienceKind.AGENT_SHARED: shared_covers,
        AudienceKind.USER: user_covers,
        AudienceKind.ROLE: role_covers,
        AudienceKind.CONVERSATION: only_itself_covers,
        AudienceKind.AGENT: only_itself_covers,
        AudienceKind.INTERNAL: internal_covers,
    }
)


def bound_of(audience: Audience) -> AudienceBound:
    """Return the bound that one audience sets."""
    return AudienceBound(members=frozenset({audience}))


def meet(left: AudienceBound, right: AudienceBound) -> AudienceBound:
    """Return what both bounds leave: whatever it covers, each of them covers.

    Members that a narrower one makes idle stay in the conjunction. Dropping them would forget
    a cell or a place that a later `meet` must still contradict, and the order would matter.
    """
    members = left.members | right.members
    if left.is_nobody or right.is_nobody or not stand_together(members):
        return NOBODY
    return AudienceBound(members=members)


def stand_together(members: frozenset[Audience]) -> bool:
    """Content so bound can be placed: in one cell, in one place, and in no conversation with a role."""
    cells = {member.id for member in members if member.kind in CELL_KINDS}
    places = {member for member in members if member.kind in PLACE_KINDS}
    kinds = {member.kind for member in members}
    return len(cells) <= 1 and len(places) <= 1 and not kinds >= CONVERSATION_AND_ROLE


def bound_covers(bound: AudienceBound, output: Audience, evidence: Evidence) -> bool:
    """Every member of the bound covers the output, and there is one."""
    return not bound.is_nobody and all(covers(m, output, evidence) for m in bound.members)


def canonical_bound(bound: AudienceBound, evidence: Evidence) -> AudienceBound:
    """Return `bound` with every person under their merge head."""
    return AudienceBound(members=frozenset(canonical(m, evidence) for m in bound.members))
