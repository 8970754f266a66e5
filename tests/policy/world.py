"""A whole small world around one decision, which tests bend one fact at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from privity.model.context import AccessContext
from privity.model.ids import AgentId, AuthorityRevision, Fingerprint, PolicyId
from privity.model.operations import Operation
from privity.model.policies import Policy, Requirement
from privity.model.resources import Section
from privity.model.standing import ContextStanding
from privity.model.stores import StoreFacts
from privity.policy.facts import Facts, PlanFacts, RevisionFacts
from privity.policy.view import mount

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
AN_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything a decision is made from, before the view is worked out."""

    now: datetime
    operation: Operation
    agent_id: AgentId
    context: AccessContext
    fingerprint: Fingerprint
    standing: ContextStanding
    authority_revision: AuthorityRevision
    plan: PlanFacts
    stores: tuple[StoreFacts, ...]
    store: StoreFacts
    revision: RevisionFacts | None
    section: Section
    own_policies: tuple[Policy, ...]
    requirements: tuple[Requirement, ...]
    policies: Mapping[PolicyId, Policy]

    @property
    def facts(self) -> Facts:
        """The facts of the decision, with the view that holds in this world."""
        return Facts(
            now=self.now,
            operation=self.operation,
            agent_id=self.agent_id,
            authority_revision=self.authority_revision,
            context=self.context,
            fingerprint=self.fingerprint,
            standing=self.standing,
            plan=self.plan,
            view=mount(self.context, self.stores, self.standing, self.now),
            store=self.store,
            revision=self.revision,
            section=self.section,
            own_policies=self.own_policies,
            requirements=self.requirements,
            policies=self.policies,
        )


def with_context(world: World, **changes: Any) -> World:  # noqa: ANN401 - `replace` says which field takes what
    """Return the world with some fields of its context changed."""
    return replace(world, context=replace(world.context, **changes))
