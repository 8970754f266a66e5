"""Whose an open home is: the process that opened it, until it closes it."""

import os

from privity.sdk.errors import HomeClosedError, HomeInUseError


class Ownership:
    """The process that opened something, and whether it still has it."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._is_open = True

    @property
    def is_mine(self) -> bool:
        """Nothing forked this process off since: a child shares what it must never use."""
        return os.getpid() == self._process

    def require(self) -> None:
        """Let only its owner use what is open.

        Raises:
            HomeInUseError: this is a child of the process that owns the home.
            HomeClosedError: it was closed.
        """
        if not self.is_mine:
            raise HomeInUseError(
                "this process was forked from the one that owns the home",
                remedy="open a home after forking, in one process",
            )
        if not self._is_open:
            raise HomeClosedError("the home was closed", remedy="open it again with `privity.open`")

    def end(self) -> bool:
        """Give it up; say whether there is anything to be closed by this process."""
        was_open, self._is_open = self._is_open, False
        return was_open and self.is_mine
