"""Laws of the index of one store: exact, exhaustive, and moved by permitted rows only."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import product
from typing import Final

from privity.conformance import storage_samples as samples
from privity.conformance.storage_checks import same
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.ports import Backend
from privity.engine.records import ClassTotals, IndexMatches, IndexQuery, IndexRow, StoreRecord
from privity.engine.terms import fold
from privity.model.ids import RevisionId

TEXTS: Final = (
    "The runner runs, ran and is running; RUN!",
    "iPhone手机 and 手机号码 in the 手机店",
    "naïve Café cafe CAFÉ straße STRASSE",
    "50% off_by_one \\ back%slash _%_",
    "c++ and ++ and +++ 👍 ok",
    "snake_case kebab-case don't",
    "",
    "東京タワーで ราคาเท่าไร한국어",
    "run " * 40,
)
TERMS: Final = ("run", "runner", "iphon", "cafe", "naiv", "strass", "c", "case", "don", "absent", "off")
NEEDLES: Final = ("手机", "手", "++", "%", "_", "\\", "👍", "東京", "한국", "ราคา", "iphone手", "café", "absent!")
CLASSES: Final = ("cls_a", "cls_A", "cls_b")


def rows_of(texts: Iterable[str]) -> list[IndexRow]:
    """Return a row for each text, in turn of one class after another, every third one expiring."""
    return [
        IndexRow(
            revision_id=RevisionId(f"rev_{number}"),
            class_id=CLASSES[number % len(CLASSES)],
            text=text,
            expires_at=samples.NOON + number * samples.HOUR if number % 3 == 0 else None,
        )
        for number, text in enumerate(texts)
    ]


def query(*, at: datetime = samples.NOON, classes: Iterable[str] = CLASSES, skip: Iterable[str] = ()) -> IndexQuery:
    """Return the query for everything the laws look up."""
    return IndexQuery(
        terms=TERMS,
        needles=NEEDLES,
        classes=frozenset(classes),
        skip=frozenset(map(RevisionId, skip)),
        at=at,
    )


def brute_force(backend: Backend, rows: Iterable[IndexRow], asked: IndexQuery) -> IndexMatches:
    """Return what a look at every row finds."""
    live = [row for row in rows if row.expires_at is None or row.expires_at > asked.at]
    permitted = [row for row in live if row.class_id in asked.classes and row.revision_id not in asked.skip]
    tokens = {row.revision_id: backend.index.tokens(row.text) for row in permitted}
    terms = [[(row, tokens[row.revision_id].count(term)) for row in permitted] for term in asked.terms]
    needles = [[(row, fold(row.text).count(needle)) for row in permitted] for needle in asked.needles]
    postings = [
        tuple((row.revision_id, len(tokens[row.revision_id]), count) for row, count in counted if count)
        for counted in (*terms, *needles)
    ]
    lengths = [len(found) for found in tokens.values()]
    return IndexMatches(totals=ClassTotals(rows=len(lengths), tokens=sum(lengths)), postings=tuple(postings))


def unordered(found: IndexMatches) -> tuple[ClassTotals, list[list[tuple[str, int, int]]]]:
    """Return matches in a form that compares whatever the order of rows."""
    return found.totals, [sorted(posting) for posting in found.postings]


def insist_exact(scene: Scene, place: StoreRecord, rows: Iterable[IndexRow], asked: IndexQuery) -> None:
    """Insist that the index finds exactly what brute force finds."""
    found = scene.backend.index.match(scene.agent_id, place, asked)
    same(unordered(found), unordered(brute_force(scene.backend, rows, asked)))


def matches_are_exactly_those_of_brute_force(backend: Backend) -> None:
    """For every text, term and needle, at any time, for any classes, with any rows skipped."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    rows = rows_of(TEXTS)
    backend.index.apply(scene.agent_id, place, rows, [], 9)
    for hours, classes, skip in product(
        (-1, 0, 3, 5), (CLASSES, ("cls_a",), (), ("cls_none",)), ((), ("rev_1", "rev_3", "rev_none"))
    ):
        asked = query(at=samples.NOON + hours * samples.HOUR, classes=classes, skip=skip)
        insist_exact(scene, place, rows, asked)


def totals_are_exactly_those_of_each_class(backend: Backend) -> None:
    """Classes without unexpired rows are not mentioned; the skip plays no part."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    rows = rows_of(TEXTS)
    backend.index.apply(scene.agent_id, place, rows, [], 9)
    for hours in (-1, 0, 3, 99):
        at = samples.NOON + hours * samples.HOUR
        state = backend.index.state(scene.agent_id, place, at)
        by_class = {key: brute_force(backend, rows, query(at=at, classes=(key,))).totals for key in CLASSES}
        same(dict(state.classes), {key: totals for key, totals in by_class.items() if totals.rows})
        same(state.watermark, 9)


def a_row_put_again_is_replaced(backend: Backend) -> None:
    """Its old words, class and expiry are gone from every number."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    rows = rows_of(TEXTS)
    backend.index.apply(scene.agent_id, place, rows, [], 1)
    changed = [
        replace(row, text=TEXTS[-1 - number], class_id="cls_b", expires_at=None) for number, row in enumerate(rows[:4])
    ]
    backend.index.apply(scene.agent_id, place, [rows[0], *changed], [], 2)
    insist_exact(scene, place, [*changed, *rows[4:]], query())


def a_dropped_row_leaves_no_trace(backend: Backend) -> None:
    """A drop of what is not there is fine, and a drop wins over a put in the same call."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    rows = rows_of(TEXTS)
    backend.index.apply(scene.agent_id, place, rows, [], 1)
    dropped = [RevisionId(name) for name in ("rev_0", "rev_4", "rev_none", "REV_1")]
    backend.index.apply(scene.agent_id, place, [rows[4]], dropped, 2)
    insist_exact(scene, place, [row for row in rows if row.revision_id not in dropped], query())
    everything = [row.revision_id for row in rows]
    backend.index.apply(scene.agent_id, place, [], everything, 3)
    insist_exact(scene, place, [], query())
    same(dict(backend.index.state(scene.agent_id, place, samples.NOON).classes), {})


def the_watermark_only_rises(backend: Backend) -> None:
    """A late call with a lower one leaves it where it is."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    for told, kept in ((0, 0), (5, 5), (3, 5), (8, 8)):
        backend.index.apply(scene.agent_id, place, [], [], told)
        same(backend.index.state(scene.agent_id, place, samples.NOON).watermark, kept)


def an_index_never_written_is_empty(backend: Backend) -> None:
    """Also that of a store whose directory is another cell's."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    place = scene.add_store("ada")
    insist_exact(scene, place, [], query())
    backend.index.apply(scene.agent_id, place, rows_of(TEXTS), [], 4)
    insist_exact(other, place, [], query())
    same(backend.index.state(other.agent_id, place, samples.NOON).watermark, 0)


def a_reset_index_can_be_made_again(backend: Backend) -> None:
    """IDX-01: nothing is lost with it, for it is derived."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    rows = rows_of(TEXTS)
    scene.derive(place, "1")
    backend.index.apply(scene.agent_id, place, rows, [], 4)
    before = scene.observed()
    for _ in range(2):
        backend.index.reset(scene.agent_id, place)
        insist_exact(scene, place, [], query())
        same(backend.index.state(scene.agent_id, place, samples.NOON).watermark, 0)
    same(scene.observed(), before)
    backend.index.apply(scene.agent_id, place, rows, [], 4)
    insist_exact(scene, place, rows, query())


def foreign_and_forbidden_rows_move_nothing(backend: Backend) -> None:
    """The same answer with and without another store and denied rows full of the query's words."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    rows = rows_of(TEXTS)
    backend.index.apply(scene.agent_id, ada, rows, [], 1)
    asked = query(classes=("cls_a",))
    before = unordered(backend.index.match(scene.agent_id, ada, asked))
    noise = [
        replace(
            row, revision_id=RevisionId(f"rev_noise_{row.revision_id}"), class_id="cls_denied", text=" ".join(TEXTS)
        )
        for row in rows
    ]
    backend.index.apply(scene.agent_id, ada, noise, [], 2)
    backend.index.apply(scene.agent_id, bo, noise, [], 2)
    same(unordered(backend.index.match(scene.agent_id, ada, asked)), before)


def every_stored_token_is_found(backend: Backend) -> None:
    """SRCH-05: what the index makes of a text finds the text."""
    scene = open_scene(backend)
    place = scene.add_store("ada")
    rows = rows_of(TEXTS)
    backend.index.apply(scene.agent_id, place, rows, [], 1)
    for row in rows:
        terms = tuple(dict.fromkeys(backend.index.tokens(row.text)))
        asked = replace(query(at=samples.NOON - samples.HOUR), terms=terms, needles=())
        found = backend.index.match(scene.agent_id, place, asked).postings
        same([row.revision_id in {posting[0] for posting in postings} for postings in found], [True] * len(terms))


LAWS: Final = (
    matches_are_exactly_those_of_brute_force,
    totals_are_exactly_those_of_each_class,
    a_row_put_again_is_replaced,
    a_dropped_row_leaves_no_trace,
    the_watermark_only_rises,
    an_index_never_written_is_empty,
    a_reset_index_can_be_made_again,
    foreign_and_forbidden_rows_move_nothing,
    every_stored_token_is_found,
)
