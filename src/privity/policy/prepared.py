"""Many decisions that differ in their row only: what they share is decided once.

A search asks about hundreds of rows under one context, plan, view, store and policies. Which
check denies first is the same as if each row were decided by itself: the shared checks say how
far a row could get, and the row's own checks are asked in between, in their order.
"""

from typing import Final, NamedTuple

from privity.model.decisions import Decision, Deny
from privity.policy import policy_checks as policy
from privity.policy import resource_checks as resource
from privity.policy.case import Case, case_of
from privity.policy.evaluator import BROKEN_FACTS, LADDER, Rung, decide, find_denial, justified
from privity.policy.facts import Facts

ROW_CHECKS: Final = frozenset(
    {
        resource.revision_is_inside,
        resource.somebody_is_known,
        resource.revision_is_readable,
        policy.lineage_is_intact,
        policy.requirements_are_live,
        policy.inherited_rules_are_understood,
        policy.inherited_rules_deny_nothing,
        policy.derivation_has_an_audience,
    }
)
"""The checks that look at the revision, at what it inherits, or at inherited policies."""


class Prepared(NamedTuple):
    """What is decided for every row that shares all other facts with `case`.

    `rungs` are the row's own checks, up to the shared one that denies. `outcome` is what
    comes of a row for which all of them hold.
    """

    case: Case
    rungs: tuple[Rung, ...]
    outcome: Decision


def prepare(facts: Facts) -> Prepared | None:
    """Decide what every row of these facts shares; `None` where the facts make no case at all."""
    try:
        case = case_of(facts)
        reached, denial = first_shared_denial(case)
        outcome = denial or justified(LADDER.allowance, case)
    except BROKEN_FACTS:
        return None
    rungs = tuple(rung for rung in LADDER.rungs[:reached] if rung.holds in ROW_CHECKS)
    return Prepared(case=case, rungs=rungs, outcome=outcome)


def first_shared_denial(case: Case) -> tuple[int, Deny | None]:
    """Return how far a row can get, and what denies it there."""
    for index, rung in enumerate(LADDER.rungs):
        denial = None if rung.holds in ROW_CHECKS else find_denial((rung,), case)
        if denial is not None:
            return index, denial
    return len(LADDER.rungs), None


def decide_row(prepared: Prepared | None, facts: Facts) -> Decision:
    """Say whether `facts` permit the operation: exactly what `decide` says, whatever was prepared."""
    if prepared is None or not differ_in_row_only(prepared.case.facts, facts):
        return decide(facts)
    shared = prepared.case
    case = Case(facts=facts, context=shared.context, evidence=shared.evidence, question=shared.question)
    return find_denial(prepared.rungs, case) or prepared.outcome


def differ_in_row_only(one: Facts, other: Facts) -> bool:
    """Everything but the revision, its requirements and the policies looked up for it is the very same."""
    try:
        return (
            one.context is other.context
            and one.standing is other.standing
            and one.plan is other.plan
            and one.view is other.view
            and one.store is other.store
            and one.now is other.now
            and one.operation is other.operation
            and one.section is other.section
            and one.agent_id is other.agent_id
            and one.fingerprint is other.fingerprint
            and one.authority_revision == other.authority_revision
            and one.own_policies == other.own_policies
        )
    except BROKEN_FACTS:
        return False
