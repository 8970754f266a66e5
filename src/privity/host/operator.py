"""An authenticated operator: publishing and granting under a run of its own, like any other operation."""

from datetime import timedelta

from privity.host import gate
from privity.host.agent import Agent, known_agent
from privity.host.conversations import Conversations
from privity.host.identities import Identities
from privity.host.inputs import parse_lifetime, parse_text
from privity.host.own import own_turn, personal_turn
from privity.host.records import HostAct
from privity.host.turns import Turn
from privity.host.workings import Workings
from privity.model.ids import PrincipalId
from privity.model.mutations import Amendment, AmendmentKind, Publish
from privity.model.operations import Operation
from privity.model.passages import Remembered
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.resources import Anonymity
from privity.model.subjects import AutonomousKind
from privity.sdk.errors import DeniedError
from privity.sdk.strict import strict


@strict
class Operator:
    """Somebody whom the operator's surface authenticated: the administrator, or a named person."""

    def __init__(self, workings: Workings, principal_id: PrincipalId) -> None:
        self._workings = workings
        self._principal_id = principal_id
        self._identities = Identities(workings)

    @property
    def principal_id(self) -> PrincipalId:
        """Who acts."""
        return self._principal_id

    @property
    def identities(self) -> Identities:
        """Principals and bindings.

        Raises:
            DeniedError: this is no administrator.
        """
        self._require_administrator()
        return self._identities

    @property
    def conversations(self) -> Conversations:
        """Conversations, their owners and members.

        Raises:
            DeniedError: this is no administrator.
        """
        self._require_administrator()
        return Conversations(self._workings, self._identities)

    def publish(self, agent: Agent, text: str, anonymity: Anonymity = Anonymity.IDENTIFIED_ONLY) -> Remembered:
        """Add text to what the whole agent may show, if this operator may publish.

        Raises:
            DeniedError: the capability was not granted.
        """
        mutation = Publish(text=parse_text(text, where="text"), anonymity=anonymity)
        turn = self._turn(agent)
        written = turn.written(Operation.PUBLISH, mutation, Remembered)
        self._note(HostAct.PUBLISHED, agent, turn.run_id)
        return written

    def grant(
        self, agent: Agent, capability: Operation, principal_id: PrincipalId, lifetime: timedelta | None = None
    ) -> int:
        """Grant a capability over the agent-shared store; returns the cell's new authority revision."""
        grantee = self._identities.known(principal_id).principal.principal_id
        amendment = Amendment(
            kind=AmendmentKind.GRANT,
            effect=Effect.ALLOW,
            capability=capability,
            grantee_id=grantee,
            lifetime=parse_lifetime(lifetime),
        )
        revision = self._amend(agent, amendment)
        self._note(HostAct.RIGHT_GRANTED, agent, capability, grantee)
        return revision

    def revoke(self, agent: Agent, capability: Operation, principal_id: PrincipalId) -> int:
        """Take a granted capability back; returns the cell's new authority revision."""
        grantee = self._identities.known(principal_id).principal.principal_id
        amendment = Amendment(
            kind=AmendmentKind.REVOKE,
            effect=Effect.ALLOW,
            capability=capability,
            grantee_id=grantee,
            lifetime=None,
        )
        revision = self._amend(agent, amendment)
        self._note(HostAct.RIGHT_REVOKED, agent, capability, grantee)
        return revision

    def deny(
        self,
        agent: Agent,
        capability: Operation,
        principal_id: PrincipalId | None,
        lifetime: timedelta | None = None,
    ) -> int:
        """Deny a capability over the agent-shared store to one principal, or with `None` to everybody.

        A denial outweighs whatever is granted. It also binds what was shown before: a window that
        was shown what is denied now says nothing of it any more.
        """
        grantee = None if principal_id is None else self._identities.known(principal_id).principal.principal_id
        revision = self._amend(agent, denial(AmendmentKind.GRANT, capability, grantee, parse_lifetime(lifetime)))
        self._note(HostAct.RIGHT_DENIED, agent, capability, grantee or "")
        return revision

    def lift(self, agent: Agent, capability: Operation, principal_id: PrincipalId | None) -> int:
        """Take a denial back; returns the cell's new authority revision.

        Raises:
            InputError: there is none.
        """
        grantee = None if principal_id is None else self._identities.known(principal_id).principal.principal_id
        revision = self._amend(agent, denial(AmendmentKind.REVOKE, capability, grantee, None))
        self._note(HostAct.DENIAL_LIFTED, agent, capability, grantee or "")
        return revision

    def _amend(self, agent: Agent, amendment: Amendment) -> int:
        """Change the rules over the agent-shared store."""
        turn, plugin = self._turn(agent), self._workings.plugin
        with turn.exclusive(), turn.context(Operation.POLICY_ADMIN, turn.destination) as context:
            plan = turn.plan(context)
            return gate.ask(lambda: plugin.amend_rules(context, plan, amendment))

    def _turn(self, agent: Agent) -> Turn:
        """Begin a run for one act of this operator."""
        sessions, agent_id = self._workings.sessions, known_agent(self._workings, agent)
        if self._is_administrator:
            mapped = sessions.open_autonomous(agent_id, AutonomousKind.SYSTEM, self._principal_id)
            turn = own_turn(self._workings, mapped)
        else:
            evidence = self._workings.parties.profile_evidence(self._principal_id)
            mapped = sessions.open_personal(agent_id, self._principal_id, evidence)
            turn = personal_turn(self._workings, mapped)
        turn.begin(None)
        return turn

    @property
    def _is_administrator(self) -> bool:
        """This is the administrator of the home."""
        return self._principal_id == self._workings.operator_id

    def _require_administrator(self) -> None:
        """Let nobody else administer.

        Raises:
            DeniedError: this is no administrator.
        """
        if not self._is_administrator:
            raise DeniedError(Reason.DEFAULT_DENY, 1)

    def _note(self, act: HostAct, agent: Agent, *target_ids: str) -> None:
        """Write down what the operator did."""
        self._workings.trail.note(act, agent_id=agent.agent_id, actor_id=self._principal_id, target_ids=target_ids)


def denial(
    kind: AmendmentKind, capability: Operation, grantee: PrincipalId | None, lifetime: timedelta | None
) -> Amendment:
    """Return the amendment that puts a denial in force or out of it."""
    return Amendment(kind=kind, effect=Effect.DENY, capability=capability, grantee_id=grantee, lifetime=lifetime)
