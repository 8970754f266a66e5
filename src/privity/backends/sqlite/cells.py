"""Which directory is an agent's, and its catalog, opened when first asked for."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final

from privity.backends.sqlite import queries, schema
from privity.backends.sqlite.codec import to_micros
from privity.backends.sqlite.database import Database, Kind, Sync, make_database, open_database, open_scratch
from privity.backends.sqlite.failures import DAMAGED, storage_failures
from privity.backends.sqlite.files import make_directory, make_unique_directory
from privity.backends.sqlite.flusher import Flusher
from privity.backends.sqlite.layout import SCOPES, Layout
from privity.backends.sqlite.pool import Pool
from privity.model.ids import AgentId
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import StorageFailedError

CELLS: Final = Kind(schema=schema.CELLS, version=schema.CELLS_VERSION, sync=Sync.EACH)
AGENT: Final = Kind(schema=schema.AGENT, version=schema.AGENT_VERSION, sync=Sync.EACH)
MOST_OPEN: Final = 64


class Cells:
    """The catalogs of a vault. A cell that is not there reads as a new one."""

    def __init__(
        self, layout: Layout, *, clock: Clock, entropy: Entropy, vfs: str | None, flusher: Flusher | None
    ) -> None:
        self.layout = layout
        self.clock = clock
        self.flusher = flusher
        self.entropy = entropy
        self.vfs = vfs
        self.registry: Database = make_database(layout.cells, CELLS, vfs=vfs)
        self.blank: Database = open_scratch(AGENT)
        self.pool: Pool = Pool(MOST_OPEN)
        self.making: Lock = Lock()
        self.directories: dict[AgentId, str] = {}

    def find(self, agent_id: AgentId) -> str | None:
        """Return the directory of an agent, if it has one."""
        if agent_id not in self.directories:
            with self.registry.lock:
                row = self.registry.row(queries.FIND_CELL, {"agent_id": agent_id})
            if row is None:
                return None
            self.directories[agent_id] = row[0]
        return self.directories[agent_id]

    def make(self, agent_id: AgentId) -> str:
        """Return the directory of an agent, made under an opaque name if it has none."""
        with self.making:
            return self.find(agent_id) or self.make_new(agent_id)

    def make_new(self, agent_id: AgentId) -> str:
        """Make the directory and catalog of a new agent; the registry names them last."""
        directory = make_unique_directory(self.layout.agents, lambda: self.entropy.token("cel"))
        below = self.layout.agents / directory
        for name in SCOPES:
            below = below / name
            make_directory(below)
        database = make_database(self.layout.agent_database(directory), AGENT, vfs=self.vfs)
        with database.transaction():
            database.run(queries.START_CELL, {"agent_id": agent_id})
        database.close()
        made_at = to_micros(self.clock.now())
        with self.registry.lock, self.registry.transaction():
            self.registry.run(queries.ADD_CELL, {"agent_id": agent_id, "directory": directory, "made_at": made_at})
        return directory

    @contextmanager
    def reading(self, agent_id: AgentId) -> Generator[Database]:
        """Lend the catalog of an agent, or a blank one."""
        with storage_failures(self.layout.vault):
            directory = self.find(agent_id)
            if directory is None:
                with self.blank.lock:
                    yield self.blank
                return
            with self.pool.lease((directory,), lambda: self.open(agent_id, directory)) as database:
                yield database

    @contextmanager
    def writing(self, agent_id: AgentId) -> Generator[Database]:
        """Lend the catalog of an agent, made if it is new."""
        with storage_failures(self.layout.vault):
            directory = self.make(agent_id)
            with self.pool.lease((directory,), lambda: self.open(agent_id, directory)) as database:
                yield database

    def open(self, agent_id: AgentId, directory: str) -> Database:
        """Open a catalog, which must say that it is this agent's."""
        path = self.layout.agent_database(directory)
        database = open_database(path, AGENT, vfs=self.vfs, after_group=self.after_group(path))
        if database.row(queries.LOAD_AUTHORITY, {"agent_id": agent_id}) is None:
            database.close()
            raise StorageFailedError("a catalog is not where the registry says", remedy=DAMAGED)
        return database

    def after_group(self, path: Path) -> Callable[[], None] | None:
        """Return what has the log of a catalog synced after a grouped commit."""
        if self.flusher is None:
            return None
        return partial(self.flusher.note, path.with_name(f"{path.name}-wal"))

    def close(self) -> None:
        """Close all catalogs and the registry."""
        self.pool.close()
        self.blank.close()
        self.registry.close()
