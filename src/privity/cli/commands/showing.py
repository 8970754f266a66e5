"""The demo."""
# ruff: noqa: PLC0415 - what a command needs is imported when it runs, so that `--help` is quick

from privity.cli.arguments import JsonOption, QuietOption
from privity.cli.output import Style, respond


def demo(as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """Show a shared memory leak, and privity not."""
    from privity.cli.demo import show

    respond(Style(as_json=as_json, quiet=quiet), show.demonstrate)
