"""Runs, windows, exposures and labelled events, in memory."""

from dataclasses import dataclass

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
from privity.model.ids import AgentId, PolicyRevision, RevocationEpoch, RunId, SessionId
from privity.model.policies import PolicySet, Requirement


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemoryRuns:
    """Implement `privity.engine.ports.Runs`."""

    memory: Memory

    def load_window(self, agent_id: AgentId, session_id: SessionId) -> WindowRecord | None:
        """Return what a window was shown, or `None` for a window that was shown nothing."""
        with self.memory.lock:
            return self.memory.cell(agent_id).windows.get(session_id)

    def save_window(self, window: WindowRecord) -> None:
        """Write the first state of a window; one that exists is left as it is."""
        with self.memory.lock:
            windows = self.memory.cell(window.agent_id).windows
            if window.session_id in windows:
                raise MovedError("the window is there")
            windows[window.session_id] = window

    def begin_run(self, commit: RunCommit) -> RunRecord:
        """Begin a run; its window takes over the run's policy set and exposures."""
        with self.memory.lock:
            cell = self.memory.cell(commit.run.agent_id)
            window = window_of(commit.run)
            cell.expect(commit.expected)
            if commit.run.run_id in cell.runs:
                raise MovedError("the run is there")
            require_growth(cell, window)
            if commit.event is not None and commit.label is not None:
                cell.refuse_known_event(commit.event, commit.label)
                cell.append(commit.event, commit.label)
            cell.runs[commit.run.run_id] = commit.run
            cell.windows[window.session_id] = window
            cell.log(commit.record)
            return commit.run

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
            require_growth(cell, commit.window)
            cell.runs[commit.run.run_id] = commit.run
            cell.windows[commit.window.session_id] = commit.window
            cell.exposures.append(commit)
            cell.log(commit.record)

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


def window_of(run: RunRecord) -> WindowRecord:
    """Return the window as the run leaves it."""
    return WindowRecord(
        agent_id=run.agent_id, session_id=run.session_id, policy_set=run.policy_set, exposed=run.exposed
    )


def require_growth(cell: Cell, window: WindowRecord) -> None:
    """Raise `MovedError` when the window would forget something it was shown."""
    current = cell.windows.get(window.session_id)
    if current is None:
        return
    forgets = not set(current.exposed).issubset(window.exposed)
    loosens = drops_capture(current.policy_set, window.policy_set)
    reopens = current.policy_set.bound.is_nobody and not window.policy_set.bound.is_nobody
    if forgets or loosens or reopens:
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
