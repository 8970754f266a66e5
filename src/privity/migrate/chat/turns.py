"""What every format asks of its turns: distinct ids, and times that are times."""

from collections.abc import Iterable
from datetime import UTC, datetime

from privity.migrate.conversation import Turn
from privity.migrate.records import Record, malformed


def distinct(turns: Iterable[tuple[Turn, Record]]) -> tuple[Turn, ...]:
    """Return the turns, each of which must have an id of its own."""
    seen: dict[str, Turn] = {}
    for turn, record in turns:
        if turn.turn_id in seen:
            malformed(f"a second turn has the id `{turn.turn_id}`", f"{record.place}, `{record.path.rstrip('.')}`")
        seen[turn.turn_id] = turn
    return tuple(seen.values())


def iso_time(stamp: str, where: str) -> datetime:
    """Return the time that `stamp` writes; without an offset it is taken as UTC."""
    try:
        at = datetime.fromisoformat(stamp)
    except ValueError:
        malformed(f"`{stamp}` is no time like `2026-03-03T08:00`", where)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
