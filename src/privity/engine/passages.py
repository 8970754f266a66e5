"""From permitted rows to passages: text with its provenance, and nothing about its store's key."""

from collections.abc import Mapping, Sequence
from typing import Final

from privity.engine.parts import Parts
from privity.engine.postfilter import Permitted
from privity.model.context import AccessContext
from privity.model.ids import PrincipalId, SubjectHandle
from privity.model.passages import Passage
from privity.model.resources import ResourceSubject, Section, SubjectKind
from privity.model.stores import StoreKind
from privity.sdk.errors import InputError
from privity.sdk.plugin import LineRange

ROOTS: Final[Mapping[StoreKind, str]] = {
    StoreKind.USER: "me",
    StoreKind.CONVERSATION: "conversation",
    StoreKind.ROLE: "role",
    StoreKind.AGENT_SHARED: "agent-shared",
    StoreKind.AGENT: "agent",
    StoreKind.PROJECTION: "projections",
    StoreKind.QUARANTINE: "quarantine",
}
FOLDERS: Final[Mapping[Section, str]] = {Section.NOTE: "notes", Section.CARD: "card"}


def passage_of(parts: Parts, context: AccessContext, permitted: Permitted, lines: LineRange | None = None) -> Passage:
    """Return what may be shown of a permitted row, the given lines of it or all."""
    revision = permitted.revision
    text = permitted.content.decode("utf-8")
    total = len(text.splitlines())
    shown, first, last = cut(text, lines)
    return Passage(
        handle=parts.handles.resource(context, revision),
        path=virtual_path(permitted),
        text=shown,
        lines=(first, last),
        total_lines=total,
        score=permitted.score,
        trust=revision.origin.trust,
        about=tuple(about(parts, context, subject) for subject in people(revision.about)),
        recorded_at=revision.lifetime.recorded_at,
    )


def require_lines(permitted: Permitted, lines: LineRange | None) -> None:
    """Refuse a range that begins behind the last line.

    Raises:
        InputError: it does.
    """
    total = len(permitted.content.decode("utf-8").splitlines())
    if lines is not None and lines.first > total:
        raise InputError(
            f"begins at line {lines.first}, and there are {total}",
            where="lines",
            remedy=f"ask for lines from 1 to {total}",
        )


def cut(text: str, lines: LineRange | None) -> tuple[str, int, int]:
    """Return the asked-for lines of `text` with the 1-based range they are; all of it by default."""
    rows = text.splitlines()
    if lines is None:
        return text, 1, max(len(rows), 1)
    last = len(rows) if lines.last is None else min(lines.last, len(rows))
    return "\n".join(rows[lines.first - 1 : last]), lines.first, last


def virtual_path(permitted: Permitted) -> str:
    """Return a path inside the view, for people to tell passages apart. It opens nothing."""
    root = ROOTS[permitted.store.facts.kind]
    folder = FOLDERS[permitted.revision.section]
    recorded = permitted.revision.lifetime.recorded_at
    return f"{root}/{folder}/{recorded:%Y-%m-%d}-{permitted.revision.resource_id[-6:]}.md"


def people(subjects: tuple[ResourceSubject, ...]) -> tuple[PrincipalId, ...]:
    """Return the people among the resource subjects."""
    return tuple(PrincipalId(s.id) for s in subjects if s.kind is SubjectKind.PERSON)


def about(parts: Parts, context: AccessContext, principal_id: PrincipalId) -> SubjectHandle:
    """Return the handle of a person in this session."""
    return parts.handles.subject(context, principal_id)


def passages(parts: Parts, context: AccessContext, rows: Sequence[Permitted]) -> tuple[Passage, ...]:
    """Return the passages of permitted rows, in order."""
    return tuple(passage_of(parts, context, row) for row in rows)
