"""The front card: a few entries of one store, shown whole or not at all, never two cards together."""

from collections.abc import Iterator

from privity.engine.bound import Bound
from privity.engine.exact import accessed
from privity.engine.parts import Parts
from privity.engine.passages import passages
from privity.engine.plan import own_store
from privity.engine.postfilter import Permitted, look
from privity.engine.reading import Gathered, read_through
from privity.engine.records import RevisionRecord, StoreRecord
from privity.engine.text import CARD_CHARACTERS, CARD_ENTRIES
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.operations import Operation
from privity.model.passages import Card
from privity.model.plans import Plan
from privity.sdk.envelope import Envelope
from privity.sdk.errors import InputError


def bootstrap(parts: Parts, context: AccessContext, plan: Plan) -> Envelope[Card] | Denied:
    """Return the front card of the session subject's own store. Two cards are never joined."""

    def gather(bound: Bound) -> Gathered | Deny:
        own = own_store(bound.snapshot)
        store = None if own is None else bound.find_store(own.store_id)
        rows = () if store is None else tuple(card_rows(parts, bound, store))
        return Gathered(permitted=rows, noted=accessed(rows, Operation.READ))

    return read_through(parts, context, plan, gather, lambda rows: Card(entries=passages(parts, context, rows)))


def card_rows(parts: Parts, bound: Bound, store: StoreRecord) -> Iterator[Permitted]:
    """Yield the permitted entries of one store's card, oldest first, within the card's bounds."""
    room = CARD_CHARACTERS
    listed = parts.backend.revisions.list_card(store.facts.agent_id, store.facts.store_id)
    for revision in listed[:CARD_ENTRIES]:
        row = look(parts, bound, store, revision, 0.0)
        if row is None:
            continue
        room -= len(row.content.decode("utf-8"))
        if room < 0:
            return
        yield row


def card_has_room(parts: Parts, store: StoreRecord, content: bytes) -> None:
    """Refuse an entry that the card has no room for.

    Raises:
        InputError: the entry is longer than a card, or the card is full.
    """
    length = len(content.decode("utf-8"))
    if length > CARD_CHARACTERS:
        raise InputError(
            f"the entry has {length} characters, and a whole card holds {CARD_CHARACTERS}",
            where="text",
            remedy="shorten it, or remember it as a note",
        )
    facts = store.facts
    entries = parts.backend.revisions.list_card(facts.agent_id, facts.store_id)
    used = sum(characters(parts, store, row) for row in entries)
    if len(entries) >= CARD_ENTRIES or used + length > CARD_CHARACTERS:
        raise InputError(
            f"the card holds {len(entries)} of {CARD_ENTRIES} entries and {used} of {CARD_CHARACTERS} characters, "
            f"and the entry has {length}",
            where="card",
            remedy="forget an entry first, or remember it as a note",
        )


def characters(parts: Parts, store: StoreRecord, row: RevisionRecord) -> int:
    """Return how many characters one entry takes; one that cannot be read takes none."""
    artifact = parts.backend.artifacts.load(
        row.agent_id, store.path_key, row.section, row.revision_id, row.content_hash
    )
    return 0 if artifact.content is None else len(artifact.content.decode("utf-8"))
