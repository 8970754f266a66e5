"""Runs, windows, exposures and labelled events, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from privity.backends.inmemory.cell import Cell, Memory
from privity.backends.inmemory.revisions import require_readable
from privity.engine.ports import MovedError
from privity.engine.records import (
    EventCommit,
    ExposureCommit,
    LabelledEvent,
    RunCommit,
    RunRecord,
    WindowRecord,
)
from privity.model.ids import (
    AgentId,
    PolicyRevision,
    RevisionId,
    RevocationEpoch,
    RunExposureRevision,
    RunId,
    SessionId,
)
from privity.model.policies import PolicySet, Requirement


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryRuns:
    """Implement `privity.engine.ports.Runs`."""

    memory: Memory

    def load_window(self, agent_id: AgentId, session_id: SessionId) -> WindowRecord | None:
        """Return what a window was shown, or `None` for a window that was shown nothing."""
        with self.memory.lock:
            return self.memory.cell(agent_id).windows.get(session_id)

    def copy_window(self, agent_id: AgentId, source: SessionId, session_id: SessionId) -> WindowRecord | None:
        """Give a new window what `source` was shown, or nothing where that is nothing."""
        with self.memory.lock:
            cell = self.memory.cell(agent_id)
            window, begun = cell.windows.get(source), cell.windows.get(session_id)
            if begun is not None and cell.copied.get(session_id) != source:
                raise MovedError("the window has begun")
            if window is None or begun is not None:
                return begun
            cell.copied[session_id] = source
            cell.shown[session_id] = list(cell.shown.get(source, ()))
            cell.windows[session_id] = replace(window, session_id=session_id)
            return cell.windows[session_id]

    def begin_run(self, commit: RunCommit) -> RunRecord:
        """Begin a run on top of its window."""
        with self.memory.lock:
            cell = self.memory.cell(commit.run.agent_id)
            run = commit.run
            cell.expect(commit.expected)
            if run.run_id in cell.runs:
                raise MovedError("the run is there")
            if run.shown_before != len(cell.shown.get(run.session_id, ())):
                raise MovedError("the window was shown something meanwhile")
            require_growth(cell, run.session_id, run.policy_set)
            if commit.event is not None and commit.label is not None:
                cell.refuse_known_event(commit.event, commit.label)
                cell.append(commit.event, commit.label)
            cell.runs[run.run_id] = run
            show(cell, run, run.policy_set, ())
            cell.log(commit.record)
            return run

    def load_run(self, agent_id: AgentId, run_id: RunId) -> RunRecord | None:
        """Return a run."""
        with self.memory.lock:
            return self.memory.cell(agent_id).runs.get(run_id)

    def expose(self, commit: ExposureCommit) -> None:
        """Record an exposure; `MovedError` when the run's revision is not `before` any more."""
        with self.memory.lock:
            cell = self.memory.cell(commit.run.agent_id)
            cell.expect(commit.expected)
            run = cell.runs.get(commit.run.run_id)
            if run is None or run.exposure_revision != commit.before:
                raise MovedError("the run was shown something meanwhile")
            require_readable(cell, commit.shown)
            require_growth(cell, commit.run.session_id, commit.window_policies)
            cell.runs[commit.run.run_id] = commit.run
            show(cell, commit.run, commit.window_policies, commit.shown)
            cell.exposures.append(commit)
            cell.log(commit.record)

    def list_shown(self, agent_id: AgentId, run_id: RunId, until: RunExposureRevision) -> tuple[RevisionId, ...]:
        """Return what a run was shown up to an exposure revision, its window before it included, oldest first."""
        with self.memory.lock:
            cell = self.memory.cell(agent_id)
            run = cell.runs.get(run_id)
            if run is None:
                return ()
            before = cell.shown.get(run.session_id, [])[: run.shown_before]
            own = [
                revision_id
                for commit in cell.exposures
                if commit.run.run_id == run_id and commit.run.exposure_revision <= until
                for revision_id in commit.shown
            ]
            return tuple(dict.fromkeys((*before, *own)))

    def append_event(self, commit: EventCommit) -> int:
        """Append an event and its label together; return its sequence within the session."""
        with self.memory.lock:
            cell = self.memory.cell(commit.agent_id)
            cell.expect(commit.expected)
            cell.refuse_known_event(commit.event, commit.label)
            run = cell.runs.get(commit.label.run_id)
            if run is not None and run.exposure_revision != commit.label.exposure_revision:
                raise MovedError("the run was shown something meanwhile")
            cell.log(commit.record)
            return cell.append(commit.event, commit.label)

    def list_events(self, agent_id: AgentId, session_id: SessionId) -> tuple[LabelledEvent, ...]:
        """Return the events of a session that have a label, in order."""
        with self.memory.lock:
            return tuple(self.memory.cell(agent_id).events.get(session_id, ()))


def show(cell: Cell, run: RunRecord, policies: PolicySet, shown: Sequence[RevisionId]) -> None:
    """Let the window of `run` take over a policy set and what is shown."""
    rows = cell.shown.setdefault(run.session_id, [])
    rows.extend(revision_id for revision_id in dict.fromkeys(shown) if revision_id not in rows)
    cell.windows[run.session_id] = WindowRecord(
        agent_id=run.agent_id, session_id=run.session_id, policy_set=policies, shown=len(rows)
    )


def require_growth(cell: Cell, session_id: SessionId, policies: PolicySet) -> None:
    """Raise `MovedError` when a window would be bound by less than it is."""
    current = cell.windows.get(session_id)
    if current is None:
        return
    loosens = drops_capture(current.policy_set, policies)
    reopens = current.policy_set.bound.is_nobody and not policies.bound.is_nobody
    if loosens or reopens:
        raise MovedError("the window was shown something meanwhile")


def drops_capture(before: PolicySet, after: PolicySet) -> bool:
    """A policy of `before` is missing from `after`, or was captured anew in it."""
    kept = {captured.policy_id: capture_of(captured) for captured in after.requirements}
    return any(
        captured.policy_id not in kept or kept[captured.policy_id] > capture_of(captured)
        for captured in before.requirements
    )


def capture_of(requirement: Requirement) -> tuple[PolicyRevision, RevocationEpoch]:
    """Return what the policy was captured under."""
    return (requirement.expected_revision, requirement.expected_epoch)
