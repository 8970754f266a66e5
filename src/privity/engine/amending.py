"""Amending: who may publish into the agent-shared store, and who may not read it.

Leave to publish, to withdraw and to administer stands in the publishing policy. A deny on
anything else stands in the placement policy, whose next revision unsettles everything that
was derived under the old one.
"""

from dataclasses import replace
from typing import Final

from privity.engine.audit import Noted, deny, record_of
from privity.engine.candidates import Bound
from privity.engine.intent import Destination, destination, target_facts
from privity.engine.parts import Parts
from privity.engine.placement import first_policy, open_store, publishing_id
from privity.engine.plan import deny_at
from privity.engine.ports import MovedError
from privity.engine.reading import ATTEMPTS, bind
from privity.engine.records import AmendCommit, RunRecord, StoreRecord
from privity.engine.snapshot import take
from privity.engine.writing import parse_lifetime
from privity.model.audit import AuditKind
from privity.model.canonical import fingerprint
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import AuthorityRevision, PolicyRevision, RuleId
from privity.model.mutations import Amendment, AmendmentKind
from privity.model.operations import Operation
from privity.model.plans import Plan
from privity.model.policies import Effect, Policy, Rule
from privity.model.principals import ActorKind, PrincipalActor
from privity.model.reasons import Reason
from privity.model.resources import Section
from privity.model.subjects import AutonomousKind, AutonomousSubject
from privity.policy.evaluator import decide
from privity.sdk.errors import InputError

PUBLISHING: Final = frozenset({Operation.PUBLISH, Operation.DELETE, Operation.POLICY_ADMIN})
"""The capabilities over the agent-shared store that can be granted to a named principal."""


def amend(
    parts: Parts, context: AccessContext, plan: Plan, amendment: Amendment
) -> AuthorityRevision | Denied:
    """Grant or revoke a rule over the agent-shared store."""
    is_sensible(amendment)
    mark = fingerprint(context)
    for _ in range(ATTEMPTS):
        bound = bind(parts, context, mark, plan)
        if isinstance(bound, Deny):
            return deny(parts, take(parts, context, mark), bound)
        run = parts.backend.runs.load_run(context.agent_id, context.run_id)
        if run is None or run.session_id != context.session_id:
            return deny(parts, bound.snapshot, deny_at(Reason.INVALID_CONTEXT, 1))
        try:
            result = amend_once(parts, bound, run, amendment)
        except MovedError:
            continue
        return deny(parts, bound.snapshot, result) if isinstance(result, Deny) else result
    return deny(parts, take(parts, context, mark), deny_at(Reason.PLAN_EXPIRED, 2))


def is_sensible(amendment: Amendment) -> None:
    """Refuse a rule that could never be right.

    Raises:
        InputError: an allow for everybody, or for what placement alone may give.
    """
    parse_lifetime(amendment.lifetime)
    if amendment.effect is Effect.DENY:
        return
    if amendment.grantee_id is None:
        raise InputError(
            "an allow names nobody", where="principal", remedy="name one principal"
        )
    if amendment.capability not in PUBLISHING:
        raise InputError(
            f"`{amendment.capability}` cannot be granted",
            where="capability",
            remedy="grant one of: " + ", ".join(sorted(PUBLISHING)),
        )


def amend_once(
    parts: Parts, bound: Bound, run: RunRecord, amendment: Amendment
) -> AuthorityRevision | Deny:
    """Decide, and put the policy's next revision in force."""
    there = destination(parts, bound, run, Section.NOTE)
    if isinstance(there, Deny):
        return there
    if there.made is None:
        open_store(parts, bound.snapshot, there.address)
        raise MovedError  # decide again, on the store that now exists
    publishing = there.policies.get(publishing_id(there.placement.policy_id))
    current = publishing or first_publishing(parts, bound.snapshot.context, there)
    decided = decide(
        replace(
            target_facts(bound, there, Operation.POLICY_ADMIN, Section.NOTE),
            own_policies=(there.placement, current),
        )
    )
    if isinstance(decided, Deny):
        return decided
    return commit(parts, bound, there.made, next_policy(parts, bound, there, publishing, current, amendment))


def first_publishing(parts: Parts, context: AccessContext, there: Destination) -> Policy:
    """Return the publishing policy before its first revision.

    The operator of the deployment, whom the host states as a system principal acting for
    the system, is the administrative owner of the agent. Nobody else is anything yet.
    """
    policy = first_policy(publishing_id(there.placement.policy_id), there.placement.audience)
    match context.actor, context.session_subject:
        case (
            PrincipalActor(actor_kind=ActorKind.SYSTEM, principal_id=owner),
            AutonomousSubject(kind=AutonomousKind.SYSTEM, principal_id=subject),
        ) if owner == subject:
            rules = tuple(
                Rule(
                    rule_id=RuleId(parts.entropy.token("rul")),
                    effect=Effect.ALLOW,
                    capability=capability,
                    grantee_id=owner,
                    grantor_id=owner,
                    expires_at=None,
                )
                for capability in sorted(PUBLISHING)
            )
            return replace(policy, policy_revision=PolicyRevision(0), rules=rules)
        case _:
            return policy


def next_policy(
    parts: Parts,
    bound: Bound,
    there: Destination,
    publishing: Policy | None,
    current: Policy,
    amendment: Amendment,
) -> Policy:
    """Return the next revision of the policy that an amendment belongs to."""
    base = current if amendment.capability in PUBLISHING else there.placement
    kept = tuple(rule for rule in base.rules if not same_rule(rule, amendment))
    added = (new_rule(parts, bound, amendment),) if amendment.kind is AmendmentKind.GRANT else ()
    return replace(
        base, policy_revision=PolicyRevision(base.policy_revision + 1), rules=(*kept, *added)
    )


def same_rule(rule: Rule, amendment: Amendment) -> bool:
    """The rule is the one that the amendment speaks of."""
    return (rule.effect, rule.capability, rule.grantee_id) == (
        amendment.effect,
        amendment.capability,
        amendment.grantee_id,
    )


def new_rule(parts: Parts, bound: Bound, amendment: Amendment) -> Rule:
    """Return the rule that a grant puts in force, by whoever acts."""
    actor = bound.snapshot.context.actor
    if not isinstance(actor, PrincipalActor):
        raise MovedError
    lifetime = amendment.lifetime
    return Rule(
        rule_id=RuleId(parts.entropy.token("rul")),
        effect=amendment.effect,
        capability=amendment.capability,
        grantee_id=amendment.grantee_id,
        grantor_id=actor.principal_id,
        expires_at=None if lifetime is None else bound.snapshot.now + lifetime,
    )


def commit(parts: Parts, bound: Bound, store: StoreRecord, policy: Policy) -> AuthorityRevision:
    """Put one policy revision in force with its audit record."""
    said = Noted(
        kind=AuditKind.AMENDMENT,
        operation=Operation.POLICY_ADMIN,
        store_ids=(store.facts.store_id,),
        store_kinds=(store.facts.kind,),
    )
    return parts.backend.stores.amend(
        AmendCommit(
            expected=bound.snapshot.authority,
            agent_id=store.facts.agent_id,
            policy=policy,
            record=record_of(parts, bound.snapshot, said),
        )
    )
