"""One state machine drives both backends with the same operations, and everything they say must agree."""

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from privity.backends.inmemory.backend import open_memory
from privity.conformance import storage_samples as samples
from privity.conformance.storage_scene import ALL, NAMES, SESSIONS, Scene
from privity.engine.ports import MovedError
from privity.engine.records import (
    ActivateCommit,
    AmendCommit,
    Authority,
    EventCommit,
    ExposureCommit,
    IndexQuery,
    IndexRow,
    RevisionRecord,
    RunCommit,
    RunRecord,
    StoreRecord,
    TombstoneCommit,
)
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    HostFactsRevision,
    ResourceId,
    RevisionId,
    RunExposureRevision,
    SessionId,
)
from privity.model.resources import Lineage, RevisionState, Section
from tests.backends.doubles import open_home

AGENTS: Final = ("agt_one", "AGT_ONE")
WORDS: Final = ("run", "running", "Ran", "手机", "手", "++", "naïve", "100%", "_", "\\", "the", "ß", "👍", "x-ray")
CLASSES: Final = ("cls_1", "CLS_1", "cls_2")
REVISIONS: Final = tuple(RevisionId(f"rev_{name}") for name in "aAbBcCdDeEfFgGhH")

agents = st.sampled_from(("agt_one", "agt_one", "agt_one", "AGT_ONE"))
people = st.sampled_from((*NAMES, "ada", "ada", "bo", "bo"))
ids = st.sampled_from(REVISIONS)
few = st.lists(st.integers(min_value=0, max_value=15), max_size=2)
drifts = st.sampled_from([*[(0, 0)] * 10, (1, 0), (0, 1), (-1, 0), (0, -1)])
seldom = st.sampled_from([False, False, False, False, False, True])
classes = st.sampled_from(CLASSES)
sessions = st.sampled_from(SESSIONS)
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=8).map(" ".join)
words = st.sampled_from(WORDS) | st.text(min_size=1, max_size=3)
hours = st.integers(min_value=-2, max_value=4)


@dataclass(frozen=True, slots=True)
class Raised:
    """That an operation was refused."""

    kind: str


Drift = tuple[int, int]
Commit = TypeVar("Commit", ActivateCommit, AmendCommit, EventCommit, ExposureCommit, RunCommit, TombstoneCommit)


def drifted(commit: Commit, drift: Drift) -> Commit:
    """Return a commit that expects another policy revision or another host-facts epoch."""
    policies, facts = drift
    expected = Authority(
        authority_revision=AuthorityRevision(commit.expected.authority_revision + policies),
        host_facts_revision=HostFactsRevision(commit.expected.host_facts_revision + facts),
    )
    return replace(commit, expected=expected)


def outcome(operation: Callable[[], object]) -> object:
    """Return what an operation answers, its refusal included."""
    try:
        return operation()
    except MovedError:
        return Raised("moved")


@dataclass(slots=True)
class Echo:
    """Entropy that repeats what the other side drew, so that both name directories alike."""

    said: str = ""

    def token(self, prefix: str) -> str:
        """Return what the other side drew."""
        assert self.said.startswith(prefix)
        return self.said

    def key(self) -> bytes:
        """Return any key."""
        return bytes(32)


def permitted(rows: Iterable[RevisionRecord]) -> set[RevisionId]:
    """Return the revisions that nothing in the catalog forbids."""
    return {row.revision_id for row in rows if row.state is RevisionState.ACTIVE and row.lineage is Lineage.INTACT}


class StorageAgreement(RuleBasedStateMachine):
    """The oracle on the left, SQLite on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name)
        self.reopened = 0
        self.echo = Echo()
        self.left = open_memory(entropy=self.echo)
        self.right = open_home(self.path)
        self.keys: dict[tuple[str, str], str] = {}
        self.runs: list[RunRecord] = []

    def agree(self, agent: str, operation: Callable[[Scene], object]) -> object:
        """Do the same in both and insist on the same answer."""
        found = [outcome(partial(operation, scene)) for scene in self.scenes(agent)]
        assert found[0] == found[1]
        return found[0]

    def scenes(self, agent: str) -> tuple[Scene, Scene]:
        """Return the cell of an agent in both backends."""
        agent_id = AgentId(agent)
        return Scene(backend=self.left, agent_id=agent_id), Scene(backend=self.right, agent_id=agent_id)

    def place(self, agent: str, name: str) -> StoreRecord:
        """Return the store of a person, which may not have been added."""
        return samples.store(AgentId(agent), name, path_key=self.keys.get((agent, name), "scp_none"))

    def somewhere(self, data: st.DataObject, *, astray: bool = False) -> tuple[str, str]:
        """Draw the agent and the person of a store that was added, or of any where it goes astray."""
        if astray:
            return data.draw(agents), data.draw(people)
        return data.draw(st.sampled_from(sorted(self.keys)))

    @initialize()
    def begin_with_a_family(self) -> None:
        """Start where something can be permitted, and something can be lost with it."""
        for name in ("ada", "bo"):
            self.add_store("agt_one", name)
        line: tuple[RevisionId, ...] = ()
        for name, revision_id in zip(("ada", "bo", "ada"), REVISIONS, strict=False):
            row = samples.revision(self.place("agt_one", name), revision_id)
            full = replace(row, revision_id=revision_id, parents=line)
            self.agree("agt_one", lambda scene, full=full: scene.activate(full))
            line = (revision_id,)
        self.begin_run("agt_one", 1, SESSIONS[0], [], False, (0, 0))

    @rule(agent=agents, name=st.sampled_from(NAMES))
    def add_store(self, agent: str, name: str) -> None:
        """Make a directory and add a store; a second one of a person is ignored."""
        agent_id = AgentId(agent)
        root = self.echo.said = self.right.artifacts.make_root(agent_id)
        self.left.artifacts.make_root(agent_id)
        added = samples.store(agent_id, name, path_key=root)
        found = self.agree(agent, lambda scene: scene.backend.stores.add_store(added, samples.policy(name)))
        if found == added:
            self.keys[agent, name] = root

    @rule(agent=agents, name=people, step=st.sampled_from([1, 1, 1, 0, 2]), epoch=seldom, drift=drifts)
    def amend(self, agent: str, name: str, step: int, epoch: bool, drift: Drift) -> None:
        """Put a policy's next revision in force, or a wrong one, or tell a host fact."""
        wanted = samples.policy(name).policy_id
        current = self.left.stores.load_policies(AgentId(agent), [wanted]).get(wanted)
        revision = (0 if current is None else current.policy_revision) + step
        if epoch:
            told = HostFactsRevision(revision)
            self.agree(agent, lambda scene: scene.backend.stores.advance_host_facts(scene.agent_id, told))
            return
        changed = samples.policy(name, revision=revision)
        self.agree(agent, lambda scene: scene.backend.stores.amend(drifted(scene.amendment(changed), drift)))

    def readable(self, agent: str) -> list[RevisionRecord]:
        """Return the revisions of a cell that are in force."""
        rows = self.left.revisions.load_revisions(AgentId(agent), REVISIONS)
        return [row for row in rows.values() if row.revision_id in permitted(rows.values())]

    def some(self, agent: str, picks: list[int], *, astray: bool) -> tuple[RevisionId, ...]:
        """Return some revisions in force, and one that may be anything where it goes astray."""
        rows = self.readable(agent)
        chosen = [rows[pick % len(rows)].revision_id for pick in picks if rows]
        return tuple(dict.fromkeys((*chosen, *(REVISIONS[pick] for pick in picks if astray))))

    @rule(data=st.data(), astray=seldom)
    def remember(self, data: st.DataObject, astray: bool) -> None:
        """Activate a revision that comes from no other."""
        self.activate(data, [], astray=astray)

    @rule(data=st.data(), picks=few, astray=seldom)
    def derive(self, data: st.DataObject, picks: list[int], astray: bool) -> None:
        """Activate a revision that comes from others."""
        self.activate(data, picks, astray=astray)

    def activate(self, data: st.DataObject, picks: list[int], *, astray: bool) -> None:
        """Activate a revision; most are one step from permitted."""
        agent, name = self.somewhere(data, astray=astray)
        known = self.left.revisions.load_revisions(AgentId(agent), REVISIONS)
        unused = [key for key in REVISIONS if astray or key not in known] or list(REVISIONS)
        row = samples.revision(self.place(agent, name), "x")
        full = replace(
            row,
            revision_id=data.draw(st.sampled_from(unused)),
            resource_id=ResourceId(f"res_{data.draw(st.sampled_from(REVISIONS))}"),
            number=data.draw(st.integers(min_value=1, max_value=2)),
            class_id=data.draw(classes),
            parents=self.some(agent, picks, astray=astray),
            requirements=tuple(map(samples.requirement, data.draw(st.lists(people, max_size=2)))),
            section=data.draw(st.sampled_from(Section)),
            lifetime=replace(row.lifetime, recorded_at=samples.NOON + data.draw(hours) * samples.HOUR),
        )
        drift = data.draw(drifts)
        self.agree(agent, lambda scene: scene.backend.revisions.activate(drifted(scene.activation(full), drift)))

    @precondition(lambda self: any(map(self.readable, AGENTS)))
    @rule(data=st.data(), pick=st.integers(min_value=0, max_value=15), astray=seldom)
    def tombstone(self, data: st.DataObject, pick: int, astray: bool) -> None:
        """Tombstone a revision where it is, or where it is not."""
        agent = data.draw(st.sampled_from([agent for agent in AGENTS if self.readable(agent)]))
        rows = self.readable(agent)
        row = rows[pick % len(rows)]
        if astray:
            row = replace(row, store_id=self.place(agent, data.draw(people)).facts.store_id)
        drift = data.draw(drifts)
        self.agree(agent, lambda scene: scene.backend.revisions.tombstone(drifted(scene.burial(row), drift)))

    @rule(
        agent=agents,
        number=st.integers(1, 9),
        session_id=sessions,
        inherits=st.lists(people, max_size=2),
        beside=seldom,
        drift=drifts,
    )
    def begin_run(
        self, agent: str, number: int, session_id: SessionId, inherits: list[str], beside: bool, drift: Drift
    ) -> None:
        """Begin a run on top of its window, or beside it."""
        window = self.left.runs.load_window(AgentId(agent), session_id)
        known = () if window is None or beside else window.policy_set.requirements
        wanted = dict.fromkeys((*known, *map(samples.requirement, inherits)))
        shown = 0 if window is None else window.shown + beside

        def operation(scene: Scene) -> object:
            policies = samples.policy_set(*wanted)
            run = scene.run(f"run_{number}", session_id=session_id, policies=policies, shown_before=shown)
            commit = scene.beginning(run, event=samples.event(f"begin_{number}"))
            return scene.backend.runs.begin_run(drifted(commit, drift))

        begun = self.agree(agent, operation)
        if isinstance(begun, RunRecord):
            self.runs.append(begun)

    @precondition(lambda self: self.runs)
    @rule(data=st.data(), picks=few, astray=seldom, behind=seldom, beside=seldom)
    def expose(self, data: st.DataObject, picks: list[int], astray: bool, behind: bool, beside: bool) -> None:
        """Show revisions in a run, some of them out of force, or from a state that is gone."""
        chosen = data.draw(st.sampled_from(self.runs))
        shown = self.some(chosen.agent_id, picks, astray=astray)
        drift = data.draw(drifts)

        def operation(scene: Scene) -> object:
            run = scene.backend.runs.load_run(scene.agent_id, chosen.run_id) or chosen
            window = scene.backend.runs.load_window(scene.agent_id, run.session_id)
            if window is not None and not beside:
                run = replace(run, policy_set=window.policy_set)
            commit = scene.exposure(run)
            before = RunExposureRevision(commit.before - behind)
            return scene.backend.runs.expose(drifted(replace(commit, before=before, shown=shown), drift))

        self.agree(chosen.agent_id, operation)

    @rule(agent=agents, session_id=sessions, number=st.integers(1, 9), copied=seldom, behind=seldom, drift=drifts)
    def append_event(self, agent: str, session_id: str, number: int, copied: bool, behind: bool, drift: Drift) -> None:
        """Append an event, at times one that the session has, or copy a window into the session."""

        def operation(scene: Scene) -> object:
            if copied:
                return scene.backend.runs.copy_window(scene.agent_id, SessionId("ses_1"), SessionId(session_id))
            scene.backend.outbox.record(samples.record(scene.agent_id, "denied"))
            commit = drifted(scene.utterance(str(number), session_id=session_id), drift)
            late = RunExposureRevision(commit.label.exposure_revision - behind)
            return scene.backend.runs.append_event(replace(commit, label=replace(commit.label, exposure_revision=late)))

        self.agree(agent, operation)

    @rule(
        data=st.data(),
        puts=st.lists(st.tuples(ids, classes, texts, st.none() | hours), max_size=3),
        drops=st.lists(ids, max_size=2),
        watermark=st.integers(min_value=0, max_value=9),
        anew=seldom,
    )
    def index(
        self,
        data: st.DataObject,
        puts: list[tuple[RevisionId, str, str, int | None]],
        drops: list[RevisionId],
        watermark: int,
        anew: bool,
    ) -> None:
        """Bring an index up to date with anything, at times from nothing."""
        agent, name = self.somewhere(data, astray=anew)
        if anew:
            self.agree(agent, lambda scene: scene.backend.index.reset(scene.agent_id, self.place(agent, name)))
            return
        rows = [
            IndexRow(
                revision_id=revision_id,
                class_id=class_id,
                text=text,
                expires_at=None if hour is None else samples.NOON + hour * samples.HOUR,
            )
            for revision_id, class_id, text, hour in puts
        ]
        place = self.place(agent, name)
        drops = [*drops, *(row.revision_id for row in rows[:1] if watermark % 3 == 0)]
        self.agree(agent, lambda scene: scene.backend.index.apply(scene.agent_id, place, rows, drops, watermark))

    @rule(
        data=st.data(),
        astray=seldom,
        terms=st.lists(words, max_size=3),
        needles=st.lists(words, max_size=3),
        permitted=st.frozensets(classes),
        skip=st.frozensets(ids, max_size=2),
        hour=hours,
    )
    def search(
        self,
        data: st.DataObject,
        astray: bool,
        terms: list[str],
        needles: list[str],
        permitted: frozenset[str],
        skip: frozenset[RevisionId],
        hour: int,
    ) -> None:
        """Look up the same words; postings, totals and state agree."""
        agent, name = self.somewhere(data, astray=astray)
        place = self.place(agent, name)

        def operation(scene: Scene) -> object:
            tokens = tuple(token for term in terms for token in scene.backend.index.tokens(term))
            asked = IndexQuery(
                terms=tokens,
                needles=tuple(needles),
                classes=permitted,
                skip=skip,
                at=samples.NOON + hour * samples.HOUR,
            )
            found = scene.backend.index.match(scene.agent_id, place, asked)
            state = scene.backend.index.state(scene.agent_id, place, asked.at)
            return found.totals, [sorted(posting) for posting in found.postings], state.watermark, dict(state.classes)

        self.agree(agent, operation)

    @rule()
    def reopen(self) -> None:
        """Close the vault and open it again; nothing is lost."""
        self.reopened += 1
        self.right.close()
        self.right = open_home(self.path, start=self.reopened * 1_000_000)

    @invariant()
    def everything_agrees(self) -> None:
        """Every observable is the same on both sides, and every numbering is whole."""
        for agent in AGENTS:
            left, right = (scene.observed() for scene in self.scenes(agent))
            assert left == right
            rows = [scene.backend.revisions.load_revisions(scene.agent_id, REVISIONS) for scene in self.scenes(agent)]
            assert dict(rows[0]) == dict(rows[1])
            assert permitted(rows[0].values()) == permitted(rows[1].values())
            sequences = [record.sequence for record in self.right.outbox.pull(AgentId(agent), 0, ALL)]
            assert sequences == list(range(1, len(sequences) + 1))

    def teardown(self) -> None:  # pyright: ignore[reportImplicitOverride]
        """Close both."""
        self.left.close()
        self.right.close()
        self.directory.cleanup()


LONG: Final = "PRIVITY_LONG" in os.environ
settings.register_profile(
    "storage-machine",
    max_examples=2_000 if LONG else 30,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.machine
@pytest.mark.timeout(3_600 if LONG else 120)
@pytest.mark.proves("store:resource:identity", "read:statistics:permitted-only", "case:POL-13")
class TestStorageAgreement(StorageAgreement.TestCase):
    """The oracle and SQLite agree on every permitted set, posting, total, change and event."""

    settings = settings(settings.get_profile("storage-machine"), print_blob=True)
