"""The audit, and why a decision came out as it did."""
# ruff: noqa: PLC0415 - what a command needs is imported when it runs, so that `--help` is quick

from typing import Annotated

import typer

from privity.cli.arguments import HomeOption, JsonOption, QuietOption
from privity.cli.output import Style, respond


def audit(
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most so many rows, 1 to 1000.")] = 20,
    after: Annotated[int | None, typer.Option("--after", help="Rows after this one, oldest first.")] = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show who did what, newest first: no content. Looking is recorded as well."""
    from privity.cli.work import homes, trail

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: trail.audit(place, limit, after))


def explain(
    decision: Annotated[str, typer.Argument(help="The id of a decision, from the audit.")],
    home: HomeOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Explain one decision: its step, its rules and revisions, never what it was about."""
    from privity.cli.work import homes, trail

    place = homes.Place(home=home, agent=None, session=None)
    respond(Style(as_json=as_json, quiet=quiet), lambda: trail.explain(place, decision))
