"""One agent's cell in a fresh backend: what the laws of storage do, and everything they can see."""

from dataclasses import dataclass, replace
from typing import Final

from privity.conformance import storage_samples as samples
from privity.engine.ports import Backend
from privity.engine.records import (
    ActivateCommit,
    AmendCommit,
    EventCommit,
    ExposureCommit,
    RevisionRecord,
    RunCommit,
    RunRecord,
    StoreRecord,
    TombstoneCommit,
    WindowRecord,
)
from privity.model.events import TranscriptEvent
from privity.model.ids import AgentId, RunExposureRevision, RunId, SessionId
from privity.model.policies import Policy, PolicySet
from privity.model.stores import StoreKind

ALL: Final = 1_000_000
ALL_EXPOSURES: Final = RunExposureRevision(ALL)
NAMES: Final = ("ada", "Ada", "bo", "cy")
SESSIONS: Final = (SessionId("ses_1"), SessionId("ses_2"), SessionId("SES_1"))
RUNS: Final = (RunId("run_1"), RunId("run_2"), RunId("RUN_1"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A backend and the agent whose cell it is looked at from."""

    backend: Backend
    agent_id: AgentId

    def add_store(self, name: str, *, kind: StoreKind = StoreKind.USER) -> StoreRecord:
        """Add the store of one person, with its directory and its policy."""
        path_key = self.backend.artifacts.make_root(self.agent_id)
        place = samples.store(self.agent_id, name, path_key=path_key, kind=kind)
        return self.backend.stores.add_store(place, samples.policy(name))

    def activation(self, revision: RevisionRecord) -> ActivateCommit:
        """Return the commit that activates `revision` under the authority of now."""
        return ActivateCommit(
            expected=self.backend.stores.authority(self.agent_id),
            revision=revision,
            policy_class=samples.policy_class(revision.class_id),
            record=samples.record(self.agent_id, revision.revision_id),
        )

    def activate(self, revision: RevisionRecord) -> RevisionRecord:
        """Activate `revision`."""
        return self.backend.revisions.activate(self.activation(revision))

    def derive(self, place: StoreRecord, name: str, *parents: RevisionRecord) -> RevisionRecord:
        """Activate a new revision that was derived from `parents`."""
        row = samples.revision(place, name)
        return self.activate(replace(row, parents=tuple(parent.revision_id for parent in parents)))

    def burial(self, revision: RevisionRecord) -> TombstoneCommit:
        """Return the commit that tombstones `revision` under the authority of now."""
        return TombstoneCommit(
            expected=self.backend.stores.authority(self.agent_id),
            agent_id=self.agent_id,
            store_id=revision.store_id,
            revision_id=revision.revision_id,
            record=samples.record(self.agent_id, f"end_{revision.revision_id}"),
        )

    def tombstone(self, revision: RevisionRecord) -> int:
        """Tombstone `revision`."""
        return self.backend.revisions.tombstone(self.burial(revision))

    def amendment(self, policy: Policy) -> AmendCommit:
        """Return the commit that puts `policy` in force under the authority of now."""
        return AmendCommit(
            expected=self.backend.stores.authority(self.agent_id),
            agent_id=self.agent_id,
            policy=policy,
            record=samples.record(self.agent_id, f"amend_{policy.policy_id}"),
        )

    def run(
        self,
        run_id: str,
        *,
        session_id: str = "ses_1",
        policies: PolicySet | None = None,
        shown_before: int = 0,
    ) -> RunRecord:
        """Return a run before its first exposure."""
        return RunRecord(
            agent_id=self.agent_id,
            run_id=RunId(run_id),
            session_id=SessionId(session_id),
            exposure_revision=RunExposureRevision(0),
            policy_set=policies or samples.policy_set(samples.requirement("ada")),
            shown_before=shown_before,
        )

    def beginning(self, run: RunRecord, *, event: TranscriptEvent | None = None) -> RunCommit:
        """Return the commit that begins `run` under the authority of now."""
        return RunCommit(
            expected=self.backend.stores.authority(self.agent_id),
            run=run,
            event=event,
            label=None if event is None else samples.label(run.session_id),
            record=samples.record(self.agent_id, run.run_id),
        )

    def begin(self, run: RunRecord) -> RunRecord:
        """Begin `run`."""
        return self.backend.runs.begin_run(self.beginning(run))

    def exposure(self, run: RunRecord, *shown: RevisionRecord) -> ExposureCommit:
        """Return the commit that shows revisions in `run` under the authority of now."""
        ids = tuple(row.revision_id for row in shown)
        after = replace(run, exposure_revision=RunExposureRevision(run.exposure_revision + 1))
        return ExposureCommit(
            expected=self.backend.stores.authority(self.agent_id),
            before=run.exposure_revision,
            run=after,
            window_policies=after.policy_set,
            shown=ids,
            captured={
                requirement.policy_id: requirement.expected_revision for requirement in run.policy_set.requirements
            },
            record=samples.record(self.agent_id, f"show_{after.exposure_revision}"),
        )

    def utterance(self, name: str, *, session_id: str = "ses_1") -> EventCommit:
        """Return the commit that appends an event under the authority and the exposure of now."""
        label = samples.label(session_id)
        run = self.backend.runs.load_run(self.agent_id, label.run_id)
        return EventCommit(
            expected=self.backend.stores.authority(self.agent_id),
            agent_id=self.agent_id,
            event=samples.event(name),
            label=label if run is None else replace(label, exposure_revision=run.exposure_revision),
            record=samples.record(self.agent_id, f"say_{name}"),
        )

    def stores(self) -> tuple[StoreRecord, ...]:
        """Return the stores that the laws add."""
        wanted = [(kind, samples.person(name)) for name in NAMES for kind in StoreKind]
        return self.backend.stores.find_stores(self.agent_id, wanted)

    def observed(self) -> tuple[object, ...]:
        """Return everything a commit could change, as values that compare."""
        backend, agent_id = self.backend, self.agent_id
        stores = self.stores()
        policies = backend.stores.load_policies(agent_id, [samples.policy(name).policy_id for name in NAMES])
        return (
            backend.stores.authority(agent_id),
            stores,
            dict(policies),
            [backend.revisions.list_changes(agent_id, store.facts.store_id, 0) for store in stores],
            [backend.revisions.list_card(agent_id, store.facts.store_id) for store in stores],
            dict(backend.revisions.load_classes(agent_id, ["cls_1", "cls_2"])),
            backend.revisions.list_leftovers(agent_id),
            [backend.runs.load_window(agent_id, session_id) for session_id in SESSIONS],
            [backend.runs.load_run(agent_id, run_id) for run_id in RUNS],
            [backend.runs.list_shown(agent_id, run_id, ALL_EXPOSURES) for run_id in RUNS],
            [backend.runs.list_events(agent_id, session_id) for session_id in SESSIONS],
            backend.outbox.pull(agent_id, 0, ALL),
        )


def window_of(run: RunRecord, shown: int = 0) -> WindowRecord:
    """Return the window of a run, bound as the run is, that was shown so many revisions."""
    return WindowRecord(agent_id=run.agent_id, session_id=run.session_id, policy_set=run.policy_set, shown=shown)


def open_scene(backend: Backend, agent_id: str = "agt_one") -> Scene:
    """Return the scene of an agent whose cell is open."""
    backend.stores.open_cell(AgentId(agent_id))
    return Scene(backend=backend, agent_id=AgentId(agent_id))
