"""Amending: who may publish into the agent-shared store, and who may not read it.

Leave to publish, to withdraw and to administer stands in the publishing policy. A deny on
anything else stands in the placement policy, whose next revision unsettles everything that
was derived under the old one.
"""

from dataclasses import dataclass, replace

from privity.engine.attempt import under_plan
from privity.engine.audit import Noted, accessor, record_of
from privity.engine.bound import Bound
from privity.engine.denials import deny_at
from privity.engine.intent import Destination, destination, target_facts
from privity.engine.parts import Parts
from privity.engine.placement import PUBLISHING, first_policy, open_store, publishing_policy
from privity.engine.records import AmendCommit, RunRecord, StoreRecord
from privity.engine.writing import parse_lifetime
from privity.model.audit import AuditKind
from privity.model.context import AccessContext
from privity.model.decisions import Denied, Deny
from privity.model.ids import AuthorityRevision, PolicyRevision, PrincipalId, RuleId
from privity.model.mutations import Amendment, AmendmentKind
from privity.model.operations import Operation
from privity.model.plans import Plan
from privity.model.policies import Effect, Policy, Rule
from privity.model.reasons import Reason
from privity.model.resources import Section
from privity.policy.evaluator import decide
from privity.sdk.errors import InputError


def amend(parts: Parts, context: AccessContext, plan: Plan, amendment: Amendment) -> AuthorityRevision | Denied:
    """Grant or revoke a rule over the agent-shared store."""
    is_sensible(amendment)
    return under_plan(parts, context, plan, lambda bound, run: amend_once(parts, bound, run, amendment))


def is_sensible(amendment: Amendment) -> None:
    """Refuse a rule that could never be right.

    Raises:
        InputError: an allow for everybody, or for what placement alone may give.
    """
    parse_lifetime(amendment.lifetime)
    if amendment.effect is Effect.DENY:
        return
    if amendment.grantee_id is None:
        raise InputError("an allow names nobody", where="principal", remedy="name one principal")
    if amendment.capability not in PUBLISHING:
        raise InputError(
            f"`{amendment.capability}` cannot be granted",
            where="capability",
            remedy="grant one of: " + ", ".join(sorted(PUBLISHING)),
        )


def amend_once(parts: Parts, bound: Bound, run: RunRecord, amendment: Amendment) -> AuthorityRevision | Deny:
    """Decide, and put the policy's next revision in force."""
    grantor = accessor(bound.snapshot.context.actor)
    if grantor is None:
        return deny_at(Reason.DEFAULT_DENY, 6)
    there = destination(parts, bound, run, Section.NOTE)
    if isinstance(there, Deny):
        return there
    decided = decide(target_facts(bound, there, Operation.POLICY_ADMIN, Section.NOTE))
    if isinstance(decided, Deny):
        return decided
    base = policy_to_amend(parts, bound, there, amendment)
    return commit(parts, bound, base.store, next_policy(parts, bound, base.policy, amendment, grantor))


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The store and the policy, at its current revision, that an amendment belongs to."""

    store: StoreRecord
    policy: Policy


def policy_to_amend(parts: Parts, bound: Bound, there: Destination, amendment: Amendment) -> Base:
    """Return what an amendment changes; the store is made if it is new."""
    snapshot = bound.snapshot
    store = there.made or open_store(parts, snapshot, there.address)
    placement = there.placement if there.made else first_policy(store.policy_id, store.facts.audience)
    if amendment.capability not in PUBLISHING:
        return Base(store=store, policy=placement)
    return Base(store=store, policy=publishing_policy(snapshot.context, placement, there.policies))


def next_policy(parts: Parts, bound: Bound, base: Policy, amendment: Amendment, grantor: PrincipalId) -> Policy:
    """Return the next revision of a policy, with the amended rule in force or out of it."""
    kept = tuple(rule for rule in base.rules if not same_rule(rule, amendment))
    if amendment.kind is AmendmentKind.REVOKE and kept == base.rules:
        raise InputError("was not in force", where="rule", remedy="name the one to whom it was given, and what")
    added = (new_rule(parts, bound, amendment, grantor),) if amendment.kind is AmendmentKind.GRANT else ()
    return replace(base, policy_revision=PolicyRevision(base.policy_revision + 1), rules=(*kept, *added))


def same_rule(rule: Rule, amendment: Amendment) -> bool:
    """The rule is the one that the amendment speaks of."""
    return (rule.effect, rule.capability, rule.grantee_id) == (
        amendment.effect,
        amendment.capability,
        amendment.grantee_id,
    )


def new_rule(parts: Parts, bound: Bound, amendment: Amendment, grantor: PrincipalId) -> Rule:
    """Return the rule that a grant puts in force, by whoever acts."""
    lifetime = amendment.lifetime
    return Rule(
        rule_id=RuleId(parts.entropy.token("rul")),
        effect=amendment.effect,
        capability=amendment.capability,
        grantee_id=amendment.grantee_id,
        grantor_id=grantor,
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
