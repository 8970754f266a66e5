"""Policy sets: the policies a text is bound by, captured, united and looked up again."""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Final

from privity.model.audiences import NOBODY, Audience, AudienceBound
from privity.model.canonical import fingerprint
from privity.model.ids import PolicyId, PolicySetId
from privity.model.policies import Policy, PolicySet, PolicyState, Requirement
from privity.policy.algebra import Evidence, bound_covers, bound_of, canonical_bound, covers, meet

SET_ID_LENGTH: Final = 32


def placement_set(policy: Policy) -> PolicySet:
    """Return the set of a text placed under `policy` alone, captured as the policy is now."""
    captured = Requirement(
        policy_id=policy.policy_id,
        expected_revision=policy.policy_revision,
        expected_epoch=policy.revocation_epoch,
    )
    return make_set((captured,), bound_of(policy.audience))


def ephemeral_set(audiences: Iterable[Audience]) -> PolicySet:
    """Return the set of a text placed nowhere durable; no audiences leave nobody."""
    bounds = [bound_of(audience) for audience in audiences]
    return make_set((), reduce(meet, bounds) if bounds else NOBODY)


def unite(left: PolicySet, right: PolicySet) -> PolicySet:
    """Return the set of a text that depends on both.

    Of a policy captured twice the older capture stays: the policy has moved on since, so it denies.
    """
    oldest: dict[PolicyId, Requirement] = {}
    for requirement in sorted((*left.requirements, *right.requirements), key=age):
        oldest.setdefault(requirement.policy_id, requirement)
    return make_set(tuple(oldest.values()), meet(left.bound, right.bound))


def age(requirement: Requirement) -> tuple[str, int, int]:
    """Order requirements by policy, oldest capture first."""
    return (requirement.policy_id, requirement.expected_revision, requirement.expected_epoch)


def canonical_set(policy_set: PolicySet, evidence: Evidence) -> PolicySet:
    """Return the set with every person under their merge head.

    Sets of one person under two ids unite to nobody unless both went through here first.
    """
    return make_set(policy_set.requirements, canonical_bound(policy_set.bound, evidence))


def make_set(requirements: tuple[Requirement, ...], bound: AudienceBound) -> PolicySet:
    """Name a set by its content, so that equal sets are one set on every machine."""
    ordered = tuple(sorted(requirements, key=age))
    name = fingerprint((ordered, bound))[:SET_ID_LENGTH]
    return PolicySet(policy_set_id=PolicySetId(f"pst_{name}"), requirements=ordered, bound=bound)


def live_requirement(requirement: Requirement, policies: Mapping[PolicyId, Policy]) -> bool:
    """The policy is there, active, and exactly as it was captured."""
    policy = policies.get(requirement.policy_id)
    return (
        policy is not None
        and policy.policy_id == requirement.policy_id
        and policy.state is PolicyState.ACTIVE
        and policy.policy_revision == requirement.expected_revision
        and policy.revocation_epoch == requirement.expected_epoch
    )


def set_covers(
    policy_set: PolicySet,
    output: Audience,
    policies: Mapping[PolicyId, Policy],
    evidence: Evidence,
) -> bool:
    """A text bound by the set may go to `output` now."""
    return bound_covers(policy_set.bound, output, evidence) and all(
        live_requirement(requirement, policies) and covers(policies[requirement.policy_id].audience, output, evidence)
        for requirement in policy_set.requirements
    )
