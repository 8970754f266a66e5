"""Every durable resource has one store, an audience, a revision, a trust of its origin and a state."""

from collections.abc import Callable
from pathlib import Path
from types import NoneType
from typing import Final, get_args, get_type_hints

import apsw
import pytest

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.database import Connection
from privity.conformance.storage_scene import open_scene
from privity.engine.records import RevisionRecord, StoreRecord
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy
from privity.model.resources import Origin, RevisionState, Section, TrustClass
from privity.model.stores import StoreFacts
from tests.engine.conftest import desk as desk  # noqa: PLC0414 - the fixture, by its own name
from tests.engine.desk import AGENT, Desk, autonomous, dm, room
from tests.isolation.homes import Amended, amend, operator

LABELLED: Final = (
    "agent_id", "store_id", "resource_id", "revision_id", "number", "state", "lineage", "class_id", "trust",
    "own_policy_ids", "change",
)  # fmt: skip
"""The columns without which a row would be nobody's, of no revision, of no trust or of no state."""
EVERY_ROW: Final = "SELECT * FROM revisions ORDER BY revision_id"


@pytest.mark.proves("store:resource:complete")
def test_what_a_resource_must_have_is_never_optional() -> None:
    """The records that cross into storage have no room for a resource without it, and no default for it."""
    needed: dict[Callable[..., object], tuple[str, ...]] = {
        RevisionRecord: (
            "agent_id",
            "store_id",
            "resource_id",
            "revision_id",
            "number",
            "state",
            "origin",
            "own_policy_ids",
        ),
        Origin: ("trust",),
        StoreRecord: ("facts", "policy_id"),
        StoreFacts: ("agent_id", "store_id", "kind", "audience", "state"),
        Policy: ("audience", "policy_revision", "state"),
    }
    for record, names in needed.items():
        hints = get_type_hints(record)

        assert [name for name in names if NoneType in get_args(hints[name])] == []
        with pytest.raises(TypeError) as refused:
            record()
        assert [name for name in names if f"'{name}'" not in str(refused.value)] == []


def catalog(path: Path) -> Connection:
    """Open the catalog of the one agent of a vault, past the code."""
    return apsw.Connection(str(next((path / "vault").rglob("agent.db"))))


@pytest.mark.proves("store:resource:complete")
@pytest.mark.parametrize("column", LABELLED)
def test_the_catalog_takes_no_row_that_lacks_one(home: SqliteBackend, tmp_path: Path, column: str) -> None:
    """Not even past the code: the database itself refuses it, whole."""
    scene = open_scene(home)
    scene.derive(scene.add_store("ada"), "1")
    home.close()
    connection = catalog(tmp_path)
    before = connection.execute(EVERY_ROW).fetchall()
    with pytest.raises(apsw.ConstraintError, match="NOT NULL"):
        connection.execute(f"UPDATE revisions SET {column} = NULL")  # noqa: S608 - a name of ours
    after = connection.execute(EVERY_ROW).fetchall()
    connection.close()

    assert after == before


@pytest.mark.proves("store:resource:complete")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE revisions SET store_id = 'sto_nowhere'",
        "UPDATE revisions SET resource_id = 'res_nowhere'",
        "UPDATE revisions SET class_id = 'cls_nowhere'",
        "UPDATE stores SET policy_id = 'pol_nowhere'",
        "UPDATE stores SET audience_id = NULL",
        "UPDATE policies SET audience_id = NULL",
    ],
)
def test_a_store_its_policy_and_its_audience_are_there(home: SqliteBackend, tmp_path: Path, statement: str) -> None:
    """A row of no store, of no resource, or of a store without a placement cannot be."""
    scene = open_scene(home)
    scene.derive(scene.add_store("ada"), "1")
    home.close()
    connection = catalog(tmp_path)
    connection.execute("PRAGMA foreign_keys = ON")
    with pytest.raises(apsw.ConstraintError):
        connection.execute(statement)
    connection.close()


def remembered(desk: Desk) -> None:
    """Keep a note in private."""
    desk.kept(desk.begin(dm("alice")), "x")


def carded(desk: Desk) -> None:
    """Keep a card entry in private."""
    desk.kept(desk.begin(dm("alice")), "x", section=Section.CARD)


def said_in_a_room(desk: Desk) -> None:
    """Keep a note in a room."""
    desk.kept(desk.begin(room("team", "alice")), "x")


def kept_by_a_service(desk: Desk) -> None:
    """Keep a note of a service."""
    desk.kept(desk.begin(autonomous("cron")), "x")


def published(desk: Desk) -> None:
    """Publish a note."""
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.PUBLISH))
    desk.publish(desk.begin(operator()), "x")


def derived(desk: Desk) -> None:
    """Keep what was derived from another note."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch.")
    desk.texts(alice, "launch")
    desk.kept(alice, "y")


@pytest.mark.proves("store:resource:complete")
@pytest.mark.parametrize(
    ("act", "trusts"),
    [
        (remembered, [TrustClass.OWNER]),
        (carded, [TrustClass.OWNER]),
        (said_in_a_room, [TrustClass.PARTICIPANT]),
        (kept_by_a_service, [TrustClass.AGENT]),
        (published, [TrustClass.SYSTEM]),
        (derived, [TrustClass.OWNER, TrustClass.OWNER]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_whatever_is_written_is_complete(desk: Desk, act: Callable[[Desk], None], trusts: list[TrustClass]) -> None:
    """One store whose placement has an audience, one active revision with its number, and the trust of whose words it holds."""
    act(desk)
    ids = [
        revision_id
        for record in desk.engine.pull_outbox(AGENT, 0, 1_000)
        if record.kind == "write"
        for revision_id in record.revision_ids
    ]
    rows = list(desk.backend.revisions.load_revisions(AGENT, ids).values())
    placements = desk.backend.stores.load_policies(AGENT, {one for row in rows for one in row.own_policy_ids})

    assert [row.origin.trust for row in rows] == trusts
    assert {(row.state, row.number, len(row.own_policy_ids)) for row in rows} == {(RevisionState.ACTIVE, 1, 1)}
    assert all(placements[row.own_policy_ids[0]].audience.id for row in rows)
    assert all(desk.backend.revisions.list_changes(AGENT, row.store_id, 0) for row in rows)
