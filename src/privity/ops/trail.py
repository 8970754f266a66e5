"""The audit as an operator reads it: who did what, whether it was denied and why, and never any content."""

from collections import deque
from collections.abc import Mapping
from typing import Final

from privity.host.host import Host
from privity.host.records import AuditEntry, HostAuditRecord
from privity.model.audit import AuditRecord

PAGE: Final = 1_000


def latest(host: Host, limit: int) -> tuple[AuditEntry, ...]:
    """Return the last `limit` rows of the home's audit, newest first. Looking is recorded."""
    host.drain()
    kept: deque[AuditEntry] = deque(maxlen=limit)
    after = 0
    while page := host.audit(limit=PAGE, after=after):
        kept.extend(page)
        after = page[-1].sequence
        if len(page) < PAGE:
            break
    return tuple(reversed(kept))


def following(host: Host, after: int, limit: int) -> tuple[AuditEntry, ...]:
    """Return up to `limit` rows after one of them, oldest first. Looking is recorded."""
    host.drain()
    return host.audit(limit=limit, after=after)


def entry_fields(entry: AuditEntry) -> Mapping[str, object]:
    """Return one row for a program."""
    record = entry.record
    shared: dict[str, object] = {
        "sequence": entry.sequence,
        "at": record.at.isoformat(),
        "agent_id": record.agent_id,
        "target_ids": list(record.target_ids),
        "reason": record.reason,
    }
    if isinstance(record, HostAuditRecord):
        return {
            **shared,
            "act": record.act,
            "accessor_id": record.actor_id,
            "justification": record.justification,
        }
    return {**shared, **record_fields(record)}


def record_fields(record: AuditRecord) -> Mapping[str, object]:
    """Return what only an agent's own rows have."""
    return {
        "kind": record.kind,
        "decision_id": record.decision_id,
        "accessor_id": record.accessor_id,
        "operation": record.operation,
        "step": record.step,
        "store_kinds": list(record.store_kinds),
        "revision_ids": list(record.revision_ids),
        "query_digest": record.query_digest,
        "result_count": record.result_count,
        "search_tier": record.search_tier,
        "session_id": record.session_id,
        "run_id": record.run_id,
    }


def entry_line(entry: AuditEntry) -> str:
    """Return one row for a person."""
    record = entry.record
    when = f"{record.at:%Y-%m-%d %H:%M:%S}"
    if isinstance(record, HostAuditRecord):
        why = f"  {record.reason}" if record.reason else ""
        return f"{entry.sequence:>6}  {when}  {'host':<9}  {record.act}{why}"
    return f"{entry.sequence:>6}  {when}  {record.kind:<9}  {said(record)}  {record.decision_id}"


def said(record: AuditRecord) -> str:
    """Return what an agent's row says, in a few words."""
    where = ",".join(record.store_kinds) or "no store"
    outcome = f"{record.result_count} of {where}" if record.reason is None else f"denied: {record.reason}"
    return f"{record.operation} {outcome}"
