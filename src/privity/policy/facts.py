"""The frozen facts of one decision: everything the evaluator may look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from privity.model.context import AccessContext
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    DeliveryRevision,
    Fingerprint,
    PolicyId,
    StoreId,
)
from privity.model.operations import Operation
from privity.model.policies import Policy, Requirement
from privity.model.reasons import Reason
from privity.model.resources import Anonymity, Integrity, Lineage, RevisionState, Section
from privity.model.standing import ContextStanding
from privity.model.stores import StoreFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionFacts:
    """One revision as the catalog has it now."""

    agent_id: AgentId
    store_id: StoreId
    state: RevisionState
    integrity: Integrity
    lineage: Lineage
    anonymity: Anonymity
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFacts:
    """What the plan presented was bound to."""

    agent_id: AgentId
    context_fingerprint: Fingerprint
    operation: Operation
    authority_revision: AuthorityRevision
    delivery_revision: DeliveryRevision
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The stores a context mounts, with capabilities; and those withheld, with the reason.

    A store in neither mapping is outside the view.
    """

    mounts: Mapping[StoreId, frozenset[Operation]]
    withheld: Mapping[StoreId, Reason]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything one decision depends on. Time is a fact.

    `operation` is what is decided. It equals the context's and the plan's operation, with one
    exception: a mutation by a run that was shown memory is decided twice, as itself and as
    `derive`, so `derive` may stand where the context says append, replace or publish.
    `fingerprint` is that of `context`. `agent_id` and `authority_revision` are the cell's
    current ones. `revision` is `None` when the operation adds something new to `store`.
    `section` is the layer read from or written to. `own_policies` are the live policies of
    the resource itself, its store's placement policy among them; `requirements` are the
    inherited ones, looked up in `policies`, where an absent policy is a missing one.
    """

    now: datetime
    operation: Operation
    agent_id: AgentId
    authority_revision: AuthorityRevision
    context: AccessContext
    fingerprint: Fingerprint
    standing: ContextStanding
    plan: PlanFacts
    view: View
    store: StoreFacts
    revision: RevisionFacts | None
    section: Section
    own_policies: tuple[Policy, ...]
    requirements: tuple[Requirement, ...]
    policies: Mapping[PolicyId, Policy]
