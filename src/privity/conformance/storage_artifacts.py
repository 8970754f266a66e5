"""Laws of the bytes of revisions, and of the home key."""

import hashlib
from functools import partial
from typing import Final

from privity.conformance import storage_samples as samples
from privity.conformance.storage_checks import different, refuses, same
from privity.conformance.storage_scene import Scene, open_scene
from privity.engine.ports import Backend
from privity.engine.records import Artifact, Finalized, Staged
from privity.model.ids import AgentId, ContentHash, RevisionId
from privity.model.resources import Integrity, Section

TEXT: Final = "Ада любит 手机\r\n\x00".encode()
ABSENT: Final = Artifact(integrity=Integrity.MISSING, content=None)


def digest(content: bytes) -> ContentHash:
    """Return the hash that the catalog would hold."""
    return ContentHash(hashlib.sha256(content).hexdigest())


def stage(scene: Scene, path_key: str, *, content: bytes = TEXT, section: Section = Section.NOTE) -> Staged:
    """Stage the bytes of one revision."""
    return scene.backend.artifacts.stage(scene.agent_id, path_key, section, RevisionId("rev_1"), content)


def load(
    scene: Scene, path_key: str, *, content: bytes = TEXT, section: Section = Section.NOTE, name: str = "rev_1"
) -> Artifact:
    """Load the bytes of one revision."""
    hashed = digest(content)
    return scene.backend.artifacts.load(scene.agent_id, path_key, section, RevisionId(name), hashed)


def bytes_come_back_under_their_hash(backend: Backend) -> None:
    """Exactly as staged, and only once they are final."""
    scene = open_scene(backend)
    root = backend.artifacts.make_root(scene.agent_id)
    staged = stage(scene, root)
    same((staged.content_hash, staged.size), (digest(TEXT), len(TEXT)))
    same(load(scene, root), ABSENT)
    wanted = Finalized(
        agent_id=scene.agent_id,
        path_key=root,
        section=Section.NOTE,
        revision_id=RevisionId("rev_1"),
        content_hash=digest(TEXT),
        size=len(TEXT),
    )
    same(backend.artifacts.finalize(staged), wanted)
    same(load(scene, root), Artifact(integrity=Integrity.VERIFIED, content=TEXT))


def an_empty_artifact_is_one(backend: Backend) -> None:
    """No bytes are bytes too."""
    scene = open_scene(backend)
    root = backend.artifacts.make_root(scene.agent_id)
    backend.artifacts.finalize(stage(scene, root, content=b""))
    same(load(scene, root, content=b""), Artifact(integrity=Integrity.VERIFIED, content=b""))


def other_bytes_are_never_handed_out(backend: Backend) -> None:
    """A hash that does not match yields no content."""
    scene = open_scene(backend)
    root = backend.artifacts.make_root(scene.agent_id)
    backend.artifacts.finalize(stage(scene, root))
    same(load(scene, root, content=b"another"), Artifact(integrity=Integrity.MISMATCHED, content=None))


def a_final_name_is_never_given_twice(backend: Backend) -> None:
    """Final bytes are immutable, and a staged file becomes final once."""
    scene = open_scene(backend)
    root = backend.artifacts.make_root(scene.agent_id)
    first, second = stage(scene, root), stage(scene, root, content=b"another")
    different(first.staged_name, second.staged_name)
    backend.artifacts.finalize(first)
    refuses(scene, partial(backend.artifacts.finalize, second))
    refuses(scene, partial(backend.artifacts.finalize, first))
    same(load(scene, root).content, TEXT)


def stores_sections_and_cells_keep_their_bytes_apart(backend: Backend) -> None:
    """The same revision id elsewhere names nothing."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    root, neighbour = (backend.artifacts.make_root(scene.agent_id) for _ in range(2))
    different(root, neighbour)
    backend.artifacts.make_root(other.agent_id)
    backend.artifacts.finalize(stage(scene, root))
    same(load(scene, neighbour), ABSENT)
    same(load(scene, root, section=Section.CARD), ABSENT)
    same(load(scene, root, name="rev_2"), ABSENT)
    same(load(other, root), ABSENT)
    same(load(Scene(backend=backend, agent_id=AgentId("agt_unseen")), root), ABSENT)


def removed_bytes_are_gone(backend: Backend) -> None:
    """And removing them again, or what never was, is fine."""
    scene = open_scene(backend)
    root = backend.artifacts.make_root(scene.agent_id)
    backend.artifacts.finalize(stage(scene, root))
    for _ in range(2):
        backend.artifacts.remove(scene.agent_id, root, Section.NOTE, RevisionId("rev_1"))
        same(load(scene, root), ABSENT)
    backend.artifacts.remove(AgentId("agt_unseen"), root, Section.NOTE, RevisionId("rev_1"))


def the_home_key_stays(backend: Backend) -> None:
    """It is 32 bytes and the same each time."""
    key = backend.keys.home_key()
    same(len(key), 32)
    same(backend.keys.home_key(), key)
    different(key, bytes(32))


def a_root_says_nothing_about_its_owner(backend: Backend) -> None:
    """Keys are opaque: no part of an agent or a person is in them."""
    scene = open_scene(backend, "agt_visible")
    keys = [backend.artifacts.make_root(scene.agent_id) for _ in range(8)]
    same(len(set(keys)), 8)
    same([key for key in keys if "visible" in key or samples.person("ada").id in key], [])


LAWS: Final = (
    bytes_come_back_under_their_hash,
    an_empty_artifact_is_one,
    other_bytes_are_never_handed_out,
    a_final_name_is_never_given_twice,
    stores_sections_and_cells_keep_their_bytes_apart,
    removed_bytes_are_gone,
    the_home_key_stays,
    a_root_says_nothing_about_its_owner,
)
