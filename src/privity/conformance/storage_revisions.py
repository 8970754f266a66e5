"""Laws of resources and their immutable revisions."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from privity.conformance import storage_samples as samples
from privity.conformance.storage_checks import different, refuses, same
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.ports import Backend
from privity.engine.records import ActivateCommit, Leftover, RevisionRecord
from privity.model.ids import ResourceId, RevisionId, StoreId
from privity.model.resources import Anonymity, Lifetime, Lineage, RevisionState, Section


def load(scene: Scene, row: RevisionRecord) -> RevisionRecord:
    """Return a revision as the catalog has it now."""
    return scene.backend.revisions.load_revisions(scene.agent_id, [row.revision_id])[row.revision_id]


def an_activated_revision_comes_back_exactly(backend: Backend) -> None:
    """Every field survives; the state, the lineage and the change number are the catalog's."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    source = scene.activate(samples.revision(ada, "0"))
    full = replace(
        samples.revision(ada, "1"),
        parents=(source.revision_id,),
        requirements=(samples.requirement("bo"), samples.requirement("Bo", revision=4)),
    )
    active = scene.activate(full)
    same(active, replace(full, state=RevisionState.ACTIVE, lineage=Lineage.INTACT, change=2))
    same(load(scene, full), active)


def changes_are_counted_within_each_store(backend: Backend) -> None:
    """Numbers rise by one a change and say nothing about other stores."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    numbers = [
        scene.activate(samples.revision(place, name)).change for place, name in ((ada, "1"), (bo, "2"), (ada, "3"))
    ]
    same(numbers, [1, 1, 2])


def changes_are_listed_in_their_order_from_any_point(backend: Backend) -> None:
    """A row stands where it changed last, whatever its state."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    rows = [scene.activate(samples.revision(ada, name)) for name in ("1", "2", "3")]
    scene.tombstone(rows[0])
    everything = backend.revisions.list_changes(scene.agent_id, ada.facts.store_id, 0)
    same([row.revision_id for row in everything], ["rev_2", "rev_3", "rev_1"])
    same([row.change for row in everything], [2, 3, 4])
    same(backend.revisions.list_changes(scene.agent_id, ada.facts.store_id, 3), everything[2:])
    same(backend.revisions.list_changes(scene.agent_id, ada.facts.store_id, 4), ())
    same(backend.revisions.list_changes(scene.agent_id, StoreId("sto_ADA"), 0), ())


def a_moved_authority_refuses_an_activation(backend: Backend) -> None:
    """What was decided under older policies is decided again."""
    scene = open_scene(backend)
    prepared = scene.activation(samples.revision(scene.add_store("ada"), "1"))
    backend.stores.amend(scene.amendment(samples.policy("ada", revision=2)))
    refuses(scene, partial(backend.revisions.activate, prepared))


def an_activation_needs_its_store(backend: Backend) -> None:
    """A store that is not there, or is another cell's, holds nothing."""
    one, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    foreign = one.add_store("ada")
    stray = replace(samples.revision(foreign, "1"), agent_id=other.agent_id)
    refuses(other, partial(backend.revisions.activate, other.activation(stray)))


def an_activation_needs_readable_parents(backend: Backend) -> None:
    """A tombstoned, a broken, an unknown and a foreign parent are refused alike."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    ada = scene.add_store("ada")
    foreign = other.activate(samples.revision(other.add_store("ada"), "foreign"))
    source = scene.derive(ada, "1")
    broken = scene.derive(ada, "2", source)
    scene.tombstone(source)
    unknown = replace(broken, revision_id=RevisionId("rev_unknown"))
    good = scene.derive(ada, "3")
    for parent in (source, broken, unknown, foreign):
        row = replace(samples.revision(ada, "4"), parents=(good.revision_id, parent.revision_id))
        refuses(scene, partial(backend.revisions.activate, scene.activation(row)))


def a_revision_is_activated_once(backend: Backend) -> None:
    """An id and a number of a resource stay taken, also by what is tombstoned."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    first = samples.revision(ada, "1")
    again = replace(first, resource_id=ResourceId("res_other"))
    renumbered = replace(first, revision_id=RevisionId("rev_other"))
    row = scene.activate(first)
    refuses(scene, partial(backend.revisions.activate, scene.activation(again)))
    scene.tombstone(row)
    refuses(scene, partial(backend.revisions.activate, scene.activation(again)))
    refuses(scene, partial(backend.revisions.activate, scene.activation(renumbered)))


def a_resource_has_one_active_revision_in_one_store(backend: Backend) -> None:
    """The next revision waits until the one before is out of force, and stays in its store."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    row = scene.activate(samples.revision(ada, "1"))
    following = replace(samples.revision(ada, "1"), revision_id=RevisionId("rev_2"), number=2)
    refuses(scene, partial(backend.revisions.activate, scene.activation(following)))
    scene.tombstone(row)
    moved = replace(following, store_id=bo.facts.store_id)
    refuses(scene, partial(backend.revisions.activate, scene.activation(moved)))
    same(scene.activate(following).state, RevisionState.ACTIVE)


def a_tombstone_ends_one_revision(backend: Backend) -> None:
    """It stays in the catalog with everything it said, and is never active again."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    row, neighbour = scene.derive(ada, "1"), scene.derive(ada, "2")
    same(scene.tombstone(row), 0)
    same(load(scene, row), replace(row, state=RevisionState.TOMBSTONED, change=3))
    same(load(scene, neighbour), neighbour)
    refuses(scene, partial(backend.revisions.tombstone, scene.burial(row)))


def a_tombstone_needs_the_revision_in_its_store(backend: Backend) -> None:
    """An unknown one, one of another store and one of another cell are refused."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    row = scene.derive(ada, "1")
    other.add_store("ada")
    for place, wrong in (
        (scene, replace(row, store_id=bo.facts.store_id)),
        (scene, replace(row, revision_id=RevisionId("REV_1"))),
        (other, row),
    ):
        refuses(place, partial(backend.revisions.tombstone, place.burial(wrong)))


def a_tombstone_breaks_everything_derived_from_it(backend: Backend) -> None:
    """Through every generation and store, each once, and nothing beside; each is tombstoned as well."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    source, stranger = scene.derive(ada, "source"), scene.derive(ada, "stranger")
    child = scene.derive(bo, "child", source, stranger)
    sibling = scene.derive(ada, "sibling", source)
    grandchild = scene.derive(ada, "grandchild", child, sibling)
    same(scene.tombstone(source), 3)
    changes = {row.revision_id: load(scene, row).change for row in (source, child, sibling, grandchild)}
    same(changes, {"rev_source": 5, "rev_child": 2, "rev_sibling": 6, "rev_grandchild": 7})
    for row in (child, sibling, grandchild):
        ended = replace(row, state=RevisionState.TOMBSTONED, lineage=Lineage.BROKEN, change=changes[row.revision_id])
        same(load(scene, row), ended)
    same(load(scene, stranger), stranger)
    same(
        dict(backend.revisions.counts(scene.agent_id).revisions), {RevisionState.ACTIVE: 1, RevisionState.TOMBSTONED: 4}
    )


def what_was_derived_is_listed_through_the_stores_named(backend: Backend) -> None:
    """Every generation once, oldest first; what goes through another store, or ended, is not in it."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    source, stranger = scene.derive(ada, "source"), scene.derive(ada, "stranger")
    child, sibling = scene.derive(ada, "child", source), scene.derive(ada, "sibling", source, stranger)
    away = scene.derive(bo, "away", source)
    grandchild = scene.derive(ada, "grandchild", child, sibling)
    hidden = scene.derive(ada, "hidden", away)
    listed = partial(backend.revisions.list_derived, scene.agent_id, source.revision_id)
    places = [ada.facts.store_id, bo.facts.store_id]
    same(listed(places[:1]), (child, sibling, grandchild))
    same(listed(places[1:]), (away,))
    same(
        [row.revision_id for row in listed(places)], [r.revision_id for r in (child, sibling, away, grandchild, hidden)]
    )
    same(listed([]), ())
    same(backend.revisions.list_derived(other.agent_id, source.revision_id, places), ())
    scene.tombstone(child)
    same(listed(places[:1]), (sibling,))


def what_was_tombstoned_is_left_over_until_it_is_cleared(backend: Backend) -> None:
    """The revision and everything derived from it, each with its store and section; a neighbour never is."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    same(backend.revisions.list_leftovers(scene.agent_id), ())
    source = scene.derive(ada, "source")
    child = scene.derive(bo, "child", source)
    scene.derive(ada, "neighbour")
    scene.tombstone(source)
    ends = (
        Leftover(store=ada, section=Section.NOTE, revision_id=source.revision_id),
        Leftover(store=bo, section=Section.NOTE, revision_id=child.revision_id),
    )
    same(backend.revisions.list_leftovers(scene.agent_id), ends)
    same(backend.revisions.list_leftovers(other.agent_id), ())
    backend.revisions.clear_leftovers(scene.agent_id, [source.revision_id, RevisionId("rev_unknown")])
    same(backend.revisions.list_leftovers(scene.agent_id), ends[1:])
    backend.revisions.clear_leftovers(scene.agent_id, [child.revision_id])
    same(backend.revisions.list_leftovers(scene.agent_id), ())


def a_broken_lineage_is_counted_once(backend: Backend) -> None:
    """A second source gone breaks nothing that is broken."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    first, second = scene.derive(ada, "1"), scene.derive(ada, "2")
    child = scene.derive(ada, "3", first, second)
    same(scene.tombstone(first), 1)
    broken = load(scene, child)
    same(scene.tombstone(second), 0)
    same(load(scene, child), broken)


def revisions_of_another_cell_are_absent(backend: Backend) -> None:
    """Two cells may use the same ids and share nothing."""
    one, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    row = one.derive(one.add_store("ada"), "1")
    same(dict(backend.revisions.load_revisions(other.agent_id, [row.revision_id])), {})
    same(backend.revisions.list_changes(other.agent_id, row.store_id, 0), ())
    same(dict(backend.revisions.load_classes(other.agent_id, [row.class_id])), {})
    own = other.derive(other.add_store("ada"), "1")
    one.tombstone(row)
    same(load(other, own), own)


def revisions_whose_ids_differ_in_case_are_different(backend: Backend) -> None:
    """POL-13 for resources, revisions and classes."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    small, large = scene.derive(ada, "x"), scene.derive(ada, "X")
    scene.tombstone(small)
    same(load(scene, large), large)
    same(dict(backend.revisions.load_classes(scene.agent_id, ["CLS_1"])), {})
    different(load(scene, small).state, large.state)


def the_card_holds_active_entries_oldest_first(backend: Backend) -> None:
    """Notes, tombstoned entries and other stores are not in it."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    entries = [
        card_entry(scene, ada.facts.store_id, name, minutes)
        for name, minutes in (("1", 2), ("2", 1), ("3", 2), ("4", 0))
    ]
    scene.derive(ada, "note")
    card_entry(scene, bo.facts.store_id, "5", 0)
    scene.tombstone(entries[3])
    card = backend.revisions.list_card(scene.agent_id, ada.facts.store_id)
    same(card, (entries[1], entries[0], entries[2]))


def card_entry(scene: Scene, store_id: StoreId, name: str, minutes: int) -> RevisionRecord:
    """Activate a card entry recorded so many minutes after noon."""
    row = samples.revision(scene.stores()[0], name)
    lifetime = Lifetime(recorded_at=samples.NOON + timedelta(minutes=minutes), expires_at=None)
    return scene.activate(replace(row, store_id=store_id, section=Section.CARD, lifetime=lifetime))


def a_policy_class_is_interned_once(backend: Backend) -> None:
    """The first of an id stays, whatever comes later."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    commit = scene.activation(samples.revision(ada, "1"))
    backend.revisions.activate(commit)
    other = replace(samples.policy_class(), anonymity=Anonymity.IDENTIFIED_ONLY)
    backend.revisions.activate(replace(scene.activation(samples.revision(ada, "2")), policy_class=other))
    same(dict(backend.revisions.load_classes(scene.agent_id, ["cls_1", "cls_2"])), {"cls_1": samples.policy_class()})


def counts_are_those_of_the_cell(backend: Backend) -> None:
    """Operators see numbers by kind and state, and nothing of other cells."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    ada = scene.add_store("ada")
    rows = [scene.derive(ada, name) for name in ("1", "2", "3")]
    scene.tombstone(rows[0])
    backend.runs.append_event(scene.utterance("1"))
    counts = backend.revisions.counts(scene.agent_id)
    same(dict(counts.stores), {ada.facts.kind: 1})
    same(dict(counts.revisions), {RevisionState.ACTIVE: 2, RevisionState.TOMBSTONED: 1})
    same((counts.events, counts.outbox), (1, 5))
    nothing = backend.revisions.counts(other.agent_id)
    same([*nothing.stores, *nothing.revisions], [])
    same((nothing.events, nothing.outbox), (0, 0))


def what_is_returned_cannot_be_changed(backend: Backend) -> None:
    """A caller holds a copy that nobody writes to."""
    scene = open_scene(backend)
    row = scene.derive(scene.add_store("ada"), "1")
    loaded = backend.revisions.load_revisions(scene.agent_id, [row.revision_id])
    scene.tombstone(row)
    same(loaded[row.revision_id], row)
    same("__setitem__" in dir(loaded), wanted=False)


def only_one_of_two_racing_commits_wins(backend: Backend) -> None:
    """Two activations of one resource's next revision were both prepared; the second is refused."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    first = scene.activation(samples.revision(ada, "1"))
    second: ActivateCommit = replace(first, revision=replace(first.revision, revision_id=RevisionId("rev_late")))
    commits: tuple[Callable[[], object], ...] = (
        partial(backend.revisions.activate, first),
        partial(backend.revisions.activate, second),
    )
    commits[0]()
    refuses(scene, commits[1])


LAWS: Final = (
    an_activated_revision_comes_back_exactly,
    changes_are_counted_within_each_store,
    changes_are_listed_in_their_order_from_any_point,
    a_moved_authority_refuses_an_activation,
    an_activation_needs_its_store,
    an_activation_needs_readable_parents,
    a_revision_is_activated_once,
    a_resource_has_one_active_revision_in_one_store,
    a_tombstone_ends_one_revision,
    a_tombstone_needs_the_revision_in_its_store,
    a_tombstone_breaks_everything_derived_from_it,
    what_was_derived_is_listed_through_the_stores_named,
    what_was_tombstoned_is_left_over_until_it_is_cleared,
    a_broken_lineage_is_counted_once,
    revisions_of_another_cell_are_absent,
    revisions_whose_ids_differ_in_case_are_different,
    the_card_holds_active_entries_oldest_first,
    a_policy_class_is_interned_once,
    counts_are_those_of_the_cell,
    what_is_returned_cannot_be_changed,
    only_one_of_two_racing_commits_wins,
)
