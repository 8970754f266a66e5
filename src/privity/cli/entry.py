"""The edge of the process: arguments in, exit code out, one shape for every refusal."""

import sys
from typing import TextIO

import typer

from privity.cli.app import app
from privity.cli.arguments import refuse_undecodable
from privity.cli.exits import ExitCode
from privity.cli.output import Style, show_error
from privity.sdk.errors import InputError


def main() -> None:
    """Run the command line and end the process."""
    for stream in (sys.stdout, sys.stderr):
        speak_unicode(stream)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    style = Style(as_json="--json" in arguments, quiet=False)
    try:
        refuse_undecodable(arguments)
        return int(app(args=arguments, prog_name="privity", standalone_mode=False) or ExitCode.OK)
    except InputError as error:
        show_error(style, InputError.__name__, str(error))
    except typer.TyperException as error:
        show_error(style, "UsageError", f"{error.format_message()} `--help` shows what fits.")
    except typer.Abort:
        return ExitCode.INTERRUPTED
    return ExitCode.USAGE


def speak_unicode(stream: TextIO) -> None:
    """Make a stream take any text, whatever the locale says."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")
