"""Runs, windows, exposures and labelled events, in the catalog of each agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privity.backends.sqlite import codec, queries, rows
from privity.backends.sqlite.cells import Cells
from privity.backends.sqlite.database import Bindings, Database, Row
from privity.engine.ports import MovedError
from privity.engine.records import (
    EventCommit,
    EventLabel,
    ExposureCommit,
    LabelledEvent,
    RunCommit,
    RunRecord,
    WindowRecord,
)
from privity.model.audit import AuditRecord
from privity.model.events import EventKind, TranscriptEvent
from privity.model.ids import (
    AgentId,
    EventId,
    PolicyId,
    PolicyRevision,
    RevisionId,
    RevocationEpoch,
    RunExposureRevision,
    RunId,
    SessionId,
)
from privity.model.policies import PolicySet, Requirement


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteRuns:
    """Implement `privity.engine.ports.Runs`."""

    cells: Cells

    def load_window(self, agent_id: AgentId, session_id: SessionId) -> WindowRecord | None:
        """Return what a window was shown, or `None` for a window that was shown nothing."""
        with self.cells.reading(agent_id) as database:
            return load_window(database, agent_id, session_id)

    def copy_window(self, agent_id: AgentId, source: SessionId, session_id: SessionId) -> WindowRecord | None:
        """Give a new window what `source` was shown, or nothing where that is nothing."""
        copied = {"session_id": session_id, "source": source}
        with self.cells.writing(agent_id) as database, database.transaction():
            begun = database.row(queries.LOAD_WINDOW, copied)
            if begun is not None and begun[2] != source:
                raise MovedError("the window has begun")
            if begun is None:
                database.run(queries.COPY_WINDOW, copied)
                database.run(queries.COPY_SHOWN, copied)
            return load_window(database, agent_id, session_id)

    def begin_run(self, commit: RunCommit) -> RunRecord:
        """Begin a run on top of its window."""
        run = commit.run
        added = run_bindings(run)
        record = codec.dump(commit.record, AuditRecord)
        appended = event_bindings(commit.event, commit.label)
        with self.cells.writing(run.agent_id) as database, database.transaction():
            rows.expect(database, run.agent_id, commit.expected)
            if database.row(queries.FIND_EXPOSURE, added) is not None:
                raise MovedError("the run is there")
            if run.shown_before != expect_growth(database, run, run.policy_set):
                raise MovedError("the window was shown something meanwhile")
            if appended is not None:
                append(database, appended)
            database.run(queries.ADD_RUN, added)
            database.run(queries.SAVE_WINDOW, {**added, "shown": run.shown_before})
            rows.log(database, run.agent_id, commit.record, record)
        return run

    def load_run(self, agent_id: AgentId, run_id: RunId) -> RunRecord | None:
        """Return a run."""
        with self.cells.reading(agent_id) as database:
            row = database.row(queries.LOAD_RUN, {"run_id": run_id})
        return None if row is None else run_of(row, agent_id, run_id)

    def expose(self, commit: ExposureCommit) -> None:
        """Record an exposure; `MovedError` when the run's revision is not `before` any more."""
        agent_id, run = commit.run.agent_id, run_bindings(commit.run)
        window = {**run, "policy_set": codec.dump(commit.window_policies, PolicySet)}
        exposure, record = exposure_bindings(commit), codec.dump(commit.record, AuditRecord)
        with self.cells.writing(agent_id) as database, database.grouped_transaction():
            rows.expect(database, agent_id, commit.expected)
            if database.row(queries.FIND_EXPOSURE, run) != (commit.before,):
                raise MovedError("the run was shown something meanwhile")
            rows.expect_readable(database, agent_id, commit.shown)
            shown = expect_growth(database, commit.run, commit.window_policies)
            shown = add_shown(database, commit.run.session_id, commit.shown, shown)
            database.run(queries.SAVE_RUN, run)
            database.run(queries.SAVE_WINDOW, {**window, "shown": shown})
            if commit.shown:
                database.run(queries.ADD_EXPOSURE, exposure)
            rows.log(database, agent_id, commit.record, record)

    def list_shown(self, agent_id: AgentId, run_id: RunId, until: RunExposureRevision) -> tuple[RevisionId, ...]:
        """Return what a run was shown up to an exposure revision, its window before it included, oldest first."""
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.LIST_SHOWN, {"run_id": run_id, "until": until})
        return tuple(dict.fromkeys(RevisionId(row[0]) for row in found))

    def append_event(self, commit: EventCommit) -> int:
        """Append an event and its label together; return its sequence within the session."""
        record = codec.dump(commit.record, AuditRecord)
        appended = labelled_bindings(commit.event, commit.label)
        with self.cells.writing(commit.agent_id) as database, database.transaction():
            rows.expect(database, commit.agent_id, commit.expected)
            exposure = database.row(queries.FIND_EXPOSURE, {"run_id": commit.label.run_id})
            if exposure is not None and exposure != (commit.label.exposure_revision,):
                raise MovedError("the run was shown something meanwhile")
            sequence = append(database, appended)
            rows.log(database, commit.agent_id, commit.record, record)
        return sequence

    def list_events(self, agent_id: AgentId, session_id: SessionId) -> tuple[LabelledEvent, ...]:
        """Return the events of a session that have a label, in order."""
        with self.cells.reading(agent_id) as database:
            found = database.rows(queries.LIST_EVENTS, {"session_id": session_id})
        return tuple(map(event_of, found))


def load_window(database: Database, agent_id: AgentId, session_id: SessionId) -> WindowRecord | None:
    """Return a window as it is now."""
    row = database.row(queries.LOAD_WINDOW, {"session_id": session_id})
    if row is None:
        return None
    return WindowRecord(
        agent_id=agent_id,
        session_id=session_id,
        policy_set=codec.load(row[0], PolicySet),
        shown=row[1],
    )


def expect_growth(database: Database, run: RunRecord, policies: PolicySet) -> int:
    """Return how much the window of `run` was shown; `MovedError` when it would be bound by less."""
    current = load_window(database, run.agent_id, run.session_id)
    if current is None:
        return 0
    loosens = drops_capture(current.policy_set, policies)
    reopens = current.policy_set.bound.is_nobody and not policies.bound.is_nobody
    if loosens or reopens:
        raise MovedError("the window was shown something meanwhile")
    return current.shown


def add_shown(database: Database, session_id: SessionId, shown: Sequence[RevisionId], place: int) -> int:
    """Add what a window was not shown before, after `place`; return the last place."""
    for revision_id in shown:
        added = {"session_id": session_id, "revision_id": revision_id, "place": place + 1}
        place += database.row(queries.ADD_SHOWN, added) is not None
    return place


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


def append(database: Database, labelled: Bindings) -> int:
    """Insert an event and its label; return its sequence."""
    if database.row(queries.FIND_EVENT, labelled) is not None:
        raise MovedError("the session has this event")
    sequence = rows.returned(database.row(queries.ADD_EVENT, labelled))
    database.run(queries.ADD_LABEL, {**labelled, "sequence": sequence})
    return sequence


def run_bindings(run: RunRecord) -> Bindings:
    """Return the columns of a run."""
    return {
        "session_id": run.session_id,
        "policy_set": codec.dump(run.policy_set, PolicySet),
        "run_id": run.run_id,
        "exposure_revision": run.exposure_revision,
        "shown_before": run.shown_before,
    }


def run_of(row: Row, agent_id: AgentId, run_id: RunId) -> RunRecord:
    """Return the run that `queries.LOAD_RUN` found."""
    return RunRecord(
        agent_id=agent_id,
        run_id=run_id,
        session_id=SessionId(row[0]),
        exposure_revision=RunExposureRevision(row[1]),
        policy_set=codec.load(row[2], PolicySet),
        shown_before=row[3],
    )


def exposure_bindings(commit: ExposureCommit) -> Bindings:
    """Return the columns of an exposure."""
    return {
        "run_id": commit.run.run_id,
        "exposure_revision": commit.run.exposure_revision,
        "shown": codec.dump(commit.shown, tuple[RevisionId, ...]),
        "captured": codec.dump(commit.captured, Mapping[PolicyId, PolicyRevision]),
    }


def event_bindings(event: TranscriptEvent | None, label: EventLabel | None) -> Bindings | None:
    """Return the columns of an event that has a label, or nothing."""
    return None if event is None or label is None else labelled_bindings(event, label)


def labelled_bindings(event: TranscriptEvent, label: EventLabel) -> Bindings:
    """Return the columns of an event and of its label."""
    return {
        "session_id": label.session_id,
        "event_id": event.event_id,
        "kind": event.kind,
        "occurred_at": codec.to_micros(event.occurred_at),
        "text": event.text,
        "label": codec.dump(label, EventLabel),
    }


def event_of(row: Row) -> LabelledEvent:
    """Return the event in a row of `queries.LIST_EVENTS`."""
    event_id, sequence, kind, text, occurred_at, label = row
    return LabelledEvent(
        event_id=EventId(event_id),
        sequence=sequence,
        kind=EventKind(kind),
        text=text,
        occurred_at=codec.from_micros(occurred_at),
        label=codec.load(label, EventLabel),
    )
