"""The bytes of revisions: one immutable file each, in the directory of their store."""

import errno
import hashlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.failures import storage_failures
from privity.backends.sqlite.files import (
    LARGEST,
    load_verified,
    make_directory,
    make_unique_directory,
    open_below,
    open_directory,
    rename_new,
    write_new,
)
from privity.backends.sqlite.layout import SECTIONS, artifact_name, is_safe_name
from privity.engine.ports import MovedError
from privity.engine.records import Artifact, Finalized, Staged
from privity.model.ids import AgentId, ContentHash, RevisionId
from privity.model.resources import Integrity, Section
from privity.sdk.ambient import Entropy
from privity.sdk.errors import InputError

MISSING: Final = Artifact(integrity=Integrity.MISSING, content=None)
OUTSIDE: Final = Artifact(integrity=Integrity.OUTSIDE_ROOT, content=None)
LINKS: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR, errno.EMLINK})
"""What opening a link, a directory or a socket reports instead of a plain file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteArtifacts:
    """Implement `privity.engine.ports.Artifacts`."""

    cells: Cells
    entropy: Entropy

    def make_root(self, agent_id: AgentId) -> str:
        """Make the directory of a new store under a fresh opaque key and return the key."""
        with storage_failures(self.cells.layout.vault):
            scopes = self.cells.layout.scopes(self.cells.make(agent_id))
            path_key = make_unique_directory(scopes, lambda: self.entropy.token("scp"))
            for name in SECTIONS.values():
                make_directory(scopes / path_key / name)
        return path_key

    @contextmanager
    def section(self, agent_id: AgentId, path_key: str, section: Section) -> Generator[int]:
        """Open the directory that holds one section of a store.

        Raises:
            FileNotFoundError: the agent or the store has no directory.
        """
        directory = self.cells.find(agent_id)
        if directory is None or not is_safe_name(path_key):
            raise FileNotFoundError(errno.ENOENT, "the directory of a store is missing")
        with (
            open_directory(self.cells.layout.scopes(directory)) as scopes,
            open_below(scopes, path_key, SECTIONS[section]) as opened,
        ):
            yield opened

    def stage(
        self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId, content: bytes
    ) -> Staged:
        """Write and sync `content` under a temporary name, mode 0600."""
        if len(content) > LARGEST or not is_safe_name(revision_id):
            raise InputError("it cannot be stored", where="content", remedy=f"keep it under {LARGEST} bytes")
        staged_name = f".{self.entropy.token('tmp')}"
        with storage_failures(self.cells.layout.vault), self.section(agent_id, path_key, section) as directory:
            write_new(staged_name, content, directory=directory)
        return Staged(
            agent_id=agent_id,
            path_key=path_key,
            section=section,
            revision_id=revision_id,
            content_hash=ContentHash(hashlib.sha256(content).hexdigest()),
            size=len(content),
            staged_name=staged_name,
        )

    def finalize(self, staged: Staged) -> Finalized:
        """Rename to the final name, which nothing may have, and sync the directory."""
        with (
            storage_failures(self.cells.layout.vault),
            self.section(staged.agent_id, staged.path_key, staged.section) as directory,
        ):
            try:
                rename_new(staged.staged_name, artifact_name(staged.revision_id), directory=directory)
            except (FileExistsError, FileNotFoundError) as error:
                raise MovedError("the artifact is not staged, or is there") from error
        return Finalized(
            agent_id=staged.agent_id,
            path_key=staged.path_key,
            section=staged.section,
            revision_id=staged.revision_id,
            content_hash=staged.content_hash,
            size=staged.size,
        )

    def load(
        self,
        agent_id: AgentId,
        path_key: str,
        section: Section,
        revision_id: RevisionId,
        content_hash: ContentHash,
    ) -> Artifact:
        """Return the bytes if they are a plain file inside the root with exactly this hash."""
        if not is_safe_name(revision_id):
            return OUTSIDE
        with storage_failures(self.cells.layout.vault):
            try:
                with self.section(agent_id, path_key, section) as directory:
                    return load_verified(artifact_name(revision_id), content_hash, directory=directory)
            except FileNotFoundError:
                return MISSING
            except OSError as error:
                if error.errno in LINKS:
                    return OUTSIDE
                raise

    def remove(self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId) -> None:
        """Remove a file that no active revision names; absent is fine."""
        if not is_safe_name(revision_id):
            return
        with storage_failures(self.cells.layout.vault):
            try:
                with self.section(agent_id, path_key, section) as directory:
                    os.unlink(artifact_name(revision_id), dir_fd=directory)
                    os.fsync(directory)
            except FileNotFoundError:
                return
