"""The command line: it parses, calls and renders, and holds no rules."""

from privity.cli.entry import main

__all__ = ["main"]
