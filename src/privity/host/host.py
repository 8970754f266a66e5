"""The host: one home, its agents, and the doors of it."""

from collections.abc import Callable, Iterator
from typing import Final, Self

from privity.host import gate
from privity.host.adapters import Adapters
from privity.host.agent import Agent, known_agent
from privity.host.delivery import Address, Basis, Destination, Recipient
from privity.host.events import VerifiedEvent
from privity.host.identities import Identities
from privity.host.ingress import Ingress, Reception
from privity.host.inputs import parse_characters, parse_name
from privity.host.operator import Operator
from privity.host.options import Mode
from privity.host.records import (
    AgentRecord,
    AuditEntry,
    HostAct,
    PrincipalRecord,
    PrincipalState,
)
from privity.host.sinks import Sinks
from privity.host.workings import Workings
from privity.model.audit import Explanation
from privity.model.ids import AgentId, DecisionId, DeliveryHandle, HostFactsRevision, PrincipalId, SinkId
from privity.model.principals import PrincipalKind
from privity.model.subjects import SessionSubject
from privity.sdk.errors import ConflictError, InputError
from privity.sdk.identity import Voucher
from privity.sdk.plugin import CellHealth
from privity.sdk.strict import strict

PAGE: Final = 500
"""How many sessions are read at a time."""


@strict
class Host:
    """One home. It says who is asking, from where and to whom, and gates what leaves."""

    def __init__(
        self, workings: Workings, reception: Reception, voucher: Voucher | None, closing: Callable[[], None]
    ) -> None:
        self._workings = workings
        self._reception = reception
        self._voucher = voucher
        self._closing = closing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the home and let go of it."""
        self._closing()

    @property
    def mode(self) -> Mode:
        """What the home is for."""
        return self._workings.options.mode

    @property
    def adapters(self) -> Adapters:
        """The identity adapters; they register before the first event and never after."""
        return self._reception.adapters

    @property
    def sinks(self) -> Sinks:
        """The places that output may go to."""
        return self._workings.sinks

    @property
    def local(self) -> Voucher:
        """The maker of events on the operator's word, for trying out.

        Raises:
            InputError: this home takes nobody's word.
        """
        if self._voucher is None or self.mode is Mode.PRODUCTION:
            raise InputError(
                "takes nobody's word", where="local", remedy="use a development or evaluation home, with `local` on"
            )
        return self._voucher

    def agent(self, name: str) -> Agent:
        """Return the agent of this name.

        Raises:
            InputError: there is none.
        """
        record = self._workings.stores.agents.find_agent(parse_name(name, where="agent"))
        if record is None:
            raise InputError("names no agent of this home", where="agent", remedy="add it with `host.add_agent`")
        return Agent(self._workings, record)

    def agents(self) -> tuple[Agent, ...]:
        """Return all agents, oldest first."""
        return tuple(Agent(self._workings, record) for record in self._workings.stores.agents.list_agents())

    def add_agent(self, name: str) -> Agent:
        """Make an agent: a hard cell of memory of its own.

        Raises:
            ConflictError: there is one of this name.
        """
        workings = self._workings
        record = self._fresh_agent(parse_name(name, where="agent"))
        if workings.stores.agents.find_agent(record.name) is not None:
            raise ConflictError("an agent of this name exists")
        workings.stores.identities.add_principal(agent_principal(record))
        if workings.stores.agents.add_agent(record) != record:
            raise ConflictError("an agent of this name exists")
        workings.epochs.settle()
        workings.trail.note(HostAct.AGENT_ADDED, agent_id=record.agent_id, actor_id=workings.operator_id)
        return Agent(workings, record)

    def _fresh_agent(self, name: str) -> AgentRecord:
        """Return a new agent that is not stored yet; its cell is made when its first epoch is told."""
        return AgentRecord(
            agent_id=AgentId(self._workings.entropy.token(PrincipalKind.AGENT)),
            name=name,
            owner_id=self._workings.operator_id,
            host_facts_epoch=HostFactsRevision(1),
            settled_epoch=HostFactsRevision(0),
            created_at=self._workings.clock.now(),
        )

    def ingress(self, adapter: str) -> Ingress:
        """Return the door of an adapter.

        Raises:
            InputError: no such adapter is registered.
        """
        return Ingress(self._reception, self._reception.adapters.find(adapter))

    def delivery(self, sink_id: SinkId, route: str = "") -> DeliveryHandle:
        """Return a handle for a place that a registered sink resolves.

        Raises:
            InputError: no such sink is registered, or nobody is at that route.
        """
        registration = self._workings.sinks.find(sink_id)
        if registration is None:
            raise InputError("names no sink", where="sink_id", remedy="register it with `host.sinks.register`")
        path = parse_characters(route, where="route")
        destination = Destination(
            sink_id=sink_id,
            sink_kind=registration.sink.kind,
            address=Address(adapter="", account="", conversation_id=path, sender_id=""),
            basis=Basis.SINK,
            recipients=lambda: self._recipients(sink_id, path),
        )
        if not destination.recipients():
            raise InputError("leads to nobody", where="route", remedy="use a route that the sink knows")
        revision = self._workings.sinks.delivery_revision(destination)
        return self._workings.deliveries.issue(destination, revision)

    def _recipients(self, sink_id: SinkId, route: str) -> tuple[Recipient, ...]:
        """Return who receives what is sent by one route of a sink, as the sink says now."""
        registration = self._workings.sinks.find(sink_id)
        if registration is None:
            return ()
        return gate.resolve(lambda: registration.sink.resolve(route))

    def operator(self, principal_id: PrincipalId | None = None) -> Operator:
        """Return the administrator, or a person whom the operator's surface authenticated.

        Raises:
            InputError: there is no such live person.
        """
        if principal_id is None:
            return Operator(self._workings, self._workings.operator_id)
        head = Identities(self._workings).person(principal_id)
        return Operator(self._workings, head.principal.principal_id)

    def recover(self, *, rejoin: bool = False) -> None:
        """Finish what was interrupted: every cell learns its epoch, and clears away what was forgotten in it.

        `rejoin` is the operator's word that a host or a vault put back from a copy may serve again.

        Raises:
            HomePartedError: the host and the vault are not of one moment.
        """
        workings = self._workings
        for agent in workings.epochs.rejoin() if rejoin else ():
            workings.trail.note(HostAct.HOME_REJOINED, agent_id=agent.agent_id, actor_id=workings.operator_id)
        workings.epochs.require_matching()
        workings.epochs.settle()
        for agent in self.agents():
            self._clear_away(agent)

    def _clear_away(self, agent: Agent) -> None:
        """Have a cell clear away what an interrupted forgetting left; what it cannot it counts, and denies as before."""
        gate.listen(lambda: self._workings.plugin.recover(agent.agent_id))

    def drain(self) -> int:
        """Copy what is new in every agent's outbox into the audit; return how many rows that was."""
        return self._workings.trail.drain()

    def audit(self, limit: int = 100, after: int = 0) -> tuple[AuditEntry, ...]:
        """Return up to `limit` audit rows after one of them, oldest first. Looking is recorded."""
        return self._workings.trail.entries(limit, after, self._workings.operator_id)

    def explain(self, decision_id: DecisionId) -> Explanation | None:
        """Return why one decision came out as it did."""
        return self._workings.trail.explain(decision_id)

    def health(self, agent: Agent) -> CellHealth:
        """Return numbers about one agent's cell."""
        agent_id = known_agent(self._workings, agent)
        return gate.listen(lambda: self._workings.plugin.health(agent_id))

    def subjects(self, agent: Agent) -> Iterator[SessionSubject]:
        """Return whom each session of an agent is with, for operators: a kind and opaque ids."""
        return self._subjects(known_agent(self._workings, agent))

    def _subjects(self, agent_id: AgentId) -> Iterator[SessionSubject]:
        """Yield whom each session of an agent of this home is with."""
        ledger, after = self._workings.stores.sessions, None
        while page := ledger.list_sessions(agent_id, after, PAGE):
            yield from (mapped.record.subject for mapped in page)
            after = page[-1].record.session_key

    def vouch(self, sender: str, text: str, conversation: str | None = None) -> VerifiedEvent:
        """Return a verified event on the operator's word: the short way through `local` and its ingress."""
        request = self.local.event(sender=sender, conversation=conversation, text=text)
        return self.ingress("local").verify(request.headers, request.body)


def agent_principal(record: AgentRecord) -> PrincipalRecord:
    """Return an agent as a principal: it bears the same id."""
    return PrincipalRecord(
        principal_id=PrincipalId(record.agent_id),
        kind=PrincipalKind.AGENT,
        label=record.name,
        state=PrincipalState.LIVE,
        merged_into=None,
        created_at=record.created_at,
    )
