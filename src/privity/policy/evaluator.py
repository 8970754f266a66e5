"""The evaluator: the seed's eleven steps in order, as data. Silence is denial."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from privity.model.decisions import Allow, Decision, Deny, Outcome, TraceEntry
from privity.model.reasons import Reason
from privity.policy import context_checks as context
from privity.policy import policy_checks as policy
from privity.policy import resource_checks as resource
from privity.policy.case import Case, case_of
from privity.policy.facts import Facts

Check = tuple[int, Reason, Callable[[Case], bool]]

CHECKS: Final[tuple[Check, ...]] = (
    (1, Reason.BACKEND_NONCONFORMING, context.words_are_known),
    (1, Reason.INVALID_CONTEXT, context.context_is_genuine),
    (1, Reason.INVALID_CONTEXT, context.context_is_in_time),
    (1, Reason.INVALID_CONTEXT, context.merges_are_coherent),
    (1, Reason.SESSION_REBOUND, context.session_is_current),
    (1, Reason.DELIVERY_REBOUND, context.delivery_is_current),
    (1, Reason.IDENTITY_REVOKED, context.host_facts_are_current),
    (1, Reason.IDENTITY_REVOKED, context.identities_are_current),
    (1, Reason.DEFAULT_DENY, context.delegation_permits),
    (2, Reason.INVALID_CONTEXT, context.plan_is_bound),
    (2, Reason.DELIVERY_REBOUND, context.plan_delivers_there),
    (2, Reason.PLAN_EXPIRED, context.plan_is_current),
    (3, Reason.IDENTITY_REVOKED, resource.identity_withholds_nothing),
    (3, Reason.MEMBERSHIP_STALE, resource.membership_withholds_nothing),
    (3, Reason.OUTSIDE_VIEW, resource.nothing_withholds),
    (4, Reason.OUTSIDE_VIEW, resource.store_is_mounted),
    (4, Reason.OUTSIDE_VIEW, resource.store_is_inside),
    (4, Reason.OUTSIDE_VIEW, resource.revision_is_inside),
    (4, Reason.OUTSIDE_VIEW, resource.somebody_is_known),
    (5, Reason.REVISION_STALE, resource.revision_is_readable),
    (6, Reason.DEFAULT_DENY, resource.session_is_visible),
    (6, Reason.DEFAULT_DENY, resource.mutation_is_permitted),
    (6, Reason.DEFAULT_DENY, resource.card_is_its_owners),
    (7, Reason.BACKEND_NONCONFORMING, policy.rules_are_understood),
    (7, Reason.EXPLICIT_DENY, policy.nothing_denies),
    (8, Reason.DEFAULT_DENY, policy.everything_is_granted),
    (9, Reason.AUDIENCE_WIDENED, policy.audiences_are_covered),
    (10, Reason.LINEAGE_DENY, policy.lineage_is_intact),
    (10, Reason.LINEAGE_DENY, policy.requirements_are_live),
    (10, Reason.BACKEND_NONCONFORMING, policy.inherited_rules_are_understood),
    (10, Reason.LINEAGE_DENY, policy.inherited_rules_deny_nothing),
    (10, Reason.LINEAGE_DENY, policy.derivation_has_an_audience),
)
"""Source: seed, "Evaluation order". Step 11 is the trace, which every decision carries."""

BROKEN_FACTS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What facts of a wrong shape raise when they are looked at: what is not understood denies.

These are named, and not all exceptions, because an interrupt or exhausted memory is no fact
about the case, and a failing assertion or name is a fault of ours that must be seen.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """A check made ready: its denials are built once, trace included."""

    holds: Callable[[Case], bool]
    denial: Deny
    breakdown: Deny


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Checks made ready, with what is said where all of them hold or the facts make no case."""

    rungs: tuple[Rung, ...]
    allowance: Allow
    unreadable: Deny


def decide(facts: Facts) -> Decision:
    """Say whether `facts` permit the operation. It cannot raise, whatever the facts are."""
    return climb(LADDER, facts)


def climb(ladder: Ladder, facts: Facts) -> Decision:
    """Return the denial of the first check that does not hold, or the allowance."""
    try:
        case = case_of(facts)
        return find_denial(ladder.rungs, case) or justified(ladder.allowance, case)
    except BROKEN_FACTS:
        return ladder.unreadable


def find_denial(rungs: tuple[Rung, ...], case: Case) -> Deny | None:
    """Return the denial of the first check that does not hold, if there is one."""
    for rung in rungs:
        try:
            if not rung.holds(case):
                return explained(rung.denial, case)
        except BROKEN_FACTS:
            return rung.breakdown
    return None


def explained(denial: Deny, case: Case) -> Deny:
    """Name the rules that deny, where rules do."""
    if denial.reason is not Reason.EXPLICIT_DENY:
        return denial
    return replace(denial, determining_rules=policy.denying_rules(case))


def justified(allowance: Allow, case: Case) -> Allow:
    """Name the rules that were needed, where placement alone did not do."""
    rules = policy.allowing_rules(case)
    return replace(allowance, determining_rules=rules) if rules else allowance


def ladder_of(checks: tuple[Check, ...]) -> Ladder:
    """Make checks ready."""
    return Ladder(
        rungs=tuple(rung_of(checks, index) for index in range(len(checks))),
        allowance=Allow(determining_rules=(), trace=passed(checks)),
        unreadable=Deny(
            reason=Reason.BACKEND_NONCONFORMING,
            step=1,
            determining_rules=(),
            trace=(TraceEntry(step=1, check=case_of.__name__, outcome=Outcome.FAILED),),
        ),
    )


def rung_of(checks: tuple[Check, ...], index: int) -> Rung:
    """Make one check ready, with the trace that leads to it."""
    step, reason, holds = checks[index]
    failed = TraceEntry(step=step, check=holds.__name__, outcome=Outcome.FAILED)
    denial = Deny(reason=reason, step=step, determining_rules=(), trace=(*passed(checks[:index]), failed))
    breakdown = replace(denial, reason=Reason.BACKEND_NONCONFORMING)
    return Rung(holds=holds, denial=denial, breakdown=breakdown)


def passed(checks: tuple[Check, ...]) -> tuple[TraceEntry, ...]:
    """Return the trace of checks that all hold."""
    return tuple(TraceEntry(step=step, check=holds.__name__, outcome=Outcome.PASSED) for step, _, holds in checks)


LADDER: Final = ladder_of(CHECKS)
