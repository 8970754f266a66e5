"""Decisions about many rows of one read: what they share is decided once."""

from privity.model.decisions import Decision
from privity.model.ids import PolicyId, StoreId
from privity.model.resources import Section
from privity.policy.facts import Facts
from privity.policy.prepared import Prepared, decide_row, prepare

Kind = tuple[StoreId, Section, tuple[PolicyId, ...]]


class RowDecisions:
    """What was prepared for the rows of one read, by store, section and policies.

    It is only ever a short cut: facts that share less than they seem to are decided whole.
    """

    def __init__(self) -> None:
        self._prepared: dict[Kind, Prepared | None] = {}

    def decide(self, facts: Facts) -> Decision:
        """Say whether `facts` permit the operation, as the evaluator does."""
        kind = (facts.store.store_id, facts.section, tuple(policy.policy_id for policy in facts.own_policies))
        if kind not in self._prepared:
            self._prepared[kind] = prepare(facts)
        return decide_row(self._prepared[kind], facts)
