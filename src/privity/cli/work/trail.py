"""Commands that read the audit. Each look is itself recorded."""

from typing import Final

from privity.cli.output import Answer
from privity.cli.work.homes import Place, open_host
from privity.model.ids import DecisionId
from privity.ops.explain import explanation_fields, explanation_lines
from privity.ops.trail import entry_fields, entry_line, following, latest
from privity.sdk.errors import InputError

MOST: Final = 1_000


def audit(place: Place, limit: int, after: int | None) -> Answer:
    """Return audit rows: the latest, newest first, or those after one of them, oldest first."""
    if not 1 <= limit <= MOST:
        raise InputError(f"`{limit}` is out of range", where="--limit", remedy=f"use a whole number from 1 to {MOST}")
    with open_host(place) as host:
        entries = latest(host, limit) if after is None else following(host, after, limit)
    return Answer(
        fields={"entries": [entry_fields(entry) for entry in entries]},
        lines=tuple(entry_line(entry) for entry in entries),
    )


def explain(place: Place, decision: str) -> Answer:
    """Return why one decision came out as it did."""
    with open_host(place) as host:
        found = host.explain(DecisionId(decision))
    if found is None:
        raise InputError("is no decision of this home", where="decision", remedy="use an id of `privity audit`")
    return Answer(fields=explanation_fields(found.record), lines=explanation_lines(found.record))
