"""Progress of long work: on a terminal, on stderr, and nowhere else."""

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from privity.cli.output import Style


@contextmanager
def shown_progress(style: Style, what: str, total: int) -> Generator[Callable[[object], None]]:
    """Show how far something of `total` parts is; what is yielded is told of each part."""
    if style.quiet or style.as_json or os.environ.get("CI") or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - only who watches waits for it
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415

    console = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda _: progress.advance(task)
