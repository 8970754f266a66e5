"""A step: one named change of a world."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from privity.model.audiences import Audience
from privity.model.policies import Rule
from privity.model.principals import PrincipalActor, VerifiedPrincipal
from privity.model.stores import StoreFacts
from tests.policy.world import World


@dataclass(frozen=True, slots=True)
class Step:
    """A change with a name, so that a failing example says what was bent."""

    name: str
    apply: Callable[[World], World] = field(repr=False)


def bending(apply: Callable[..., World], **fields: object) -> Step:
    """Return the step that sets fields."""
    said = " ".join(f"{name}={brief(value)}" for name, value in fields.items())
    return Step(f"{apply.__name__} {said}", partial(apply, **fields))


def each(apply: Callable[..., World], *values: object) -> tuple[Step, ...]:
    """Return a step for each value."""
    return tuple(given(apply, value) for value in values)


def given(apply: Callable[..., World], *values: object) -> Step:
    """Return the step that is given these values."""
    return Step(" ".join((apply.__name__, *map(brief, values))), lambda here: apply(here, *values))


def brief(value: object) -> str:
    """Say a value in few words."""
    match value:
        case Audience():
            return f"{value.kind}:{value.id}"
        case Rule():
            return f"{value.effect}-{value.capability}-{value.grantee_id}"
        case VerifiedPrincipal():
            return "+".join((value.principal_id, *value.merged_ids))
        case PrincipalActor():
            return value.principal_id
        case StoreFacts():
            return value.store_id
        case frozenset():
            return "{" + ",".join(sorted(brief(member) for member in value)) + "}"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return str(value)
