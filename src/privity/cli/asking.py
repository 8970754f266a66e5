"""Asking a person before something is done that cannot be undone."""

import sys

import typer

from privity.cli.output import Style
from privity.sdk.errors import InputError


def confirmed(style: Style, question: str, *, yes: bool) -> bool:
    """Return whether the person agrees; `--yes` agrees beforehand.

    Raises:
        InputError: nobody is there to be asked.
    """
    if yes:
        return True
    if style.as_json or not sys.stdin.isatty():
        raise InputError("nobody is there to confirm it", where="stdin", remedy="look at it, then repeat with --yes")
    return typer.confirm(question, err=True)
