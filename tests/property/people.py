"""Bending who is there: principals, members, and where the output goes."""

from dataclasses import replace
from datetime import datetime

from privity.model.audiences import Audience
from privity.model.ids import PrincipalId
from privity.model.principals import Membership, VerifiedPrincipal
from tests.policy.samples import ALICE, member, verified
from tests.policy.world import World, with_context
from tests.property.bend import with_delivery


def with_members(here: World, *members: Membership) -> World:
    """Return the world with these memberships and no others."""
    return with_context(here, verified_memberships=members)


def joined(here: World, principal_id: PrincipalId, group_id: str) -> World:
    """Return the world with one membership more."""
    return with_members(here, *here.context.verified_memberships, member(principal_id, group_id))


def seen(here: World, at: datetime) -> World:
    """Return the world with every membership observed at another time."""
    return with_members(here, *(replace(m, observed_at=at) for m in here.context.verified_memberships))


def lasting(here: World, until: datetime) -> World:
    """Return the world with every membership ending at another time."""
    return with_members(here, *(replace(m, expires_at=until) for m in here.context.verified_memberships))


def left(here: World, index: int) -> World:
    """Return the world with one membership less."""
    rest = (m for n, m in enumerate(here.context.verified_memberships) if n != index)
    return with_members(here, *rest)


def with_people(here: World, *people: VerifiedPrincipal) -> World:
    """Return the world with these verified principals and no others."""
    return with_context(here, verified_principals=people)


def outdated(here: World, until: datetime | None) -> World:
    """Return the world in which the evidence for the first verified principal ends at another time."""
    first, *rest = here.context.verified_principals or (verified(ALICE),)
    return with_people(here, replace(first, expires_at=until), *rest)


def sent_to(here: World, *outputs: Audience) -> World:
    """Return the world whose output goes to these audiences."""
    return with_delivery(here, audiences=outputs)


def also_sent_to(here: World, output: Audience) -> World:
    """Return the world with one output audience more."""
    return sent_to(here, *here.context.delivery.audiences, output)
