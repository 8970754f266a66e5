"""The same decision a second time, written from the specification in another style.

It shares no code with `privity.policy` but the shape of its facts. It works out *every* objection
to a decision as sets over all people, stores and rules, and then takes the first by the order of
the specification. It is meant to be compared with, not to be fast.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

from privity.model.context import AccessContext, NotCollaborative, Visibility
from privity.model.operations import Operation
from privity.model.policies import Effect, PolicyState, Rule
from privity.model.principals import UnattributedActor
from privity.model.reasons import Reason
from privity.model.resources import Anonymity, Integrity, Lineage, RevisionState, Section
from privity.model.standing import Authenticity
from privity.model.subjects import AmbiguousSubject, ConversationSubject
from privity.policy.facts import Facts
from tests.policy.reference_people import actor_ids, classes, has_ended, owners, somebody_is_gone
from tests.policy.reference_reach import all_reached, nowhere_to_put


def words(text: str) -> frozenset[str]:
    """Return the words of a line."""
    return frozenset(text.split())


Verdict = tuple[Reason, int] | None
"""Why it is denied and at which step, or `None` where it is allowed."""

NEEDS: Final = {
    "retrieve": "retrieve",
    "read": "retrieve read",
    "derive": "retrieve read derive",
    "export": "retrieve read export",
    "replace": "append replace",
}
CHANGES: Final = words("append replace derive deposit project publish import delete policy-admin")
LOOKS_AT_SOMETHING: Final = words("retrieve read export replace delete project")
ABOUT_CONTENT: Final = words("retrieve read derive export project")
BY_NAME_ONLY: Final = words("publish policy-admin")
SEES: Final = """
    admin sees shared, admin sees read-only, admin sees suggest, admin sees draft,
    owner sees shared, owner sees read-only, owner sees suggest, owner sees draft,
    member sees shared, member sees read-only, member sees suggest,
    viewer sees shared, viewer sees read-only, viewer sees suggest
"""
CHANGES_IN: Final = """
    admin changes shared, admin changes suggest, admin changes draft,
    owner changes shared, owner changes suggest, owner changes draft,
    member changes shared
"""


def judge(facts: Facts) -> Verdict:
    """Return the first objection, or nothing."""
    found = sorted((order, step, reason.value) for order, (step, reason) in enumerate(objections(facts)) if reason)
    return (Reason(found[0][2]), found[0][1]) if found else None


def objections(facts: Facts) -> Iterator[tuple[int, Reason | None]]:
    """Yield, in the specified order, each possible objection and whether it is raised."""
    for step, reason, raised in (
        *about_the_context(facts),
        *about_the_plan(facts),
        *about_the_place(facts),
        *about_the_session(facts),
        *about_rules(facts),
        *about_sources(facts),
    ):
        yield step, reason if raised else None


Objection = tuple[int, Reason, bool]


def about_the_context(facts: Facts) -> Iterator[Objection]:
    """Yield what may be wrong with the context itself."""
    context, now_ = facts.context, facts.standing
    delegation = context.delegation
    yield (
        1,
        Reason.INVALID_CONTEXT,
        now_.authenticity != Authenticity.GENUINE or context.version != 1,
    )
    yield 1, Reason.INVALID_CONTEXT, not (context.issued_at <= facts.now < context.expires_at)
    yield 1, Reason.INVALID_CONTEXT, any(a & b for a, b in combinations(classes(context), 2))
    yield (
        1,
        Reason.SESSION_REBOUND,
        (context.session_identity_revision, context.subject_revision)
        != (now_.session_identity_revision, now_.subject_revision),
    )
    yield (
        1,
        Reason.DELIVERY_REBOUND,
        (context.delivery.delivery_revision, context.delivery.egress_registry_revision)
        != (now_.delivery_revision, now_.egress_registry_revision),
    )
    yield 1, Reason.IDENTITY_REVOKED, context.host_facts_revision != now_.host_facts_revision
    yield 1, Reason.IDENTITY_REVOKED, somebody_is_gone(context, now_, facts.now)
    yield (
        1,
        Reason.DEFAULT_DENY,
        delegation is not None
        and not (
            delegation.depth in range(1, 9)
            and needs(facts.operation) <= {str(op) for op in delegation.allowed_operations}
        ),
    )


def about_the_plan(facts: Facts) -> Iterator[Objection]:
    """Yield what may be wrong with the plan."""
    plan, asked, decided = facts.plan, facts.context.operation, facts.operation
    goes_along = (decided == "derive" and asked in ("append", "replace", "publish")) or (asked, decided) == (
        "delete",
        "read",
    )
    same_thing = asked == decided or goes_along
    yield (
        2,
        Reason.INVALID_CONTEXT,
        (plan.context_fingerprint, plan.operation, plan.agent_id) != (facts.fingerprint, asked, facts.context.agent_id)
        or not same_thing,
    )
    yield 2, Reason.DELIVERY_REBOUND, plan.delivery_revision != facts.context.delivery.delivery_revision
    yield (
        2,
        Reason.PLAN_EXPIRED,
        has_ended(plan.expires_at, facts.now) or plan.authority_revision != facts.authority_revision,
    )


def about_the_place(facts: Facts) -> Iterator[Objection]:
    """Yield what may be wrong with the store and the revision."""
    store, revision, view = facts.store, facts.revision, facts.view
    why = view.withheld.get(store.store_id)
    yield 3, Reason.IDENTITY_REVOKED, why == Reason.IDENTITY_REVOKED
    yield 3, Reason.MEMBERSHIP_STALE, why == Reason.MEMBERSHIP_STALE
    yield 3, Reason.OUTSIDE_VIEW, why is not None
    agents = {store.agent_id, facts.agent_id, facts.context.agent_id}
    stores = {store.store_id}
    if revision is not None:
        agents, stores = agents | {revision.agent_id}, stores | {revision.store_id}
    yield (
        4,
        Reason.OUTSIDE_VIEW,
        store.store_id not in view.mounts or store.state != "active" or len(agents) > 1 or len(stores) > 1,
    )
    yield (
        4,
        Reason.OUTSIDE_VIEW,
        revision is not None and nobody_in_particular(facts.context) and revision.anonymity != Anonymity.ANONYMOUS_SAFE,
    )
    yield (
        5,
        Reason.REVISION_STALE,
        facts.operation in LOOKS_AT_SOMETHING
        if revision is None
        else (revision.state, revision.integrity) != (RevisionState.ACTIVE, Integrity.VERIFIED)
        or has_ended(revision.expires_at, facts.now),
    )


def about_the_session(facts: Facts) -> Iterator[Objection]:
    """Yield what the session itself may forbid."""
    context = facts.context
    changing = facts.operation in CHANGES
    sees, changes = collaborates(context)
    yield 6, Reason.DEFAULT_DENY, not sees
    yield (
        6,
        Reason.DEFAULT_DENY,
        changing
        and (
            context.visibility == Visibility.INCOGNITO
            or isinstance(context.session_subject, AmbiguousSubject)
            or isinstance(context.actor, UnattributedActor)
            or not changes
        ),
    )
    yield (
        6,
        Reason.DEFAULT_DENY,
        changing and facts.section == Section.CARD and not actor_ids(context) & owners(context),
    )


def about_rules(facts: Facts) -> Iterator[Objection]:
    """Yield what rules, placement and audiences may object."""
    needed = needs(facts.operation)
    rules = {(policy.state, rule) for policy in facts.own_policies for rule in policy.rules}
    yield 7, Reason.BACKEND_NONCONFORMING, confusing(facts, rules, needed)
    yield 7, Reason.EXPLICIT_DENY, bool(speaking(facts, rules, needed, Effect.DENY))
    placed = {str(op) for op in facts.view.mounts.get(facts.store.store_id, ())} - BY_NAME_ONLY
    allowed = {str(rule.capability) for rule in speaking(facts, rules, needed, Effect.ALLOW)}
    yield 8, Reason.DEFAULT_DENY, not needed <= placed | allowed
    states = {policy.state for policy in facts.own_policies}
    yield (
        9,
        Reason.AUDIENCE_WIDENED,
        states != {PolicyState.ACTIVE}
        or not facts.context.delivery.audiences
        or not all_reached(facts, (policy.audience for policy in facts.own_policies)),
    )


def about_sources(facts: Facts) -> Iterator[Objection]:
    """Yield what the sources of a derived text may object."""
    inherited = [facts.policies.get(r.policy_id) for r in facts.requirements]
    there = [policy for policy in inherited if policy is not None]
    expected = [(r.policy_id, r.expected_revision, r.expected_epoch, PolicyState.ACTIVE) for r in facts.requirements]
    found = [(p.policy_id, p.policy_revision, p.revocation_epoch, p.state) if p else None for p in inherited]
    rules = {(policy.state, rule) for policy in there for rule in policy.rules}
    about_content = needs(facts.operation) & ABOUT_CONTENT
    yield 10, Reason.LINEAGE_DENY, facts.revision is not None and facts.revision.lineage != Lineage.INTACT
    yield 10, Reason.LINEAGE_DENY, expected != found or not all_reached(facts, (p.audience for p in there))
    yield 10, Reason.BACKEND_NONCONFORMING, confusing(facts, rules, about_content)
    yield 10, Reason.LINEAGE_DENY, bool(speaking(facts, rules, about_content, Effect.DENY))
    yield (
        10,
        Reason.LINEAGE_DENY,
        facts.operation == "derive" and facts.revision is None and nowhere_to_put(facts, (*facts.own_policies, *there)),
    )


def needs(operation: Operation) -> set[str]:
    """Return the words an operation needs."""
    return set(NEEDS.get(operation, operation).split())


def nobody_in_particular(context: AccessContext) -> bool:
    """It is not known with whom the session is."""
    if isinstance(context.session_subject, ConversationSubject):
        return False
    return isinstance(context.session_subject, AmbiguousSubject) or isinstance(context.actor, UnattributedActor)


def collaborates(context: AccessContext) -> tuple[bool, bool]:
    """Return whether the actor may see and may change, in the mode and role the host decided."""
    shared = context.collaboration
    if isinstance(shared, NotCollaborative):
        return True, True
    return f"{shared.role} sees {shared.mode}" in SEES, f"{shared.role} changes {shared.mode}" in CHANGES_IN


States = Iterable[tuple[PolicyState, Rule]]


def confusing(facts: Facts, rules: States, needed: set[str]) -> bool:
    """Some rule could be about this, and cannot be told."""
    mine = actor_ids(facts.context)

    def is_other(rule: Rule) -> bool:
        known = type(rule.capability) is Operation
        return (known and rule.capability not in needed) or (
            rule.grantee_id is not None and rule.grantee_id not in mine
        )

    def is_odd(state: PolicyState, rule: Rule) -> bool:
        return (
            state != PolicyState.ACTIVE
            or type(rule.capability) is not Operation
            or type(rule.effect) is not Effect
            or (rule.grantee_id is None and rule.effect == Effect.ALLOW)
            or (rule.expires_at is not None and rule.expires_at.tzinfo is None)
        )

    return any(is_odd(state, rule) for state, rule in rules if not is_other(rule))


def speaking(facts: Facts, rules: States, needed: set[str], effect: Effect) -> set[Rule]:
    """Return the rules of one effect that are about this actor and something needed, and go on."""
    mine = actor_ids(facts.context)
    return {
        rule
        for _, rule in rules
        if rule.effect == effect
        and rule.capability in needed
        and (rule.grantee_id is None or rule.grantee_id in mine)
        and (rule.expires_at is None or (rule.expires_at.tzinfo is not None and facts.now < rule.expires_at))
    }
