"""Bending one part of a world."""

from dataclasses import replace
from typing import Any

from privity.model.policies import Policy, Rule
from privity.model.principals import PrincipalActor
from tests.policy.samples import ALICE
from tests.policy.world import World, with_context
from tests.property.permitted import delegated

# `replace` says which field takes what: the changes are whatever fields the value has.


def with_standing(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world in which the host says something else."""
    return replace(here, standing=replace(here.standing, **changes))


def with_plan(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with another plan."""
    return replace(here, plan=replace(here.plan, **changes))


def with_delivery(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with another delivery; host and plan still speak of the old one."""
    return with_context(here, delivery=replace(here.context.delivery, **changes))


def with_delegation(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with something else handed on, by Alice if nobody else."""
    given = here.context.delegation or delegated(here, ALICE).context.delegation
    assert given is not None
    return with_context(here, delegation=replace(given, **changes))


def with_actor(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with another word about the actor, where there is one."""
    if not isinstance(here.context.actor, PrincipalActor):
        return here
    return with_context(here, actor=replace(here.context.actor, **changes))


def with_room(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with another word about the conversation, where there is one."""
    if here.context.conversation is None:
        return here
    return with_context(here, conversation=replace(here.context.conversation, **changes))


def with_revision(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with another revision, where there is one."""
    if here.revision is None:
        return here
    return replace(here, revision=replace(here.revision, **changes))


def with_policy(here: World, **changes: Any) -> World:  # noqa: ANN401
    """Return the world with another first policy, where there is one."""
    if not here.own_policies:
        return here
    return with_own(here, replace(here.own_policies[0], **changes), *here.own_policies[1:])


def with_own(here: World, *policies: Policy) -> World:
    """Return the world whose resource has these policies."""
    return replace(here, own_policies=policies)


def with_rule(here: World, rule: Rule) -> World:
    """Return the world whose first policy has one rule more."""
    if not here.own_policies:
        return here
    return with_policy(here, rules=(*here.own_policies[0].rules, rule))


def with_operation(here: World, operation: Any) -> World:  # noqa: ANN401
    """Return the world in which another operation is asked for, planned and decided."""
    asked = with_plan(with_context(here, operation=operation), operation=operation)
    return replace(asked, operation=operation)
