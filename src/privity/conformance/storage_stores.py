"""Laws of stores, policies and authority."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from privity.conformance import storage_samples as samples
from privity.conformance.storage_checks import different, refuses, same
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.ports import Backend
from privity.engine.records import RevisionRecord, StoreRecord
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    HostFactsRevision,
    PolicyId,
    StoreId,
)
from privity.model.stores import StoreKind


def opening_a_cell_again_changes_nothing(backend: Backend) -> None:
    """Opening is idempotent."""
    scene = open_scene(backend)
    scene.add_store("ada")
    authority = backend.stores.authority(scene.agent_id)
    before = scene.observed()
    same(backend.stores.open_cell(scene.agent_id), authority)
    same(scene.observed(), before)


def a_cell_that_is_not_there_reads_as_a_new_one(backend: Backend) -> None:
    """Reading makes no difference between an agent never seen and one with nothing."""
    unseen = Scene(backend=backend, agent_id=AgentId("agt_unseen"))
    same(unseen.observed(), open_scene(backend, "agt_new").observed())
    same(backend.stores.open_cell(AgentId("agt_unseen")), backend.stores.authority(AgentId("agt_new")))


def each_cell_has_its_own_authority(backend: Backend) -> None:
    """What happens in one cell moves no other."""
    one, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    before = other.observed()
    one.add_store("ada")
    backend.stores.advance_host_facts(one.agent_id, HostFactsRevision(4))
    one.activate(samples.revision(one.stores()[0], "1"))
    same(other.observed(), before)


def the_host_facts_epoch_never_goes_back(backend: Backend) -> None:
    """A lower epoch, or the same one, changes nothing."""
    scene = open_scene(backend)
    for told, kept in ((3, 3), (2, 3), (3, 3), (7, 7)):
        before = backend.stores.authority(scene.agent_id).host_facts_revision
        same(backend.stores.advance_host_facts(scene.agent_id, HostFactsRevision(told)), before)
        same(backend.stores.authority(scene.agent_id).host_facts_revision, kept)


def an_epoch_told_before_the_cell_opens_is_kept(backend: Backend) -> None:
    """A revocation may come before the first run."""
    agent_id = AgentId("agt_early")
    backend.stores.advance_host_facts(agent_id, HostFactsRevision(9))
    same(backend.stores.open_cell(agent_id).host_facts_revision, 9)


def stores_come_in_the_order_wanted(backend: Backend) -> None:
    """Those that are missing are left out, and nothing else is returned."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    wanted = [(StoreKind.USER, samples.person(name)) for name in ("bo", "nobody", "ada")]
    same(backend.stores.find_stores(scene.agent_id, wanted), (bo, ada))
    same(backend.stores.find_stores(scene.agent_id, [(StoreKind.ROLE, samples.person("ada"))]), ())
    same(backend.stores.find_stores(scene.agent_id, []), ())


def a_store_comes_back_exactly(backend: Backend) -> None:
    """Every field survives, times to the microsecond."""
    scene = open_scene(backend)
    path_key = backend.artifacts.make_root(scene.agent_id)
    added = samples.store(scene.agent_id, "ada", path_key=path_key)
    same(backend.stores.add_store(added, samples.policy("ada")), added)
    same(scene.stores(), (added,))
    same(
        dict(backend.stores.load_policies(scene.agent_id, [added.policy_id])),
        {added.policy_id: samples.policy("ada")},
    )


def the_first_store_of_a_kind_and_audience_stays(backend: Backend) -> None:
    """Adding a second one returns the first and changes nothing, its policy included."""
    scene = open_scene(backend)
    first = scene.add_store("ada")
    before = scene.observed()
    second = replace(first, facts=replace(first.facts, store_id=StoreId("sto_second")), policy_id=PolicyId("pol_bo"))
    same(backend.stores.add_store(second, samples.policy("bo")), first)
    same(scene.observed(), before)


def a_new_store_leaves_the_authority_where_it_is(backend: Backend) -> None:
    """Somebody's first memory makes nobody else's plan stale."""
    scene = open_scene(backend)
    before = backend.stores.authority(scene.agent_id)
    scene.add_store("ada")
    same(backend.stores.authority(scene.agent_id), before)


def a_taken_id_adds_nothing(backend: Backend) -> None:
    """A store id and a policy id name one thing for ever."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    path_key = backend.artifacts.make_root(scene.agent_id)
    bo = samples.store(scene.agent_id, "bo", path_key=path_key)
    twin = replace(bo, facts=replace(bo.facts, store_id=ada.facts.store_id))
    refuses(scene, partial(backend.stores.add_store, twin, samples.policy("bo")))
    same_policy = replace(bo, policy_id=ada.policy_id)
    refuses(scene, partial(backend.stores.add_store, same_policy, samples.policy("ada")))


def stores_and_policies_of_another_cell_are_absent(backend: Backend) -> None:
    """An id of another cell is an id of nothing."""
    one, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    one.add_store("ada")
    same(other.stores(), ())
    same(dict(backend.stores.load_policies(other.agent_id, [PolicyId("pol_ada")])), {})
    refuses(other, partial(backend.stores.amend, other.amendment(samples.policy("ada", revision=2))))


def names_that_differ_only_in_case_are_different(backend: Backend) -> None:
    """POL-13: agents, audiences, stores and policies of such names are never one."""
    scene, shouted = open_scene(backend, "agt_one"), open_scene(backend, "AGT_ONE")
    small, large = scene.add_store("ada"), scene.add_store("Ada")
    different(small.facts.store_id, large.facts.store_id)
    same(scene.stores(), (small, large))
    same(shouted.stores(), ())
    wanted = [PolicyId("pol_ada"), PolicyId("pol_Ada"), PolicyId("POL_ADA")]
    same(list(backend.stores.load_policies(scene.agent_id, wanted)), wanted[:2])


def a_policy_changes_by_its_next_revision_only(backend: Backend) -> None:
    """The one in force, one further on, an unknown one's second and a moved authority are refused."""
    scene = open_scene(backend)
    scene.add_store("ada")
    for wrong in (samples.policy("ada"), samples.policy("ada", revision=3), samples.policy("bo", revision=2)):
        refuses(scene, partial(backend.stores.amend, scene.amendment(wrong)))
    scene.add_store("bo")
    stale = scene.amendment(samples.policy("ada", revision=2))
    backend.stores.amend(scene.amendment(samples.policy("bo", revision=2)))
    refuses(scene, partial(backend.stores.amend, stale))


def a_policy_without_a_store_begins_with_its_first_revision(backend: Backend) -> None:
    """An amendment may add a policy, and the next one changes it."""
    scene = open_scene(backend)
    for revision in (1, 2):
        policy = samples.policy("cy", revision=revision)
        same(backend.stores.amend(scene.amendment(policy)), revision)
        same(dict(backend.stores.load_policies(scene.agent_id, [policy.policy_id])), {policy.policy_id: policy})


def an_amendment_takes_effect_whole(backend: Backend) -> None:
    """The policy, the authority and the audit record move together."""
    scene = open_scene(backend)
    scene.add_store("ada")
    before = backend.stores.authority(scene.agent_id)
    changed = samples.policy("ada", revision=2)
    revision = backend.stores.amend(scene.amendment(changed))
    after = replace(before, authority_revision=AuthorityRevision(before.authority_revision + 1))
    same(backend.stores.authority(scene.agent_id), after)
    same(revision, after.authority_revision)
    same(dict(backend.stores.load_policies(scene.agent_id, [changed.policy_id])), {changed.policy_id: changed})
    same(len(backend.outbox.pull(scene.agent_id, 0, 10)), 1)


def an_amendment_changes_what_inherited_the_policy_and_nothing_else(backend: Backend) -> None:
    """Rows that require it get new change numbers, in their order and in every store."""
    scene = open_scene(backend)
    ada, bo = scene.add_store("ada"), scene.add_store("bo")
    heirs = [inherit(scene, place, name) for place, name in ((ada, "1"), (bo, "2"), (ada, "4"))]
    others = [scene.activate(samples.revision(place, name)) for place, name in ((ada, "3"), (bo, "5"))]
    backend.stores.amend(scene.amendment(samples.policy("bo", revision=2)))
    loaded = backend.revisions.load_revisions(scene.agent_id, [row.revision_id for row in (*heirs, *others)])
    same([loaded[row.revision_id].change for row in others], [row.change for row in others])
    same([loaded[row.revision_id].change for row in heirs], [4, 3, 5])
    same([replace(loaded[row.revision_id], change=row.change) for row in heirs], heirs)


def inherit(scene: Scene, place: StoreRecord, name: str) -> RevisionRecord:
    """Activate a revision that inherited the policy of `bo`."""
    return scene.activate(replace(samples.revision(place, name), requirements=(samples.requirement("bo"),)))


def a_moved_host_fact_refuses_every_commit(backend: Backend) -> None:
    """Whatever was prepared before a revocation is refused after it."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    row = scene.activate(samples.revision(ada, "1"))
    run = scene.begin(scene.run("run_1"))
    prepared: tuple[Callable[[], object], ...] = (
        partial(backend.stores.amend, scene.amendment(samples.policy("ada", revision=2))),
        partial(backend.revisions.activate, scene.activation(samples.revision(ada, "2"))),
        partial(backend.revisions.tombstone, scene.burial(row)),
        partial(backend.runs.begin_run, scene.beginning(scene.run("run_2"), event=samples.event("1"))),
        partial(backend.runs.expose, scene.exposure(run, row)),
        partial(backend.runs.append_event, scene.utterance("2")),
    )
    backend.stores.advance_host_facts(scene.agent_id, HostFactsRevision(1))
    for commit in prepared:
        refuses(scene, commit)


LAWS: Final = (
    opening_a_cell_again_changes_nothing,
    a_cell_that_is_not_there_reads_as_a_new_one,
    each_cell_has_its_own_authority,
    the_host_facts_epoch_never_goes_back,
    an_epoch_told_before_the_cell_opens_is_kept,
    stores_come_in_the_order_wanted,
    a_store_comes_back_exactly,
    the_first_store_of_a_kind_and_audience_stays,
    a_new_store_leaves_the_authority_where_it_is,
    a_taken_id_adds_nothing,
    stores_and_policies_of_another_cell_are_absent,
    names_that_differ_only_in_case_are_different,
    a_policy_changes_by_its_next_revision_only,
    a_policy_without_a_store_begins_with_its_first_revision,
    an_amendment_takes_effect_whole,
    an_amendment_changes_what_inherited_the_policy_and_nothing_else,
    a_moved_host_fact_refuses_every_commit,
)
