"""What lost its label or its owner is nobody's: no lane returns it, also after the index is made anew."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import apsw
import pytest

from privity.backends.sqlite.database import Connection
from privity.model.decisions import Denied
from privity.model.events import EventKind
from privity.model.ids import ResourceHandle
from privity.model.operations import Operation
from privity.model.passages import Card, Passage
from privity.model.resources import Section
from privity.sdk.envelope import Envelope
from tests.engine.desk import AGENT, Desk, Seat, dm, nobody, room
from tests.isolation.homes import Home

NOTE: Final = "The quokka sails on Monday, 港口."
ENTRY: Final = "Quokka is the password."
ASKING: Final = (dm("alice"), room("team", "alice"), dm("bob"), room("team", "bob"), room("team", None), nobody())

LOST: Final = {
    "the placement of the store": "DELETE FROM policies WHERE policy_id LIKE 'pol%'",
    "the audience of the placement": "UPDATE policies SET audience_id = '' WHERE policy_id LIKE 'pol%'",
    "the policies of the row": "UPDATE revisions SET own_policy_ids = '[]' WHERE store_id LIKE 'sto%'",
    "the store of the row": "UPDATE revisions SET store_id = 'sto_gone' || revision_id WHERE store_id LIKE 'sto%'",
    "the store": "DELETE FROM stores WHERE store_id LIKE 'sto%'",
    "the audience of the store": "UPDATE stores SET audience_id = store_id WHERE store_id LIKE 'sto%'",
}
"""What is taken away by hand, past the code and past the foreign keys, from each row there is."""


@dataclass(frozen=True, kw_only=True)
class Furnished:
    """Seats whose runs began before anything was taken away, and the handles that they were given."""

    seats: list[Seat]
    handles: list[ResourceHandle]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """Return a home on disk."""
    made = Home(kind="sqlite", path=tmp_path / "home", closers=[])
    yield made
    made.close()


def furnished(home: Home) -> Furnished:
    """Keep a note and a card entry in private and a note in a room, and close the home."""
    desk = home.open()
    seats = [desk.begin(seat) for seat in ASKING]
    handles = [desk.kept(seat, NOTE) for seat in seats[:2]]
    handles.append(desk.kept(seats[0], ENTRY, section=Section.CARD))
    home.close()
    return Furnished(seats=seats, handles=handles)


def damaged(home: Home, statement: str) -> int:
    """Run a statement in the closed catalog; return how many rows it changed."""
    return changed_by(apsw.Connection(str(next(home.path.rglob("agent.db")))), statement)


def changed_by(connection: Connection, statement: str) -> int:
    """Run a statement and close the connection; return how many rows the statement changed."""
    connection.execute(statement)
    ((changed,),) = connection.execute("SELECT changes()").fetchall()
    connection.close()
    return int(str(changed))


def reopened(home: Home, since: int = 1_000_000) -> Desk:
    """Open the home with ids to come that were not there before."""
    desk = home.open()
    desk.entropy.count = since
    return desk


def shown(desk: Desk, made: Furnished) -> list[str]:
    """Return every text that any seat gets out of any lane."""
    texts = list[str]()
    for seat in made.seats:
        texts += [*desk.texts(seat, "quokka", limit=50), *desk.texts(seat, "港口", limit=50)]
        texts += [entry.text for entry in of_card(desk, seat)]
        for handle in made.handles:
            texts += [passage.text for passage in by_handle(desk, seat, handle)]
    return texts


def of_card(desk: Desk, seat: Seat) -> tuple[Passage, ...]:
    """Return the entries of the card that a seat is given."""
    context = desk.context(seat, Operation.READ)
    plan = desk.engine.authorize(context)
    given: Envelope[Card] | Denied = plan if isinstance(plan, Denied) else desk.engine.bootstrap(context, plan)
    return () if isinstance(given, Denied) else given.value.entries


def by_handle(desk: Desk, seat: Seat, handle: ResourceHandle) -> list[Passage]:
    """Return what reading and exporting by a handle give."""
    context = desk.context(seat, Operation.EXPORT)
    plan = desk.engine.authorize(context)
    exported = plan if isinstance(plan, Denied) else desk.engine.export(context, plan, [handle])
    read = desk.read(seat, handle)
    return [
        *(() if isinstance(read, Denied) else (read,)),
        *(() if isinstance(exported, Denied) else exported.value),
    ]


def indexed_anew(desk: Desk, made: Furnished) -> None:
    """Have everybody bring the index of what they mount up to date."""
    for seat in made.seats:
        context = desk.context(seat, Operation.SYNC)
        plan = desk.engine.authorize(context)
        if not isinstance(plan, Denied):
            desk.engine.sync(context, plan)


@pytest.mark.proves("case:READ-10")
def test_READ_10_whole_rows_are_returned_on_every_lane(home: Home) -> None:
    """What the other tests find nothing of is there before anything is taken away."""
    made = furnished(home)
    desk = reopened(home)
    texts = shown(desk, made)

    # Two searches, a reading and an export for Alice and for each speaker of the room; nobody exports to whom no name belongs.
    assert texts.count(NOTE) == 4 + 4 + 4 + 3
    assert texts.count(ENTRY) == 1


@pytest.mark.proves("case:READ-10")
@pytest.mark.parametrize("lost", LOST)
def test_READ_10_a_row_without_its_label_or_owner_is_returned_on_no_lane(home: Home, lost: str) -> None:
    """Neither to whoever wrote it nor to anybody else, and the index of a new start does not bring it back."""
    made = furnished(home)
    changed = damaged(home, LOST[lost])
    desk = reopened(home)
    before = shown(desk, made)
    indexed_anew(desk, made)
    after = shown(desk, made)
    home.close()
    for index in home.path.rglob("index.db"):
        index.unlink()
    rebuilt = shown(reopened(home, 2_000_000), made)

    assert changed >= 2
    assert (before, after, rebuilt) == ([], [], [])


@pytest.mark.proves("case:READ-10")
def test_READ_10_a_row_whose_policy_class_is_gone_is_not_searched(home: Home) -> None:
    """The index holds the row under a class that nobody can decide about."""
    furnished(home)
    whole = reopened(home)
    found = whole.texts(whole.begin(dm("alice")), "quokka")
    home.close()
    changed = damaged(home, "DELETE FROM policy_classes WHERE own_policy_ids <> ''")
    desk = reopened(home, 2_000_000)

    assert found == [NOTE]
    assert changed == 2
    assert desk.texts(desk.begin(dm("alice")), "quokka") == []
    assert desk.texts(desk.begin(room("team", "alice")), "quokka") == []


@pytest.mark.proves("case:READ-10")
def test_READ_10_an_event_without_its_label_is_in_no_window(home: Home) -> None:
    """The label row is deleted: neither the transcript nor any number has the event, and what follows has its own."""
    desk = home.open()
    alice = desk.begin(dm("alice"), "the quokka sails")
    before = desk.backend.runs.list_events(AGENT, alice.session_id)
    counted = desk.engine.health(AGENT).events
    home.close()
    changed = damaged(home, "DELETE FROM labels WHERE sequence > 0")
    desk = reopened(home)
    left = desk.backend.runs.list_events(AGENT, alice.session_id)
    counted_then = desk.engine.health(AGENT).events
    texts = shown(desk, Furnished(seats=[desk.begin(alice)], handles=[]))
    events = desk.backend.runs.list_events(AGENT, alice.session_id)

    assert [(event.kind, event.text) for event in before] == [(EventKind.MESSAGE, "the quokka sails")]
    assert (counted, changed, counted_then) == (1, 1, 0)
    assert (left, texts) == ((), [])
    assert [event.text for event in events] == ["hello"]
