"""Our memory plugin: seam A over the stages of the engine, one line a call."""

from collections.abc import Mapping, Sequence
from typing import Final

from privity.engine import amending, card, egress, exact, forgetting, searching, transcripts, writing
from privity.engine import plan as planning
from privity.engine.attempt import attempt, denied, under_plan
from privity.engine.bound import Bound
from privity.engine.denials import deny_at
from privity.engine.indexing import Indexer
from privity.engine.leftovers import clear_leftovers
from privity.engine.meter import Count
from privity.engine.parts import Parts, parts_of
from privity.engine.people import issue_people
from privity.engine.ports import Backend
from privity.engine.records import RunRecord
from privity.engine.snapshot import take
from privity.model.audit import AuditRecord, Explanation
from privity.model.canonical import fingerprint
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
from privity.model.mutations import Amendment, Forget, Mutation, Publish, Remember
from privity.model.operations import Operation
from privity.model.passages import Card, ForgetPreview, Passage, WriteResult
from privity.model.plans import Plan
from privity.model.reasons import Reason
from privity.model.receipts import EgressReceipt, RunReceipt
from privity.model.standing import Authenticity
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.envelope import Envelope
from privity.sdk.plugin import CONTRACT_VERSION, Capabilities, CellHealth, LineRange, Synced
from privity.sdk.verification import ContextVerifier

CAPABILITIES: Final = Capabilities(
    version=CONTRACT_VERSION,
    scoped_candidates=True,
    exact_read_by_authorized_handle=True,
    scoped_sync=True,
    scoped_write=True,
    scoped_export=True,
    exposure_receipts=True,
    egress_receipts=True,
    labelled_transcripts=True,
)

MUTATION_OPERATIONS: Final[Mapping[type[Mutation], Operation]] = {
    Remember: Operation.APPEND,
    Forget: Operation.DELETE,
    Publish: Operation.PUBLISH,
}


class Engine:
    """Decides and owns all content of one vault. Implements `privity.sdk.plugin.MemoryPlugin`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._indexer = Indexer(parts)

    @property
    def capabilities(self) -> Capabilities:
        """What this plugin can do: all of the contract."""
        return CAPABILITIES

    def authorize(self, context: AccessContext) -> Plan | Denied:
        """Compute the view of `context` and bind a plan to it."""
        return self._refuse(context) or attempt(
            self._parts, context, lambda mark: planning.authorize(self._parts, take(self._parts, context, mark))
        )

    def begin_run(self, context: AccessContext, event: TranscriptEvent | None) -> RunReceipt | Denied:
        """Begin the run of `context` on top of what its session window was already shown."""
        return self._refuse(context) or transcripts.begin_run(self._parts, context, event)

    def inherit_window(self, context: AccessContext, source: SessionId) -> Denied | None:
        """Give the new window of `context` what the window `source` was shown, exactly."""
        return self._refuse(context) or transcripts.inherit_window(self._parts, context, source)

    def authorize_egress(
        self, context: AccessContext, exposure_revision: RunExposureRevision
    ) -> EgressReceipt | Denied:
        """Say which audiences of the context's delivery may receive what its run was shown."""
        return self._refuse(context) or egress.authorize_egress(self._parts, context, exposure_revision)

    def subject_handles(self, context: AccessContext) -> tuple[SubjectHandle, ...]:
        """Issue handles for the actor, if it is one, and for the people seen mentioned."""
        if self._refuse(context) is not None:
            return ()
        return issue_people(self._parts, context)

    def search(
        self,
        context: AccessContext,
        plan: Plan,
        query: str,
        *,
        about: Sequence[SubjectHandle] | None,
        limit: int,
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        """Return the best `limit` permitted passages, best first."""
        return self._refuse(context) or searching.search(self._parts, context, plan, query, about=about, limit=limit)

    def read(
        self, context: AccessContext, plan: Plan, handle: ResourceHandle, *, lines: LineRange | None
    ) -> Envelope[Passage] | Denied:
        """Return one permitted revision by handle."""
        return self._refuse(context) or exact.read(self._parts, context, plan, handle, lines)

    def bootstrap(self, context: AccessContext, plan: Plan) -> Envelope[Card] | Denied:
        """Return the front card of the session subject's own store."""
        return self._refuse(context) or card.bootstrap(self._parts, context, plan)

    def export(
        self, context: AccessContext, plan: Plan, handles: Sequence[ResourceHandle]
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        """Return the revisions named by `handles`, all or nothing."""
        return self._refuse(context) or exact.export(self._parts, context, plan, handles)

    def write(self, context: AccessContext, plan: Plan, mutation: Mutation) -> WriteResult | Denied:
        """Perform one mutation under a context that was issued for its operation."""
        refusal = self._refuse(context)
        if refusal is not None:
            return refusal
        if context.operation is not MUTATION_OPERATIONS[type(mutation)]:
            return denied(self._parts, context, fingerprint(context), deny_at(Reason.INVALID_CONTEXT, 2))
        if isinstance(mutation, Remember):
            return writing.remember(self._parts, self._indexer, context, plan, mutation)
        if isinstance(mutation, Forget):
            return forgetting.forget(self._parts, self._indexer, context, plan, mutation)
        return writing.publish(self._parts, self._indexer, context, plan, mutation)

    def preview_forget(self, context: AccessContext, plan: Plan, handle: ResourceHandle) -> ForgetPreview | Denied:
        """Say what forgetting would take with it, under a context that was issued for deletion."""
        return self._refuse(context) or forgetting.preview_forget(self._parts, context, plan, handle)

    def append_event(self, context: AccessContext, event: TranscriptEvent) -> EventReceipt | Denied:
        """Append one transcript event and its label in one transaction."""
        return self._refuse(context) or transcripts.append_event(self._parts, context, event)

    def sync(self, context: AccessContext, plan: Plan) -> Synced | Denied:
        """Bring the index of the mounted stores up to date with the catalog."""
        return self._refuse(context) or under_plan(self._parts, context, plan, self._sync)

    def _sync(self, bound: Bound, _: RunRecord) -> Synced:
        """Bring the index of every mounted store up to date."""
        return Synced(rows=sum(self._indexer.catch_up(store) for store in bound.stores))

    def amend_rules(self, context: AccessContext, plan: Plan, amendment: Amendment) -> int | Denied:
        """Grant or revoke a capability on the agent-shared store."""
        return self._refuse(context) or amending.amend(self._parts, context, plan, amendment)

    def advance_host_facts(self, agent_id: AgentId, epoch: HostFactsRevision) -> HostFactsRevision:
        """Durably raise the host-facts epoch of a cell; return the one it had before."""
        self._parts.backend.stores.open_cell(agent_id)
        return self._parts.backend.stores.advance_host_facts(agent_id, epoch)

    def recover(self, agent_id: AgentId) -> int:
        """Clear away what an interrupted forgetting left in a cell; return how much of it is left still."""
        return clear_leftovers(self._parts, self._indexer, agent_id)

    def pull_outbox(self, agent_id: AgentId, after: int, limit: int) -> tuple[AuditRecord, ...]:
        """Return up to `limit` audit records after sequence `after`, oldest first."""
        return self._parts.backend.outbox.pull(agent_id, after, limit)

    def explain(self, agent_id: AgentId, decision_id: DecisionId) -> Explanation | None:
        """Return the recorded trace of one decision."""
        record = self._parts.backend.outbox.find_record(agent_id, decision_id)
        return None if record is None else Explanation(record=record)

    def health(self, agent_id: AgentId) -> CellHealth:
        """Return counts for operators."""
        counts = self._parts.backend.revisions.counts(agent_id)
        return CellHealth(
            stores=dict(counts.stores),
            revisions=dict(counts.revisions),
            events=counts.events,
            outbox=counts.outbox,
            counters=dict(self._parts.meter.read()),
            host_facts_revision=self._parts.backend.stores.authority(agent_id).host_facts_revision,
        )

    def _refuse(self, context: AccessContext) -> Denied | None:
        """Refuse what the host did not issue before any of it is believed, and record nothing of it."""
        if self._parts.verifier.standing(context).authenticity is Authenticity.GENUINE:
            return None
        self._parts.meter.count(Count.CONTEXT_REFUSED)
        return Denied(reason=Reason.INVALID_CONTEXT, step=1, decision_id=None)


def open_engine(backend: Backend, verifier: ContextVerifier, clock: Clock, entropy: Entropy) -> Engine:
    """Return the engine over an opened backend."""
    return Engine(parts_of(backend, verifier, clock, entropy))
