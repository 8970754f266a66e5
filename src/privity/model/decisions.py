"""Decisions as values: allowed with the rules that decided, or denied with a reason."""

from dataclasses import dataclass
from enum import StrEnum

from privity.model.ids import DecisionId, RuleId
from privity.model.reasons import Reason


class Outcome(StrEnum):
    """What one check said."""

    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceEntry:
    """One check of a decision: the seed's step, the predicate's name, and what it said."""

    step: int
    check: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """Everything was granted; `determining_rules` are the rules that granted it, if not placement."""

    determining_rules: tuple[RuleId, ...]
    trace: tuple[TraceEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """The first check that failed, by reason and step."""

    reason: Reason
    step: int
    determining_rules: tuple[RuleId, ...]
    trace: tuple[TraceEntry, ...]


Decision = Allow | Deny


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """What seam A answers instead of a result: the reason, and the decision the audit holds."""

    reason: Reason
    step: int
    decision_id: DecisionId | None
