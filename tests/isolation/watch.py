"""A watch over everything a search touches: the files opened, the statements and their VM steps."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import get_ident
from typing import Any, Final, Protocol

import apsw
from typing_extensions import override

WATCHED: Final = "privity-watched"
ACTIVE: Final[list["Watch"]] = []
LOOKS: Final = frozenset({"open", "os.listdir", "os.scandir"})


@dataclass(kw_only=True)
class Watch:
    """What was touched, in order. Statements that FTS runs inside itself are left out."""

    root: Path
    thread: int = field(default_factory=get_ident)
    files: list[str] = field(default_factory=list[str])
    statements: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def opened(self, name: str) -> None:
        """Note a file that is opened, by its place in the home."""
        self.files.append(name.replace(str(self.root.resolve()), "").replace(str(self.root), ""))

    def ran(self, event: dict[str, Any]) -> None:
        """Note a statement that came to its end."""
        sql = str(event["sql"])
        if "'main'." not in sql:
            self.statements.append((sql, int(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])))

    def start_anew(self) -> None:
        """Forget what was noted so far."""
        self.files.clear()
        self.statements.clear()

    @property
    def steps(self) -> int:
        """The VM steps of all statements."""
        return sum(steps for _, steps in self.statements)


class WatchedFiles(apsw.VFS):
    """SQLite's own files, noted when they are opened."""

    def __init__(self) -> None:
        super().__init__(WATCHED, "")

    @override
    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        plain = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        for watch in ACTIVE:
            watch.opened(plain)
        return super().xOpen(name, flags)


def listen(event: str, args: tuple[object, ...]) -> None:
    """Note the files that Python opens and the directories that it lists, on the watched thread."""
    if event in LOOKS:
        for watch in ACTIVE:
            if watch.thread == get_ident():
                watch.opened(f"{event} {args[0]}")


class Traced(Protocol):
    """What the watch asks of `apsw.Connection`."""

    def trace_v2(self, mask: int, callback: Callable[[dict[str, Any]], None] | None) -> None:
        """Call `callback` for each event of `mask`."""
        ...


def follow(connection: Traced) -> None:
    """Note what a connection runs."""

    def note(event: dict[str, Any]) -> None:
        for watch in ACTIVE:
            watch.ran(event)

    connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)


FILES: Final = WatchedFiles()
sys.addaudithook(listen)  # it stays for the life of the process, and is idle without a watch


@contextmanager
def watching(root: Path) -> Generator[Watch]:
    """Watch what happens to the home at `root`, from its opening on."""
    watch = Watch(root=root)
    apsw.connection_hooks.append(follow)
    ACTIVE.append(watch)
    try:
        yield watch
    finally:
        ACTIVE.remove(watch)
        apsw.connection_hooks.remove(follow)
