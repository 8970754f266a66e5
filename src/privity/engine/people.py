"""People by the handles that the engine issued in this session, never by a name."""

from collections.abc import Iterator, Sequence

from privity.engine.parts import Parts
from privity.model.context import AccessContext
from privity.model.ids import PrincipalId, SubjectHandle
from privity.model.principals import PrincipalActor
from privity.sdk.errors import InputError


def issue_people(parts: Parts, context: AccessContext) -> tuple[SubjectHandle, ...]:
    """Return handles for the actor, if it is a principal, and for those the host saw mentioned."""
    actor = context.actor
    speaking = (actor.principal_id,) if isinstance(actor, PrincipalActor) else ()
    people = dict.fromkeys((*speaking, *context.mentioned_ids))
    return tuple(parts.handles.subject(context, person) for person in people)


def open_people(parts: Parts, context: AccessContext, about: Sequence[SubjectHandle]) -> Iterator[PrincipalId]:
    """Yield the principals behind subject handles of this session.

    Raises:
        InputError: one of them was not issued in this session.
    """
    for handle in about:
        principal_id = parts.handles.open_subject(context, handle)
        if principal_id is None:
            raise InputError(
                "not a subject handle of this session",
                where="about",
                remedy="use the handles that the run issues",
            )
        yield principal_id
