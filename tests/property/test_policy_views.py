"""The laws of views: what is mounted is mountable, and delegation only narrows."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from privity.model.audiences import Audience
from privity.model.operations import MUTATIONS, Operation
from privity.model.principals import UnattributedActor
from privity.model.resources import Section
from privity.model.stores import StoreKind, StoreState
from privity.policy.facts import View
from privity.policy.view import mount, mountable, write_target
from tests.policy.samples import AUDIENCES, STORES
from tests.policy.world import World, with_context
from tests.property.bend import with_delegation
from tests.property.counts import LAW, SECONDS
from tests.property.worlds import worlds

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

WORDS = st.frozensets(st.sampled_from(Operation))
REACHES = st.frozensets(st.sampled_from(AUDIENCES))


def view_of(world: World) -> View:
    """Return the view of a world."""
    return world.facts.view


def given_view(world: World, words: frozenset[Operation], reaches: frozenset[Audience]) -> View:
    """Return the view where just these operations and audiences were handed on."""
    return view_of(with_delegation(world, allowed_operations=words, maximum_audiences=reaches))


def met(one: View, other: View) -> dict[str, frozenset[Operation]]:
    """Return what two views have in common."""
    return {s: words & other.mounts[s] for s, words in one.mounts.items() if s in other.mounts}


@pytest.mark.proves("policy:view:intersection")
@LAW
@given(world=worlds())
def test_whatever_is_mounted_or_withheld_is_mountable(world: World) -> None:
    """Looking up only what is mountable misses no store of the view, so nothing foreign is touched."""
    places = set(mountable(world.context))
    view = view_of(world)

    seen = {(s.kind, s.audience) for s in world.stores if s.store_id in {*view.mounts, *view.withheld}}
    assert seen <= places


@pytest.mark.proves("policy:view:intersection")
@LAW
@given(world=worlds())
def test_no_store_is_both_mounted_and_withheld_and_no_unfit_one_is_either(world: World) -> None:
    """Foreign, retired and quarantined stores are in no part of any view."""
    view = view_of(world)

    assert not set(view.mounts) & set(view.withheld)
    for store in world.stores:
        unfit = store.agent_id != world.context.agent_id or store.state is StoreState.RETIRED
        if unfit or store.kind is StoreKind.QUARANTINE:
            assert store.store_id not in {*view.mounts, *view.withheld}


@pytest.mark.proves("policy:view:intersection", "case:API-11")
@LAW
@given(world=worlds(), data=st.data())
def test_a_store_is_mounted_alike_in_whatever_company(world: World, data: st.DataObject) -> None:
    """The view of a part of the stores is that part of the view."""
    some = data.draw(st.permutations(world.stores))[: data.draw(st.integers(0, len(STORES)))]
    part = mount(world.context, some, world.standing, world.now)
    whole = view_of(world)

    names = {store.store_id for store in some}
    assert part.mounts == {k: v for k, v in whole.mounts.items() if k in names}
    assert part.withheld == {k: v for k, v in whole.withheld.items() if k in names}


@pytest.mark.proves("delegation:intersection", "delegation:never-wider", "delegation:every-hop")
@LAW
@given(world=worlds(), one=st.tuples(WORDS, REACHES), other=st.tuples(WORDS, REACHES))
def test_handing_on_twice_is_the_intersection_of_both(
    world: World,
    one: tuple[frozenset[Operation], frozenset[Audience]],
    other: tuple[frozenset[Operation], frozenset[Audience]],
) -> None:
    """Delegations meet member by member, so order, repetition and grouping do not matter."""
    assume(canonical_reach(one[1]) and canonical_reach(other[1]))
    both = given_view(world, one[0] & other[0], one[1] & other[1])

    assert both.mounts == met(given_view(world, *one), given_view(world, *other))
    assert both.mounts == met(given_view(world, *other), given_view(world, *one))
    assert given_view(world, *one).mounts == met(given_view(world, *one), given_view(world, *one))


def canonical_reach(reaches: frozenset[Audience]) -> bool:
    """The audiences name each person under one id only, as the host writes them."""
    return AUDIENCES[1] not in reaches


@pytest.mark.proves("delegation:intersection", "delegation:never-wider")
@LAW
@given(world=worlds(), words=WORDS, reaches=REACHES)
def test_a_delegation_never_widens_a_view(
    world: World, words: frozenset[Operation], reaches: frozenset[Audience]
) -> None:
    """What the same actor would have with everything handed on contains what less gives."""
    full = given_view(world, frozenset(Operation), frozenset(AUDIENCES))
    less = given_view(world, words, reaches)

    assert set(less.mounts) <= set(full.mounts)
    assert all(less.mounts[s] <= full.mounts[s] & words for s in less.mounts)


@pytest.mark.proves("case:POL-07", "delegation:every-hop")
@LAW
@given(world=worlds(), depth=st.integers())
def test_POL_07_a_chain_of_delegations_that_is_too_long_mounts_nothing(world: World, depth: int) -> None:
    """One to eight hand-overs are a chain; anything else, however large, is no view at all."""
    view = view_of(with_delegation(world, depth=depth))

    assert 1 <= depth <= 8 or (not view.mounts and not view.withheld)


@pytest.mark.proves("session:incognito:narrows")
@LAW
@given(world=worlds())
def test_incognito_never_mounts_what_a_normal_session_would_not(world: World) -> None:
    """Incognito only narrows: shared memory at most, to look at."""
    hidden = view_of(with_context(world, visibility="incognito")).mounts
    shared = {s.store_id for s in world.stores if s.kind is StoreKind.AGENT_SHARED}

    assert set(hidden) <= shared
    assert all(words <= {Operation.RETRIEVE, Operation.READ} for words in hidden.values())


@pytest.mark.proves("session:conversation:no-private")
@LAW
@given(world=worlds())
def test_a_conversation_mounts_no_store_of_a_person_or_role_whoever_speaks(world: World) -> None:
    """Neither members nor owners bring their own memory into a room."""
    view = view_of(world)
    assume(type(world.context.session_subject).__name__ == "ConversationSubject")
    private = {s.store_id for s in world.stores if s.kind in (StoreKind.USER, StoreKind.ROLE, StoreKind.AGENT)}

    assert not private & {*view.mounts, *view.withheld}


@pytest.mark.proves("case:WRITE-01", "case:ID-20")
@LAW
@given(world=worlds())
def test_WRITE_01_replace_and_delete_are_for_people_and_rooms_over_their_own(world: World) -> None:
    """No service run replaces or deletes, and nobody unattributed changes anything."""
    view = view_of(world)
    own = {s.store_id for s in world.stores if s.kind in (StoreKind.USER, StoreKind.CONVERSATION)}
    for store_id, words in view.mounts.items():
        assert store_id in own or not words & {Operation.REPLACE, Operation.DELETE}
        assert not isinstance(world.context.actor, UnattributedActor) or not words & MUTATIONS


@pytest.mark.proves("delegation:intersection")
@LAW
@given(world=worlds(), operation=st.sampled_from(Operation), section=st.sampled_from(Section))
def test_a_write_goes_only_where_the_context_could_mount(world: World, operation: Operation, section: Section) -> None:
    """The write target is one of the mountable places, or nowhere."""
    target = write_target(world.context, operation, section)

    assert target is None or target in mountable(world.context)
