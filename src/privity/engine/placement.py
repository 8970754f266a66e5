"""Placement: the store at an address, its placement policy, and who may publish into it.

Content is bound by its store's placement policy alone. Who may publish is a policy of its
own beside it, so that granting someone leave to publish does not unsettle what was already
shown under the placement.
"""

from collections.abc import Mapping
from typing import Final

from privity.engine.parts import Parts
from privity.engine.records import StoreRecord
from privity.engine.snapshot import Snapshot
from privity.model.audiences import Audience
from privity.model.ids import PolicyId, PolicyRevision, RevocationEpoch, StoreId
from privity.model.policies import Policy, PolicyState
from privity.model.stores import StoreKind, StoreState
from privity.policy.facts import StoreFacts

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


def own_policies(placement: Policy, policies: Mapping[PolicyId, Policy]) -> tuple[Policy, ...]:
    """Return the policies that decide a mutation in a store."""
    publishing = policies.get(publishing_id(placement.policy_id))
    return (placement,) if publishing is None else (placement, publishing)


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
