"""Placement: the store at an address, its placement policy, and who may publish into it.

Content is bound by its store's placement policy alone. Who may publish is a policy of its
own beside it, so that granting someone leave to publish does not unsettle what was already
shown under the placement.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from privity.engine.parts import Parts
from privity.engine.records import StoreRecord
from privity.engine.snapshot import Snapshot
from privity.model.audiences import Audience
from privity.model.context import AccessContext
from privity.model.ids import PolicyId, PolicyRevision, PrincipalId, RevocationEpoch, RuleId, StoreId
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, PolicyState, Rule
from privity.model.principals import ActorKind, PrincipalActor
from privity.model.stores import StoreFacts, StoreKind, StoreState
from privity.model.subjects import AutonomousKind, AutonomousSubject

PUBLISHING: Final = frozenset({Operation.PUBLISH, Operation.DELETE, Operation.POLICY_ADMIN})
"""The capabilities over the agent-shared store that can be granted to a named principal."""

UNPLACED: Final = PolicyId("unplaced")
"""Stands for the placement policy of a store that has not been made yet."""


def audience_policy(
    snapshot: Snapshot, store: StoreRecord | None, address: tuple[StoreKind, Audience]
) -> Policy | None:
    """Return the placement policy of a store; for one yet to be made, the one it will get."""
    if store is not None:
        return snapshot.policies.get(store.policy_id)
    return first_policy(UNPLACED, address[1])


def first_policy(policy_id: PolicyId, audience: Audience) -> Policy:
    """Return a placement policy at its first revision."""
    return Policy(
        policy_id=policy_id,
        policy_revision=PolicyRevision(1),
        revocation_epoch=RevocationEpoch(0),
        state=PolicyState.ACTIVE,
        audience=audience,
        rules=(),
    )


def publishing_id(placement: PolicyId) -> PolicyId:
    """Return the id of the policy that says who may publish beside a placement policy."""
    return PolicyId(f"{placement}.publishing")


def publishing_policy(context: AccessContext, placement: Policy, policies: Mapping[PolicyId, Policy]) -> Policy:
    """Return who may publish beside `placement`; before anybody was granted it, the operator alone.

    The operator of the deployment, whom the host states as a system principal acting for
    the system, is the administrative owner of the agent. Nobody else is anything yet.
    """
    policy_id = publishing_id(placement.policy_id)
    if policy_id in policies:
        return policies[policy_id]
    owner = administrative_owner(context)
    rules = () if owner is None else tuple(owned(owner, capability) for capability in sorted(PUBLISHING))
    first = first_policy(policy_id, placement.audience)
    return replace(first, policy_revision=PolicyRevision(0), rules=rules)


def administrative_owner(context: AccessContext) -> PrincipalId | None:
    """Return the operator, if it is the operator who acts, and for the system."""
    match context.actor, context.session_subject:
        case (
            PrincipalActor(actor_kind=ActorKind.SYSTEM, principal_id=owner),
            AutonomousSubject(kind=AutonomousKind.SYSTEM, principal_id=subject),
        ) if owner == subject:
            return owner
        case _:
            return None


def owned(owner: PrincipalId, capability: Operation) -> Rule:
    """Return the rule that gives the administrative owner one capability."""
    return Rule(
        rule_id=RuleId(f"rul_owner.{capability}"),
        effect=Effect.ALLOW,
        capability=capability,
        grantee_id=owner,
        grantor_id=owner,
        expires_at=None,
    )


def open_store(parts: Parts, snapshot: Snapshot, address: tuple[StoreKind, Audience]) -> StoreRecord:
    """Make the store at `address`, directory first; the one that was there first wins.

    The losing directory stays empty and unreferenced.
    """
    kind, audience = address
    agent_id = snapshot.context.agent_id
    policy = first_policy(PolicyId(parts.entropy.token("pol")), audience)
    record = StoreRecord(
        facts=StoreFacts(
            agent_id=agent_id,
            store_id=StoreId(parts.entropy.token("sto")),
            kind=kind,
            audience=audience,
            state=StoreState.ACTIVE,
        ),
        policy_id=policy.policy_id,
        path_key=parts.backend.artifacts.make_root(agent_id),
        created_at=snapshot.now,
    )
    return parts.backend.stores.add_store(record, policy)
