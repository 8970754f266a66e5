"""The bytes of revisions, in memory."""

import hashlib
from dataclasses import dataclass, field

from privity.backends.inmemory.cell import Memory
from privity.engine.ports import MovedError
from privity.engine.records import Artifact, Finalized, Staged
from privity.model.ids import AgentId, ContentHash, RevisionId
from privity.model.resources import Integrity, Section
from privity.sdk.ambient import Entropy
from privity.sdk.errors import StorageFailedError

Name = tuple[AgentId, str, Section, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryArtifacts:
    """Implement `privity.engine.ports.Artifacts`."""

    memory: Memory
    entropy: Entropy
    roots: set[tuple[AgentId, str]] = field(default_factory=set[tuple[AgentId, str]])
    staged: dict[Name, bytes] = field(default_factory=dict[Name, bytes])
    final: dict[Name, bytes] = field(default_factory=dict[Name, bytes])

    def make_root(self, agent_id: AgentId) -> str:
        """Make the directory of a new store under a fresh opaque key and return the key."""
        with self.memory.lock:
            key = self.entropy.token("scp")
            while (agent_id, key) in self.roots:
                key = self.entropy.token("scp")
            self.roots.add((agent_id, key))
            return key

    def require_root(self, agent_id: AgentId, path_key: str) -> None:
        """Raise unless the store has a directory."""
        if (agent_id, path_key) not in self.roots:
            raise StorageFailedError("the directory of a store is missing", remedy="restore it from a backup")

    def stage(
        self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId, content: bytes
    ) -> Staged:
        """Keep `content` under a temporary name."""
        with self.memory.lock:
            self.require_root(agent_id, path_key)
            staged_name = self.entropy.token("tmp")
            self.staged[agent_id, path_key, section, staged_name] = content
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
        """Rename to the final name, never over another file."""
        with self.memory.lock:
            source = (staged.agent_id, staged.path_key, staged.section, staged.staged_name)
            target = (staged.agent_id, staged.path_key, staged.section, staged.revision_id)
            if source not in self.staged or target in self.final:
                raise MovedError("the artifact is not staged, or is there")
            self.final[target] = self.staged.pop(source)
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
        """Return the bytes if they have exactly this hash."""
        with self.memory.lock:
            content = self.final.get((agent_id, path_key, section, revision_id))
        if content is None:
            return Artifact(integrity=Integrity.MISSING, content=None)
        if hashlib.sha256(content).hexdigest() != content_hash:
            return Artifact(integrity=Integrity.MISMATCHED, content=None)
        return Artifact(integrity=Integrity.VERIFIED, content=content)

    def remove(self, agent_id: AgentId, path_key: str, section: Section, revision_id: RevisionId) -> None:
        """Remove a file that no active revision names; absent is fine."""
        with self.memory.lock:
            self.final.pop((agent_id, path_key, section, revision_id), None)
