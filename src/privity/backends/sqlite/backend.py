"""The whole SQLite backend: a vault opened, owned and closed."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import apsw

from privity.backends.sqlite.artifacts import SqliteArtifacts
from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.database import require_safe_sqlite
from privity.backends.sqlite.failures import storage_failures
from privity.backends.sqlite.files import make_directory
from privity.backends.sqlite.flusher import Durability, Flusher, sync_log
from privity.backends.sqlite.index import SqliteIndex
from privity.backends.sqlite.index_file import IndexFiles
from privity.backends.sqlite.keys import SqliteKeys
from privity.backends.sqlite.layout import Layout
from privity.backends.sqlite.lock import VaultLock
from privity.backends.sqlite.modes import require_private
from privity.backends.sqlite.outbox import SqliteOutbox
from privity.backends.sqlite.ownership import Ownership
from privity.backends.sqlite.revisions import SqliteRevisions
from privity.backends.sqlite.runs import SqliteRuns
from privity.backends.sqlite.stores import SqliteStores
from privity.backends.sqlite.tokenizer import Tokenizer
from privity.sdk.ambient import Clock, Entropy

MOST_OPEN: Final = 64
"""Index files open at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteBackend:
    """Implement `privity.engine.ports.Backend` on a vault that this process owns until closed."""

    layout: Layout
    stores: SqliteStores
    revisions: SqliteRevisions
    runs: SqliteRuns
    outbox: SqliteOutbox
    artifacts: SqliteArtifacts
    index: SqliteIndex
    keys: SqliteKeys
    opened: ExitStack
    ownership: Ownership = field(default_factory=Ownership)

    def close(self) -> None:
        """Close every file and let go of the vault, once and in the process that opened it."""
        if self.ownership.end():
            with storage_failures(self.layout.vault):
                self.opened.close()


def open_vault(
    path: Path,
    *,
    clock: Clock,
    entropy: Entropy,
    durability: Durability,
    vfs: str | None = None,
    most_open: int = MOST_OPEN,
) -> SqliteBackend:
    """Open the vault at `path`, made if it is new, and own it.

    Raises:
        HomeInUseError: another process owns it.
        HomeVersionError: a newer privity wrote it.
        StorageFailedError: the disk fails.
        UnavailableError: SQLite is too old, or others may look into the vault.
    """
    require_safe_sqlite(apsw.sqlite_lib_version())
    layout = Layout(vault=path.resolve())
    with storage_failures(layout.vault), ExitStack() as opened:
        for directory in (layout.vault, layout.keys, layout.agents):
            make_directory(directory)
        opened.callback(VaultLock(layout.lock).close)
        require_private(layout.vault)
        flusher = start_flusher(opened) if durability is Durability.GROUPED else None
        cells = Cells(layout, clock=clock, entropy=entropy, vfs=vfs, flusher=flusher)
        opened.callback(cells.close)
        files = IndexFiles(cells, most_open=most_open, vfs=vfs)
        opened.callback(files.close)
        tokenizer = Tokenizer()
        opened.callback(tokenizer.close)
        return SqliteBackend(
            layout=layout,
            stores=SqliteStores(cells=cells),
            revisions=SqliteRevisions(cells=cells),
            runs=SqliteRuns(cells=cells),
            outbox=SqliteOutbox(cells=cells),
            artifacts=SqliteArtifacts(cells=cells, entropy=entropy),
            index=SqliteIndex(files=files, tokenizer=tokenizer),
            keys=SqliteKeys(path=layout.home_key, entropy=entropy),
            opened=opened.pop_all(),
        )


def start_flusher(opened: ExitStack) -> Flusher:
    """Return a running flusher that stops when the vault is closed, after its catalogs."""
    flusher = Flusher(sync_log)
    flusher.start()
    opened.callback(flusher.close)
    return flusher
