"""Steps 7 to 10: rules, capabilities, audiences and what a derived text inherits."""

from functools import reduce

from privity.model.audiences import Audience
from privity.model.ids import RuleId
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, PolicyState, Rule
from privity.model.resources import Lineage
from privity.policy.algebra import bound_of, canonical, covers, meet
from privity.policy.case import Case
from privity.policy.lattice import FLOWING, GRANTED_ONLY
from privity.policy.rules import Question, are_understood, list_live, rule_ids
from privity.policy.sets import live_requirement


def rules_are_understood(case: Case) -> bool:
    """No rule that could apply is malformed: what is not understood might forbid."""
    return are_understood(case.facts.own_policies, case.question)


def nothing_denies(case: Case) -> bool:
    """No live rule denies any of the required capabilities."""
    return list_live(case.facts.own_policies, Effect.DENY, case.question) == ()


def denying_rules(case: Case) -> tuple[RuleId, ...]:
    """Return the rules that deny."""
    return rule_ids(list_live(case.facts.own_policies, Effect.DENY, case.question))


def everything_is_granted(case: Case) -> bool:
    """Each required capability comes from placement or from a live allow for the actor."""
    missing = find_missing(case)
    return missing <= {rule.capability for rule in list_allows(case, missing)}


def find_missing(case: Case) -> frozenset[Operation]:
    """Return the required capabilities that placement does not give."""
    placed = case.facts.view.mounts[case.facts.store.store_id] - GRANTED_ONLY
    return case.question.capabilities - placed


def list_allows(case: Case, missing: frozenset[Operation]) -> tuple[Rule, ...]:
    """Return the live rules that allow the actor what is missing."""
    if not missing:
        return ()
    question = case.question._replace(capabilities=missing)
    return list_live(case.facts.own_policies, Effect.ALLOW, question)


def allowing_rules(case: Case) -> tuple[RuleId, ...]:
    """Return the rules without which the operation would be denied; none where placement is enough."""
    allows = list_allows(case, find_missing(case))
    return rule_ids(allows) if allows else ()


def audiences_are_covered(case: Case) -> bool:
    """Every policy of the resource holds and covers every output; there is one of each."""
    outputs, policies = case.context.delivery.audiences, case.facts.own_policies
    return (
        len(outputs) > 0
        and len(policies) > 0
        and all(policy.state is PolicyState.ACTIVE and reaches(policy.audience, case) for policy in policies)
    )


def reaches(audience: Audience, case: Case) -> bool:
    """The audience covers every output of the context."""
    return all(covers(audience, output, case.evidence) for output in case.context.delivery.audiences)


def lineage_is_intact(case: Case) -> bool:
    """Nothing the revision was derived from is gone."""
    revision = case.facts.revision
    return revision is None or revision.lineage is Lineage.INTACT


def requirements_are_live(case: Case) -> bool:
    """Every inherited policy is as it was captured, and covers every output."""
    policies = case.facts.policies
    return all(
        live_requirement(requirement, policies) and reaches(policies[requirement.policy_id].audience, case)
        for requirement in case.facts.requirements
    )


def inherited_rules_are_understood(case: Case) -> bool:
    """No inherited rule that could apply to content is malformed."""
    inherited = list_inherited(case)
    return inherited == [] or are_understood(inherited, about_content(case))


def inherited_rules_deny_nothing(case: Case) -> bool:
    """Whoever may not have the source may not have what was derived from it."""
    inherited = list_inherited(case)
    return inherited == [] or list_live(inherited, Effect.DENY, about_content(case)) == ()


def list_inherited(case: Case) -> list[Policy]:
    """Return the inherited policies."""
    return [case.facts.policies[r.policy_id] for r in case.facts.requirements]


def about_content(case: Case) -> Question:
    """Return the question as far as it is about content, which takes its rules along."""
    return case.question._replace(capabilities=case.question.capabilities & FLOWING)


def derivation_has_an_audience(case: Case) -> bool:
    """Something new derived from all this could be placed, or nothing new is derived."""
    if case.facts.operation is not Operation.DERIVE or case.facts.revision is not None:
        return True
    policies = (*case.facts.own_policies, *list_inherited(case))
    bounds = [bound_of(canonical(policy.audience, case.evidence)) for policy in policies]
    return not reduce(meet, bounds).is_nobody
