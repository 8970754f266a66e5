"""Which outputs an audience reaches, as sets, and which audiences clash."""

from collections.abc import Iterable
from itertools import combinations, product

from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext
from privity.model.policies import Policy
from privity.policy.facts import Facts
from tests.policy.reference_people import all_ids, belongs, same


def all_reached(facts: Facts, audiences: Iterable[Audience]) -> bool:
    """Each of the audiences reaches each output."""
    outputs = facts.context.delivery.audiences
    return all(output in reach(facts, audience, outputs) for audience, output in product(audiences, outputs))


def reach(facts: Facts, audience: Audience, outputs: Iterable[Audience]) -> set[Audience]:
    """Return those of the outputs that an audience reaches."""
    context, kind = facts.context, audience.kind
    inside = {o for o in outputs if o == Audience(kind=AudienceKind.INTERNAL, id=context.agent_id)}
    cell = {o for o in outputs if o.kind not in (AudienceKind.AGENT_SHARED, AudienceKind.INTERNAL)}
    cell |= {o for o in outputs if o.id == context.agent_id} | inside
    itself = {o for o in outputs if o == audience}
    people = {o for o in outputs if o.kind == AudienceKind.USER and same(context, o.id, audience.id)}
    members = {
        o
        for o in outputs
        if o.kind in (AudienceKind.USER, AudienceKind.AGENT)
        and belongs(context, all_ids(context, o.id), audience.id, facts.now)
    }
    return {
        AudienceKind.USER: inside | people,
        AudienceKind.CONVERSATION: inside | itself,
        AudienceKind.AGENT: inside | itself,
        AudienceKind.ROLE: inside | itself | members,
        AudienceKind.AGENT_SHARED: cell if audience.id == context.agent_id else set[Audience](),
        AudienceKind.INTERNAL: inside & itself,
    }[kind]


def nowhere_to_put(facts: Facts, policies: Iterable[Policy]) -> bool:
    """Some two of the audiences have nothing in common that a text could be placed in."""
    audiences = {policy.audience for policy in policies}
    return not audiences or any(clash(facts.context, a, b) for a, b in combinations(audiences, 2))


def clash(context: AccessContext, one: Audience, other: Audience) -> bool:
    """Two audiences cannot both bind a text."""
    kinds = {one.kind, other.kind}
    if kinds <= {AudienceKind.AGENT_SHARED, AudienceKind.INTERNAL}:
        return one.id != other.id
    if kinds == {AudienceKind.USER}:
        return not same(context, one.id, other.id)
    places = {AudienceKind.USER, AudienceKind.CONVERSATION, AudienceKind.AGENT}
    return (kinds <= places and one != other) or kinds == {AudienceKind.CONVERSATION, AudienceKind.ROLE}
