"""Commands that reach content. Each is one turn of the session at the keyboard."""

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from privity.cli.asking import confirmed
from privity.cli.output import Answer, Style, note, passage_fields, quoted, visible
from privity.cli.work.homes import Place, agent_of, open_host, session_of, turn
from privity.host.inputs import parse_limit, parse_query, parse_text
from privity.host.run import parse_lines
from privity.model.ids import ResourceHandle
from privity.model.resources import Anonymity
from privity.ops.people import load_bearer
from privity.sdk.errors import InputError
from privity.sdk.plugin import LineRange

RANGE: Final = re.compile(r"([0-9]{1,9})(?:(:)([0-9]{1,9})?)?")


def search(place: Place, query: str, limit: int) -> Answer:
    """Return the best passages for a query."""
    asked, most = parse_query(query), parse_limit(limit)
    with turn(place) as run:
        passages = run.search(asked, limit=most)
    lines = quoted(passages) or ("nothing found",)
    return Answer(fields={"passages": [passage_fields(one) for one in passages]}, lines=lines)


def read(place: Place, handle: str, lines: LineRange | None) -> Answer:
    """Return one passage by its handle."""
    name = parse_handle(handle)
    with turn(place) as run:
        passage = run.read(name, lines)
    return Answer(fields={"passage": passage_fields(passage)}, lines=quoted((passage,)))


def remember(place: Place, text: str, lifetime: timedelta | None) -> Answer:
    """Add a note to the session's own store."""
    said = parse_text(text, where="text")
    with turn(place) as run:
        remembered = run.remember(said, lifetime=lifetime)
    derived = " It inherits what this session was shown before." if remembered.derived else ""
    return Answer(
        fields={"handle": remembered.handle, "derived": remembered.derived},
        lines=(f"remembered {remembered.handle}{derived}",),
    )


def forget(place: Place, handle: str, style: Style, *, yes: bool) -> Answer:
    """Tombstone one note and whatever was derived from it, after a look at what that is."""
    name = parse_handle(handle)
    if not (yes or agreed(place, name, style)):
        return declined()
    with turn(place) as run:
        forgotten = run.forget(name)
    return Answer(
        fields={"handle": forgotten.handle, "descendants": list(forgotten.descendants)},
        lines=(f"forgotten {forgotten.handle}", *derived_lines(forgotten.descendants)),
    )


def agreed(place: Place, name: ResourceHandle, style: Style) -> bool:
    """Show what would go and return whether the person agrees. Nothing is held open while they think."""
    for line in preview_forget(place, name).lines:
        note(style, line)
    return confirmed(style, "Forget it, and whatever was derived from it?", yes=False)


def preview_forget(place: Place, handle: str) -> Answer:
    """Return what forgetting a note would take with it, as far as this session may read it."""
    name = parse_handle(handle)
    with turn(place) as run:
        preview = run.preview_forget(name)
    return Answer(
        fields={"handle": preview.handle, "descendants": list(preview.descendants)},
        lines=(f"this would forget {preview.handle}", *derived_lines(preview.descendants)),
    )


def derived_lines(descendants: Sequence[ResourceHandle]) -> tuple[str, ...]:
    """Return lines that name what goes with a note, as far as this session may read it."""
    if not descendants:
        return ("with it: nothing that this session may read",)
    return (f"with it: {len(descendants)} derived from it", *(f"  {handle}" for handle in descendants))


def publish(place: Place, text: str, anonymity: Anonymity, style: Style, *, yes: bool) -> Answer:
    """Add text to what the whole agent may show, after a look at exactly what and to whom."""
    said, session = parse_text(text, where="text"), session_of(place)
    with open_host(place) as host:
        agent = agent_of(host, place.agent if session is None else session.agent)
        note(style, f"everybody whom `{agent.name}` talks to will be able to see this:")
        note(style, "\n".join(f"│ {visible(line)}" for line in said.split("\n")))
        if anonymity is Anonymity.ANONYMOUS_SAFE:
            note(style, "also where nobody in particular is known.")
        if not confirmed(style, "Publish it?", yes=yes):
            return declined()
        administrator = host.operator()
        person = None if session is None else load_bearer(administrator.identities, session)
        publisher = administrator if person is None else host.operator(person)
        published = publisher.publish(agent, said, anonymity)
    return Answer(fields={"handle": published.handle}, lines=("published",))


def declined() -> Answer:
    """Return the answer of a command that was called off."""
    return Answer(fields={"done": False}, lines=("nothing was changed",))


def card(place: Place) -> Answer:
    """Return the front card of the session."""
    with turn(place) as run:
        entries = run.bootstrap().entries
    lines = quoted(entries) or ("the card is empty",)
    return Answer(fields={"entries": [passage_fields(one) for one in entries]}, lines=lines)


def add_to_card(place: Place, text: str) -> Answer:
    """Add an entry to the front card of the session."""
    said = parse_text(text, where="text")
    with turn(place) as run:
        remembered = run.remember_card(said)
    return Answer(fields={"handle": remembered.handle}, lines=(f"added {remembered.handle}",))


def parse_handle(handle: str) -> ResourceHandle:
    """Return a handle as it was printed; whether it names anything is for the memory to say."""
    return ResourceHandle(parse_text(handle, where="handle"))


def parse_range(text: str | None) -> LineRange | None:
    """Return the range that `3` or `3:8` or `3:` means.

    Raises:
        InputError: it is no range.
    """
    if text is None:
        return None
    found = RANGE.fullmatch(text)
    if found is None:
        raise InputError(f"`{text[:20]}` is no range", where="--lines", remedy="write it like 3, 3:8 or 3:")
    first, colon, last = found.groups()
    return parse_lines(LineRange(first=int(first), last=int(last) if last else (None if colon else int(first))))
