"""Views as somebody might get them wrong."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from privity.model.audiences import AudienceKind
from privity.model.context import Visibility
from privity.model.ids import StoreId
from privity.model.operations import Operation
from privity.model.stores import StoreKind, StoreState
from privity.policy.facts import Facts, View
from tests.policy.world import World

FaultyView = Callable[[World], View]


def remount(world: World, *kinds: StoreKind) -> View:
    """Return the view with every store of some kinds mounted for its usual use."""
    words = frozenset({Operation.RETRIEVE, Operation.READ, Operation.DERIVE})
    extra: dict[StoreId, frozenset[Operation]] = {
        s.store_id: words for s in world.stores if s.kind in kinds and s.state is StoreState.ACTIVE
    }
    view = world.facts.view
    return View(mounts={**extra, **view.mounts}, withheld={})


def roles_for_everyone(world: World) -> View:
    """Role stores are mounted without asking for membership."""
    return remount(world, StoreKind.ROLE)


def private_stores_follow_the_speaker(world: World) -> View:
    """A person's store is mounted wherever somebody speaks."""
    return remount(world, StoreKind.USER)


def rooms_stay_open(world: World) -> View:
    """Who has left a room still reads it."""
    return remount(world, StoreKind.CONVERSATION)


def quarantine_is_a_store(world: World) -> View:
    """What waits for review is mounted like anything else."""
    return remount(world, StoreKind.QUARANTINE)


def services_own_their_store(world: World) -> View:
    """Whoever has a store may do everything to it."""
    view = world.facts.view
    agents = {s.store_id for s in world.stores if s.audience.kind is AudienceKind.AGENT}
    return View(
        mounts={k: frozenset(Operation) if k in agents else words for k, words in view.mounts.items()},
        withheld=view.withheld,
    )


def nothing_is_withheld(world: World) -> View:
    """What should be withheld is merely not mentioned, and mounted."""
    words = frozenset({Operation.RETRIEVE, Operation.READ, Operation.DERIVE})
    view = world.facts.view
    return View(mounts={**dict.fromkeys(view.withheld, words), **view.mounts}, withheld={})


def incognito_is_a_label(world: World) -> View:
    """An incognito session mounts what a normal one would."""
    normal = replace(world, context=replace(world.context, visibility=Visibility.NORMAL))
    return normal.facts.view


FAULTY_VIEWS: Final[dict[str, FaultyView]] = {
    fault.__name__: fault
    for fault in (
        roles_for_everyone,
        private_stores_follow_the_speaker,
        rooms_stay_open,
        quarantine_is_a_store,
        services_own_their_store,
        nothing_is_withheld,
        incognito_is_a_label,
    )
}


def seen_by(fault: FaultyView, world: World) -> Facts:
    """Return the facts of a world as a faulty view has them."""
    return replace(world.facts, view=fault(world))
