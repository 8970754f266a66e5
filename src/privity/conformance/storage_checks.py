"""How a law of storage says that it is broken."""

from collections.abc import Callable

from privity.conformance.storage_scene import Scene
from privity.engine.ports import MovedError


class BrokenLawError(AssertionError):
    """A backend does not keep a law."""


def same(found: object, wanted: object) -> None:
    """Insist that what a backend says is what it must say."""
    if found != wanted:
        raise BrokenLawError(f"found {found!r}, wanted {wanted!r}")


def different(found: object, other: object) -> None:
    """Insist that two things are not one."""
    if found == other:
        raise BrokenLawError(f"found {found!r} twice")


def refuses(scene: Scene, commit: Callable[[], object]) -> None:
    """Insist that a commit raises `MovedError`, and that nothing observable changed with it."""
    before = scene.observed()
    try:
        commit()
    except MovedError:
        same(scene.observed(), before)
    else:
        raise BrokenLawError("a commit went through that had to be refused")
