"""Seam A: what the host asks of a memory plugin.

Every call takes the context it is made under; every call that returns content returns it in
an `Envelope`. A denial is a value, `Denied`. An exception means a broken contract
(`NonconformingError`) or a failing world (`UnavailableError`), and both mean *unavailable*.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from privity.model.audit import AuditRecord, Explanation
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.events import EventReceipt, TranscriptEvent
from privity.model.ids import (
    AgentId,
    DecisionId,
    HostFactsRevision,
    ResourceHandle,
    RunExposureRevision,
    SessionId,
    SubjectHandle,
)
from privity.model.mutations import Amendment, Mutation
from privity.model.passages import Card, ForgetPreview, Passage, WriteResult
from privity.model.plans import Plan
from privity.model.receipts import EgressReceipt, RunReceipt
from privity.sdk.envelope import Envelope

CONTRACT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a plugin declares. The host refuses one that lacks any or speaks another version."""

    version: int
    scoped_candidates: bool
    exact_read_by_authorized_handle: bool
    scoped_sync: bool
    scoped_write: bool
    scoped_export: bool
    exposure_receipts: bool
    egress_receipts: bool
    labelled_transcripts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRange:
    """A 1-based inclusive range of lines; `last` of `None` means to the end."""

    first: int
    last: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """How many index rows a sync brought up to date, over the mounted stores only."""

    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellHealth:
    """Numbers about one agent cell for operators; no content, no titles, no principals.

    `counters` are the plugin's own, since its process started, by closed names.
    """

    stores: dict[str, int]
    revisions: dict[str, int]
    events: int
    outbox: int
    counters: dict[str, int]
    host_facts_revision: HostFactsRevision


class Authorizer(Protocol):
    """Plans, runs, and leave to send."""

    @property
    def capabilities(self) -> Capabilities:
        """What this plugin can do."""
        ...

    def authorize(self, context: AccessContext) -> Plan | Denied:
        """Compute the view of `context` and bind a plan to it. Opens no store."""
        ...

    def begin_run(self, context: AccessContext, event: TranscriptEvent | None) -> RunReceipt | Denied:
        """Begin the run of `context` on top of what its session window was already shown.

        The incoming event, where there is one, is appended with its label in the same
        transaction, except in sessions that may leave no durable trace.
        """
        ...

    def inherit_window(self, context: AccessContext, source: SessionId) -> Denied | None:
        """Give the new window of `context` what the window `source` was shown, exactly.

        For reset, branch, fork, rewind and restore, before the new window's first run.
        """
        ...

    def authorize_egress(
        self, context: AccessContext, exposure_revision: RunExposureRevision
    ) -> EgressReceipt | Denied:
        """Say which audiences of the context's delivery may receive what its run was shown.

        `exposure_revision` is the one the caller last saw; a later read makes it stale.
        """
        ...

    def subject_handles(self, context: AccessContext) -> tuple[SubjectHandle, ...]:
        """Issue handles for the people the host verified or saw mentioned, actor first."""
        ...


class Reader(Protocol):
    """Content out, each time in an envelope."""

    def search(
        self,
        context: AccessContext,
        plan: Plan,
        query: str,
        *,
        about: Sequence[SubjectHandle] | None,
        limit: int,
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        """Return the best `limit` permitted passages, best first. The limit counts permitted ones.

        With `about` only what is about one of these people: about nobody, where it is empty.
        """
        ...

    def read(
        self, context: AccessContext, plan: Plan, handle: ResourceHandle, *, lines: LineRange | None
    ) -> Envelope[Passage] | Denied:
        """Return one permitted revision by handle. Foreign, stale and garbage handles are alike."""
        ...

    def bootstrap(self, context: AccessContext, plan: Plan) -> Envelope[Card] | Denied:
        """Return the front card of the session subject's own store; empty where it has none."""
        ...

    def export(
        self, context: AccessContext, plan: Plan, handles: Sequence[ResourceHandle]
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        """Return the revisions of the session's own store named by `handles`, all or nothing."""
        ...


class Writer(Protocol):
    """Content in. The context's session subject chooses the store, never an argument."""

    def write(self, context: AccessContext, plan: Plan, mutation: Mutation) -> WriteResult | Denied:
        """Perform one mutation; when it returns, the next search sees it."""
        ...

    def preview_forget(self, context: AccessContext, plan: Plan, handle: ResourceHandle) -> ForgetPreview | Denied:
        """Say what forgetting would take with it, as far as the context may read; nothing is changed."""
        ...

    def append_event(self, context: AccessContext, event: TranscriptEvent) -> EventReceipt | Denied:
        """Append one transcript event and its label in one transaction."""
        ...

    def sync(self, context: AccessContext, plan: Plan) -> Synced | Denied:
        """Bring the index of the mounted stores up to date with the catalog."""
        ...


class Upkeep(Protocol):
    """What the host and operators need beside content."""

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Durably raise the host-facts epoch of a cell, which never goes back; return the one it had before."""
        ...

    def recover(self, agent_id: AgentId) -> int:
        """Finish what an interrupted forgetting left in a cell; return how many revisions still have text there."""
        ...

    def pull_outbox(self, agent_id: AgentId, after: int, limit: int) -> tuple[AuditRecord, ...]:
        """Return up to `limit` audit records after sequence `after`, oldest first."""
        ...

    def explain(self, agent_id: AgentId, decision_id: DecisionId) -> Explanation | None:
        """Return the recorded trace of one decision; the host says who may ask."""
        ...

    def health(self, agent_id: AgentId) -> CellHealth:
        """Return counts for operators."""
        ...

    def amend_rules(self, context: AccessContext, plan: Plan, amendment: Amendment) -> int | Denied:
        """Grant or revoke a capability on the agent-shared store; returns the new authority revision."""
        ...


class MemoryPlugin(Authorizer, Reader, Writer, Upkeep, Protocol):
    """A whole memory plugin."""
