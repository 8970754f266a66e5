"""Policies, their rules, and the policy sets that derived content inherits."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from privity.model.audiences import Audience, AudienceBound
from privity.model.ids import (
    PolicyId,
    PolicyRevision,
    PolicySetId,
    PrincipalId,
    RevocationEpoch,
    RuleId,
)
from privity.model.operations import Operation


class Effect(StrEnum):
    """What a matching rule does. Deny beats allow."""

    ALLOW = "allow"
    DENY = "deny"


class PolicyState(StrEnum):
    """Whether a policy still holds."""

    ACTIVE = "active"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One entry of a policy revision.

    It matches an operation when `capability` is among the required ones and the actor's
    principal is `grantee_id`; `None` matches every actor and is legal for denies only.
    """

    rule_id: RuleId
    effect: Effect
    capability: Operation
    grantee_id: PrincipalId | None
    grantor_id: PrincipalId
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A stable policy at its current revision; `audience` is who it lets content reach."""

    policy_id: PolicyId
    policy_revision: PolicyRevision
    revocation_epoch: RevocationEpoch
    state: PolicyState
    audience: Audience
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A policy that content depends on, with the revision and epoch it was captured under.

    The capture is an expectation, never an allowance: the policy is looked up again at
    every use and any difference denies until an authorized act captures it anew.
    """

    policy_id: PolicyId
    expected_revision: PolicyRevision
    expected_epoch: RevocationEpoch


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """The policies a text is bound by, and the audiences that leaves.

    `bound` alone carries a set without members: content placed nowhere durable, such as
    the events of an ambiguous session.
    """

    policy_set_id: PolicySetId
    requirements: tuple[Requirement, ...]
    bound: AudienceBound
