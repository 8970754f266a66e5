"""The demo on two screens."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from privity import wiring
from privity.cli.demo.layout import hanging
from privity.cli.demo.leak import leak, leak_fields, leak_lines
from privity.cli.demo.story import QUESTION, load_story
from privity.cli.demo.views import AGENT, Scene, View
from privity.cli.output import Answer
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.records import AuditEntry, HostAuditRecord
from privity.migrate.conversation import Conversation
from privity.model.audit import AuditRecord
from privity.ops.explain import STEPS
from privity.ops.isolation import claim_line
from privity.ops.trail import entry_fields, following, latest

INTRODUCTION: Final = (
    "privity demo: three people, one agent, one room. Two of the people are called Sam.",
    "",
    "Robin is an agent in the chat of a small team. {turns} messages have reached it: Sam of design",
    "and Sam of engineering each wrote to it in private, and all three talk in #launch.",
    "",
)
NEXT: Final = ("Next: `privity init`, `privity agent add robin`, `privity --help`.",)


def demonstrate() -> Answer:
    """Play the story twice, into a shared notebook and into privity, and show what becomes of it."""
    story = load_story()
    told = leak(story)
    with fresh_host() as (host, home):
        scene = Scene(host, host.add_agent(AGENT), story, home)
        (last,) = latest(host, 1)
        views = scene.views()
        trail = following(host, last.sequence, 100)
    return Answer(
        fields={
            "question": QUESTION,
            "shared_notebook": leak_fields(told),
            "views": [view_fields(view, trail) for view in views],
            "audit": [entry_fields(entry) for entry in trail],
        },
        lines=(
            *introduction(story),
            *leak_lines(story, told),
            "",
            "2  THE SAME MESSAGES THROUGH PRIVITY: the same question in three places",
            *(line for view in views for line in view_lines(view, trail)),
            "",
            *trail_lines(trail),
            "",
            *hanging("", claim_line().replace("*", "")),
            *NEXT,
        ),
    )


@contextmanager
def fresh_host() -> Generator[tuple[Host, Path]]:
    """Open a home that is gone afterwards."""
    with TemporaryDirectory(prefix="privity-demo-") as folder:
        home = Path(folder) / "home"
        wiring.init_home(home, Mode.EVALUATION)
        with wiring.open(home, environ={}) as host:
            yield host, home


def introduction(story: Conversation) -> tuple[str, ...]:
    """Return who is who."""
    return tuple(line.format(turns=len(story.turns)) for line in INTRODUCTION)


def view_lines(view: View, trail: tuple[AuditEntry, ...]) -> tuple[str, ...]:
    """Return one view for a person."""
    return (
        "",
        f"   {view.title}: {QUESTION}",
        *(line for answer in view.answers for line in hanging("     ✓ answer      ", answer)),
        *hanging("       could reach ", f"{reached(view, trail)}: {view.reach}"),
        *hanging("     ✗ attempt     ", view.attempt.tried),
        *hanging("       outcome     ", view.attempt.got),
        *hanging("       why         ", view.attempt.why),
    )


def reached(view: View, trail: tuple[AuditEntry, ...]) -> str:
    """Return the kinds of store that an answer was looked for in, as the audit has it."""
    records = (entry.record for entry in trail if isinstance(entry.record, AuditRecord))
    kinds = {kind for record in records if record.run_id == view.run_id for kind in record.store_kinds}
    return " and ".join(f"1 {kind} store" for kind in sorted(kinds))


def view_fields(view: View, trail: tuple[AuditEntry, ...]) -> dict[str, object]:
    """Return one view for a program."""
    return {
        "view": view.title,
        "could_reach": reached(view, trail),
        "because": view.reach,
        "answers": list(view.answers),
        "attempt": {"tried": view.attempt.tried, "outcome": view.attempt.got, "why": view.attempt.why},
    }


def trail_lines(trail: tuple[AuditEntry, ...]) -> tuple[str, ...]:
    """Return what the audit says of it for a person."""
    return (
        "3  WHAT THE AUDIT SAYS OF IT: what was shown or denied, and why, and no word of the content",
        "",
        *(line for entry in sorted(trail, key=lambda entry: entry.record.at) if (line := trail_line(entry))),
    )


def trail_line(entry: AuditEntry) -> str:
    """Return one row for a person; what only begins a turn is left out."""
    record = entry.record
    if isinstance(record, HostAuditRecord):
        return f"   {record.act:<15} {record.reason}" if record.reason else ""
    if record.reason is not None:
        return f"   {'denied':<15} {record.reason}, at step {record.step}: {STEPS[record.step]}"
    if record.search_tier is None:
        return ""
    notes = "1 note" if record.result_count == 1 else f"{record.result_count} notes"
    return f"   {'shown':<15} {notes}, from 1 {record.store_kinds[0]} store"
