"""The whole in-memory backend: the oracle."""

from dataclasses import dataclass

from privity.backends.inmemory.artifacts import InMemoryArtifacts
from privity.backends.inmemory.cell import Memory
from privity.backends.inmemory.index import InMemoryIndex
from privity.backends.inmemory.keys import InMemoryKeys
from privity.backends.inmemory.outbox import InMemoryOutbox
from privity.backends.inmemory.revisions import InMemoryRevisions
from privity.backends.inmemory.runs import InMemoryRuns
from privity.backends.inmemory.stores import InMemoryStores
from privity.backends.inmemory.tokenizer import Tokenizer
from privity.sdk.ambient import Entropy


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryBackend:
    """Implement `privity.engine.ports.Backend`; everything is gone when it is."""

    stores: InMemoryStores
    revisions: InMemoryRevisions
    runs: InMemoryRuns
    outbox: InMemoryOutbox
    artifacts: InMemoryArtifacts
    index: InMemoryIndex
    keys: InMemoryKeys

    def close(self) -> None:
        """Let go of the tokenizer."""
        self.index.tokenizer.close()


def open_memory(*, entropy: Entropy) -> InMemoryBackend:
    """Return a new, empty backend."""
    memory = Memory()
    artifacts = InMemoryArtifacts(memory=memory, entropy=entropy)
    return InMemoryBackend(
        stores=InMemoryStores(memory=memory),
        revisions=InMemoryRevisions(memory=memory),
        runs=InMemoryRuns(memory=memory),
        outbox=InMemoryOutbox(memory=memory),
        artifacts=artifacts,
        index=InMemoryIndex(memory=memory, artifacts=artifacts, tokenizer=Tokenizer()),
        keys=InMemoryKeys(key=entropy.key()),
    )
