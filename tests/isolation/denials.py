"""Ways to fill a mounted store with rows that nobody who is asked may see."""

from collections.abc import Callable, Mapping
from typing import Final

from privity.engine.records import TombstoneCommit
from privity.model.decisions import Denied
from privity.model.ids import ResourceHandle
from privity.model.operations import Operation
from privity.model.passages import Remembered
from privity.model.policies import Effect
from privity.model.resources import Anonymity
from privity.model.stores import StoreKind
from tests.engine.desk import AGENT, Desk, Seat, dm, nobody, room
from tests.engine.roles import fill_role
from tests.isolation import homes
from tests.isolation.homes import A_MOMENT, ALL_SEATS, SHARED, WORDS, Amended, amend, elsewhere, published

ROWS: Final = 25
HIDDEN_WINDOW: Final = "hidden"

Fill = Callable[[Desk], None]


def kept_rows(desk: Desk, seat: Seat) -> list[tuple[Seat, ResourceHandle]]:
    """Remember rows that are full of the queries' words, in a window of their own."""
    running = desk.begin(elsewhere(seat, HIDDEN_WINDOW))
    return [(running, desk.kept(running, f"{WORDS} {number}")) for number in range(ROWS)]


def tombstoned(desk: Desk) -> None:
    """Rows that were forgotten."""
    for seat, handle in [*kept_rows(desk, dm("alice")), *kept_rows(desk, room("team", "alice"))]:
        assert not isinstance(desk.forget(seat, handle), Denied)


def tombstoned_behind_the_index(desk: Desk) -> None:
    """Rows that were forgotten and that the index still holds."""
    record = homes.record_of_denial(desk)
    for seat, handle in kept_rows(desk, dm("alice")):
        store_id, revision_id = homes.named(desk, seat, handle)
        desk.backend.revisions.tombstone(
            TombstoneCommit(
                expected=desk.backend.stores.authority(AGENT),
                agent_id=AGENT,
                store_id=store_id,
                revision_id=revision_id,
                record=record,
            )
        )


def expired(desk: Desk) -> None:
    """Rows whose time is over."""
    for seat in (dm("alice"), room("team", "alice")):
        running = desk.begin(elsewhere(seat, HIDDEN_WINDOW))
        for number in range(ROWS):
            result = desk.remember(running, f"{WORDS} {number}", lifetime=A_MOMENT / 2)
            assert isinstance(result, Remembered), result


def lineage_broken(desk: Desk) -> None:
    """Rows that were derived from something forgotten."""
    running = desk.begin(elsewhere(dm("alice"), HIDDEN_WINDOW))
    source = desk.kept(running, "The source is quokka.")
    assert desk.texts(running, "quokka", limit=1) == ["The source is quokka."]
    for number in range(ROWS):
        desk.kept(running, f"{WORDS} {number}")
    assert not isinstance(desk.forget(running, source), Denied)


def role_lost(desk: Desk) -> None:
    """Rows that need a role which the asker no longer has."""
    fill_role(desk, "rol_finance", f"The margin is quokka. {WORDS}")
    running = desk.begin(elsewhere(dm("alice", roles=["rol_finance"]), HIDDEN_WINDOW))
    assert len(desk.texts(running, "quokka")) == 1
    for number in range(ROWS):
        desk.kept(running, f"{WORDS} {number}")


def requirement_moved(desk: Desk) -> None:
    """Rows derived from what everybody shares, under a placement that was amended since."""
    running = desk.begin(elsewhere(dm("alice"), HIDDEN_WINDOW))
    assert len(desk.texts(running, "calendar", limit=1)) == 1
    for number in range(ROWS):
        desk.kept(running, f"{WORDS} {number}")


def not_anonymous_safe(desk: Desk) -> None:
    """Shared rows that are not for a session without a subject."""
    for number in range(ROWS):
        published(desk, f"{WORDS} {number}", Anonymity.IDENTIFIED_ONLY)


def denied_by_rule(desk: Desk) -> None:
    """Shared rows that a rule keeps from Alice."""
    not_anonymous_safe(desk)


def nothing(desk: Desk) -> None:
    """Prepare nothing."""
    assert homes.store(desk, StoreKind.AGENT_SHARED, SHARED)


def deny_alice(desk: Desk) -> None:
    """Keep what the agent shares from Alice, in both homes."""
    amend(desk, Amended(effect=Effect.DENY, capability=Operation.READ, grantee=dm("alice")))


def amend_placement(desk: Desk) -> None:
    """Amend the placement of what the agent shares, in both homes, in a way that concerns nobody here."""
    amend(desk, Amended(effect=Effect.DENY, capability=Operation.READ, grantee=dm("nobody-here")))


WAYS: Final[Mapping[str, tuple[Fill, Fill, tuple[Seat, ...]]]] = {
    "tombstoned": (tombstoned, nothing, ALL_SEATS),
    "tombstoned behind the index": (tombstoned_behind_the_index, nothing, ALL_SEATS),
    "expired": (expired, nothing, ALL_SEATS),
    "lineage broken": (lineage_broken, nothing, ALL_SEATS),
    "role lost": (role_lost, nothing, ALL_SEATS),
    "requirement moved": (requirement_moved, amend_placement, ALL_SEATS),
    "not anonymous safe": (not_anonymous_safe, nothing, (nobody(),)),
    "denied by rule": (denied_by_rule, deny_alice, (dm("alice"),)),
}
"""What fills the one home, what both homes get after it, and who is asked then."""
