"""Why one decision came out as it did: steps, rules and revisions, silent on what it was about."""

from collections.abc import Mapping
from typing import Final

from privity.model.audit import AuditRecord
from privity.model.decisions import TraceEntry
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalKind

STEPS: Final[Mapping[int, str]] = {
    1: "context",
    2: "plan",
    3: "view",
    4: "boundary",
    5: "resource state",
    6: "collaboration",
    7: "explicit denies",
    8: "grants",
    9: "audiences",
    10: "lineage",
    11: "trace",
}
"""The evaluation order, by the names that the reference uses. Step 0 is an allowed decision's."""

ACTORS: Final[Mapping[str, str]] = {
    PrincipalKind.USER: "person",
    PrincipalKind.CONVERSATION: "conversation",
    PrincipalKind.SERVICE: "service",
    PrincipalKind.AGENT: "agent",
    PrincipalKind.SYSTEM: "system",
    PrincipalKind.ROLE: "role",
}
"""What kind of principal an id is of, in a word for people."""


def outcome(record: AuditRecord) -> str:
    """Return whether the decision allowed."""
    return "allowed" if record.reason is None else "denied"


def actor_kind(actor_id: PrincipalId | None) -> str:
    """Return what kind of principal acted, in a word; the id begins with its kind and says nothing more here."""
    return "unattributed" if actor_id is None else ACTORS.get(actor_id.partition("_")[0], "unknown")


def explanation_fields(record: AuditRecord) -> Mapping[str, object]:
    """Return an explanation for a program."""
    return {
        "decision_id": record.decision_id,
        "outcome": outcome(record),
        "operation": record.operation,
        "reason": record.reason,
        "step": record.step,
        "step_name": STEPS.get(record.step),
        "accessor_kind": actor_kind(record.accessor_id),
        "store_kinds": list(record.store_kinds),
        "determining_rules": list(record.determining_rules),
        "authority_revision": record.authority_revision,
        "run_exposure_revision": record.run_exposure_revision,
        "policy_set_id": record.policy_set_id,
        "result_count": record.result_count if record.reason is None else None,
        "trace": [trace_fields(entry) for entry in record.trace],
        "at": record.at.isoformat(),
    }


def trace_fields(entry: TraceEntry) -> Mapping[str, object]:
    """Return one check for a program."""
    return {
        "step": entry.step,
        "step_name": STEPS.get(entry.step),
        "check": entry.check,
        "outcome": entry.outcome,
    }


def explanation_lines(record: AuditRecord) -> tuple[str, ...]:
    """Return an explanation for a person."""
    rules = ", ".join(record.determining_rules)
    return (
        f"decision    {record.decision_id}",
        f"outcome     {outcome(record)}",
        *reason_lines(record),
        f"operation   {record.operation}",
        f"actor       {actor_kind(record.accessor_id)}",
        f"store       {', '.join(record.store_kinds) or 'none'}",
        f"rules       {rules or 'none: no rule was needed'}",
        f"revisions   authority {record.authority_revision}, exposure {record.run_exposure_revision}",
        f"at          {record.at:%Y-%m-%d %H:%M:%S} UTC",
        *(
            f"  {entry.step:>2} {STEPS.get(entry.step, ''):<16} {entry.outcome:<7} {entry.check}"
            for entry in record.trace
        ),
    )


def reason_lines(record: AuditRecord) -> tuple[str, ...]:
    """Return why a decision denied, and at which step."""
    if record.reason is None:
        return ()
    return (f"reason      {record.reason}", f"step        {record.step} ({STEPS.get(record.step, 'unknown')})")
