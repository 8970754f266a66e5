"""Delegation: what a parent run hands to a child, each hop the intersection with the one before."""

from dataclasses import dataclass
from typing import Final

from privity.host.records import MappedSession, Succession
from privity.host.turns import Bounds, Turn
from privity.host.windows import inherit
from privity.model.audiences import Audience, AudienceKind
from privity.model.context import AccessContext, Delegation
from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.model.plans import Plan
from privity.model.principals import UnattributedActor
from privity.model.reasons import Reason
from privity.sdk.errors import DeniedError, InputError

MAX_DEPTH: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """What a child is asked to do. It can only narrow what its parent has.

    `audiences` bounds what the child may draw on; `None` bounds it by the parent's own.
    """

    operations: frozenset[Operation]
    audiences: frozenset[Audience] | None = None


def delegated(parent: Turn, handover: Handover) -> Turn:
    """Begin the turn of a child, in a window of its own that starts from what the parent was shown.

    Raises:
        InputError: the child could do nothing, or the chain is too deep.
        DeniedError: nobody in particular delegates, or the plugin refuses.
    """
    depth = 1 if parent.bounds is None else parent.bounds.delegation.depth + 1
    if Operation.RETRIEVE not in handover.operations:
        raise InputError("lack `retrieve`", where="operations", remedy="a child that may do anything may look")
    if depth > MAX_DEPTH:
        raise InputError("is too deep", where="delegation", remedy=f"delegate at most {MAX_DEPTH} times in a row")
    with parent.exclusive(), parent.context(Operation.RETRIEVE, parent.destination) as context:
        plan = parent.plan(context)
        bounds = Bounds(
            delegation=narrowed(parent, context, plan, handover, depth),
            parent_is_open=lambda: parent.is_open,
        )
        session = child_session(parent)
    child = Turn(parent.workings, session, parent.acting, parent.destination, bounds)
    child.begin(None)
    return child


def narrowed(parent: Turn, context: AccessContext, plan: Plan, handover: Handover, depth: int) -> Delegation:
    """Return the facts of the child: never more operations or audiences than the parent has."""
    above = None if parent.bounds is None else parent.bounds.delegation
    return Delegation(
        root_principal_id=root_of(context) if above is None else above.root_principal_id,
        root_context_id=context.context_id if above is None else above.root_context_id,
        parent_context_id=context.context_id,
        parent_plan_id=plan.plan_id,
        capability_snapshot_id=parent.workings.entropy.token("cap"),
        allowed_operations=handover.operations if above is None else handover.operations & above.allowed_operations,
        maximum_audiences=least(reach(context), above, handover),
        store_cap_token=plan.seal.hex(),
        depth=depth,
    )


def reach(context: AccessContext) -> frozenset[Audience]:
    """Return the audiences a parent draws on: its delivery's, its groups', and the agent's own cell."""
    groups = {Audience(kind=AudienceKind.ROLE, id=one.group_id) for one in context.verified_memberships}
    cell = Audience(kind=AudienceKind.AGENT_SHARED, id=context.agent_id)
    return frozenset({*context.delivery.audiences, *groups, cell})


def least(own: frozenset[Audience], above: Delegation | None, handover: Handover) -> frozenset[Audience]:
    """Return the audiences that the parent, the delegation above and the handover all allow."""
    bounded = own if above is None else own & above.maximum_audiences
    return bounded if handover.audiences is None else bounded & handover.audiences


def root_of(context: AccessContext) -> PrincipalId:
    """Return the principal whose authority a chain of delegations starts from.

    Raises:
        DeniedError: the actor is nobody in particular and has none to hand on.
    """
    if isinstance(context.actor, UnattributedActor):
        raise DeniedError(Reason.INVALID_CONTEXT, 1)
    return context.actor.principal_id


def child_session(parent: Turn) -> MappedSession:
    """Return the child's own session: the parent's subject, and a window that inherits the parent's."""
    workings = parent.workings
    return workings.sessions.succeed(parent.session, Succession.DELEGATION, inherit(workings))
