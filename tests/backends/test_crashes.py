"""A process that is killed at a known point: what was acknowledged is there, the rest is nowhere."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from privity.backends.sqlite.backend import SqliteBackend
from privity.backends.sqlite.checkup import Problem, inspect_vault
from privity.conformance import storage_samples as samples
from privity.conformance.storage_scene import Scene
from privity.engine.records import IndexQuery
from privity.model.ids import AgentId, RevisionId, RunExposureRevision, RunId, SessionId
from privity.model.resources import Section
from privity.policy.facts import Integrity
from tests.backends.doubles import open_home

SCRIPT: Final = """
    import os, signal, sys
    from dataclasses import replace
    from pathlib import Path
    from privity.conformance import storage_samples as samples
    from privity.conformance.storage_artifacts import digest
    from privity.conformance.storage_scene import open_scene
    from privity.engine.records import IndexRow
    from privity.model.resources import Section
    from tests.backends.doubles import open_home

    backend = open_home(Path(sys.argv[1]))
    scene = open_scene(backend)
    place = scene.add_store("ada")

    def die(step):
        if step == sys.argv[2]:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("1", "2"):
        row = replace(samples.revision(place, name), content_hash=digest(name.encode()))
        staged = backend.artifacts.stage(scene.agent_id, place.path_key, Section.NOTE, row.revision_id, name.encode())
        if name == "2":
            die("staged")
        backend.artifacts.finalize(staged)
        if name == "2":
            die("finalized")
        active = scene.activate(row)
        print("active", name, flush=True)
        if name == "2":
            die("active")
        text = "remembered " + name
        put = IndexRow(revision_id=row.revision_id, class_id="cls_1", text=text, expires_at=None)
        backend.index.apply(scene.agent_id, place, [put], [], active.change)
    die("indexed")
    run = scene.begin(scene.run("run_1"))
    backend.runs.expose(scene.exposure(run, active))
    print("shown", flush=True)
    die("shown")
    scene.tombstone(active)
    print("forgotten", flush=True)
    die("forgotten")
"""
STEPS: Final = ("staged", "finalized", "active", "indexed", "shown", "forgotten")


@pytest.fixture(params=STEPS)
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, list[str], Scene]]:
    """Yield the step at which another process was killed, what it acknowledged, and its vault opened again."""
    process = subprocess.run(  # noqa: S603 - our own interpreter and script
        [sys.executable, "-B", "-c", textwrap.dedent(SCRIPT), str(tmp_path), request.param],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.returncode == -signal.SIGKILL
    backend = open_home(tmp_path, start=1_000)
    yield request.param, process.stdout.splitlines(), Scene(backend=backend, agent_id=AgentId("agt_one"))
    backend.close()


@pytest.mark.crash
@pytest.mark.proves("case:CRASH-01", "write:crash:simple-order", "read:exposure:recorded-first")
def test_crash_01_a_kill_at_any_step_loses_nothing_acknowledged(killed: tuple[str, list[str], Scene]) -> None:
    """Active means said to be active; an exposure said to be recorded is there, and so is a tombstone."""
    _, said, scene = killed
    rows = scene.backend.revisions.list_changes(scene.agent_id, scene.stores()[0].facts.store_id, 0)
    states = {f"active {row.revision_id.removeprefix('rev_')}" for row in rows}
    window = scene.backend.runs.load_window(scene.agent_id, SessionId("ses_1"))
    forgotten = [row.revision_id for row in rows if row.state == "tombstoned"]

    assert states == {line for line in said if line.startswith("active")}
    listed = scene.backend.runs.list_shown(scene.agent_id, RunId("run_1"), RunExposureRevision(1))
    assert (window is not None and window.shown == 1) == ("shown" in said)
    assert (listed == (RevisionId("rev_2"),)) == ("shown" in said)
    assert bool(forgotten) == ("forgotten" in said)


@pytest.mark.crash
@pytest.mark.proves("case:CRASH-01", "write:crash:simple-order", "read:content:hash-verified")
def test_crash_01_every_active_revision_has_its_file(killed: tuple[str, list[str], Scene]) -> None:
    """The file is final before the catalog names it, and the index never runs ahead of the catalog."""
    _, _, scene = killed
    place = scene.stores()[0]
    rows = scene.backend.revisions.list_changes(scene.agent_id, place.facts.store_id, 0)
    found = [
        scene.backend.artifacts.load(
            scene.agent_id, place.path_key, Section.NOTE, row.revision_id, row.content_hash
        ).integrity
        for row in rows
    ]
    asked = IndexQuery(
        terms=scene.backend.index.tokens("remembered"),
        needles=(),
        classes=frozenset({"cls_1"}),
        skip=frozenset(),
        at=samples.NOON,
    )
    indexed = scene.backend.index.match(scene.agent_id, place, asked).postings[0]

    assert set(found) == {Integrity.VERIFIED}
    assert {posting[0] for posting in indexed} <= {row.revision_id for row in rows}
    assert scene.backend.index.state(scene.agent_id, place, samples.NOON).watermark <= rows[-1].change


@pytest.mark.crash
@pytest.mark.proves("case:CRASH-01")
def test_crash_01_the_databases_are_whole(killed: tuple[str, list[str], Scene], tmp_path: Path) -> None:
    """Integrity holds; all that is left over is a file that nothing names, and what is not indexed yet."""
    step, _, scene = killed
    assert isinstance(scene.backend, SqliteBackend)
    scene.backend.close()
    problems = {finding.problem for finding in inspect_vault(tmp_path / "vault")}
    wanted = {
        "staged": {Problem.UNKNOWN_FILE},
        "finalized": {Problem.UNKNOWN_FILE},
        "active": {Problem.UNINDEXED},
        "forgotten": {Problem.UNINDEXED, Problem.FORGOTTEN_FILE},
    }

    assert problems == wanted.get(step, set())
