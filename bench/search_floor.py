"""The floor of one search in one store: the postings statements of the index, run bare.

The same statements over the same file with the same bindings; no ports, no locks, no handles
looked up, no values made of the rows.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import apsw

from privity.backends.sqlite import queries
from privity.backends.sqlite.database import Connection, Row


def bare_search(
    index: Path, terms: Sequence[str], classes: Iterable[str], at_micros: int
) -> Callable[[], list[list[Row]]]:
    """Return a function that runs the statements of a search for `terms` in `index` once.

    The connection is open and warm before the first call, as an index of the backend is.
    """
    connection = opened(index)
    permitted: dict[str, str | int] = {
        "classes": json.dumps(sorted(classes)),
        "skip": "[]",
        "at": at_micros,
    }

    def search() -> list[list[Row]]:
        run = connection.execute
        postings = [run(queries.MATCH_TERM, {**permitted, "term": term}).fetchall() for term in terms]
        return [*postings, run(queries.LIST_TOTALS).fetchall(), run(queries.LIST_EXPIRED, permitted).fetchall()]

    return search


def bare_state(index: Path, at_micros: int) -> Callable[[], list[list[Row]]]:
    """Return a function that reads the watermark and the totals of `index` once."""
    connection = opened(index)

    def state() -> list[list[Row]]:
        run = connection.execute
        return [
            run(queries.LOAD_WATERMARK).fetchall(),
            run(queries.LIST_TOTALS).fetchall(),
            run(queries.LIST_EXPIRED, {"at": at_micros}).fetchall(),
        ]

    return state


def opened(index: Path) -> Connection:
    """Return a connection that reads `index`."""
    return apsw.Connection(str(index), flags=apsw.SQLITE_OPEN_READONLY)
