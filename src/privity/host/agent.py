"""An agent: one hard cell of memory, and the sessions in it."""

from privity.host.events import VerifiedEvent
from privity.host.records import AgentRecord, MappedSession
from privity.host.session import Session
from privity.host.workings import Workings
from privity.model.context import Visibility
from privity.model.ids import AgentId, PrincipalId, SessionKey
from privity.model.principals import PrincipalKind
from privity.model.subjects import AutonomousKind
from privity.sdk.errors import InputError
from privity.sdk.strict import strict


@strict
class Agent:
    """Opens the sessions of one agent."""

    def __init__(self, workings: Workings, record: AgentRecord) -> None:
        self._workings = workings
        self._record = record

    @property
    def agent_id(self) -> AgentId:
        """The agent's opaque id."""
        return self._record.agent_id

    @property
    def name(self) -> str:
        """What the operator calls it."""
        return self._record.name

    def session(self, event: VerifiedEvent, visibility: Visibility = Visibility.NORMAL) -> Session:
        """Return the session of an event's route; its subject is stamped the first time.

        Raises:
            DeniedError: the event did not come from this host's ingress.
        """
        admission = self._workings.events.admission(event)
        return self._face(self._workings.sessions.open_for(self.agent_id, admission, visibility))

    def service_session(self, service_id: PrincipalId) -> Session:
        """Return the session in which a service acts for itself.

        Raises:
            InputError: there is no such service.
        """
        head = self._workings.stores.identities.find_head(service_id)
        if head is None or head.principal.kind is not PrincipalKind.SERVICE:
            raise InputError("names no service", where="service_id", remedy="add it with `operator.add_service`")
        return self._autonomous(AutonomousKind.SERVICE, head.principal.principal_id)

    def own_session(self) -> Session:
        """Return the session in which the agent acts for itself."""
        return self._autonomous(AutonomousKind.AGENT, PrincipalId(self.agent_id))

    def imported_session(self) -> Session:
        """Return a new session for what cannot prove its lineage: it is quarantined and sees nothing."""
        return self._face(self._workings.sessions.open_quarantined(self.agent_id))

    def resume(self, session_key: SessionKey) -> Session:
        """Return a session by the name of its route, in its current window.

        Raises:
            InputError: this agent has no such session.
        """
        found = self._workings.sessions.find(self.agent_id, session_key)
        if found is None:
            raise InputError("names no session", where="session_key", remedy="use the key of a session")
        return self._face(found)

    def _autonomous(self, kind: AutonomousKind, principal_id: PrincipalId) -> Session:
        """Return the session of a subject that acts for itself."""
        return self._face(self._workings.sessions.open_autonomous(self.agent_id, kind, principal_id))

    def _face(self, mapped: MappedSession) -> Session:
        """Return the public face of a session."""
        return Session(self._workings, mapped)


def known_agent(workings: Workings, agent: Agent) -> AgentId:
    """Return the id of an agent of this home.

    Raises:
        InputError: it is an agent of another home, for whom nothing is done or kept here.
    """
    if workings.stores.agents.load_agent(agent.agent_id) is None:
        raise InputError("is no agent of this home", where="agent", remedy="use what `host.agent` returns")
    return agent.agent_id
