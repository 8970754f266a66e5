"""The rules of policies: which could apply to an operation, and which do."""

from collections.abc import Iterable
from typing import NamedTuple

from privity.model.context import AccessContext
from privity.model.ids import RuleId
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, PolicyState, Rule
from privity.model.principals import PrincipalActor
from privity.policy.algebra import Evidence


class Question(NamedTuple):
    """What is asked of rules: these capabilities, for this actor, now.

    `actor_head` is `None` for an unattributed actor, whom only a rule about everybody names.
    """

    capabilities: frozenset[Operation]
    actor_head: str | None
    evidence: Evidence


def question_of(context: AccessContext, capabilities: frozenset[Operation], evidence: Evidence) -> Question:
    """Return what `context` asks about `capabilities`."""
    actor = context.actor
    head = evidence.head_of(actor.principal_id) if isinstance(actor, PrincipalActor) else None
    return Question(capabilities=capabilities, actor_head=head, evidence=evidence)


def are_understood(policies: Iterable[Policy], question: Question) -> bool:
    """Every rule that could apply makes sense, and stands in a policy that holds."""
    for policy in policies:
        for rule in policy.rules:
            if could_apply(rule, question) and not (is_understood(rule) and policy.state is PolicyState.ACTIVE):
                return False
    return True


def could_apply(rule: Rule, question: Question) -> bool:
    """Nothing that the rule says for certain keeps it from applying.

    A capability or grantee that is not understood may be the very one in question.
    """
    if type(rule) is not Rule:
        return True
    if type(rule.capability) is Operation and rule.capability not in question.capabilities:
        return False
    return not isinstance(rule.grantee_id, str) or names_actor(rule.grantee_id, question)


def names_actor(grantee_id: str, question: Question) -> bool:
    """The grantee is the actor, under whichever of their ids."""
    return question.evidence.head_of(grantee_id) == question.actor_head


def is_understood(rule: Rule) -> bool:
    """The rule is whole: known words, an aware end, and no allow for everybody."""
    return (
        type(rule) is Rule
        and type(rule.capability) is Operation
        and type(rule.effect) is Effect
        and (isinstance(rule.grantee_id, str) or is_for_everybody(rule))
        and (rule.expires_at is None or rule.expires_at.utcoffset() is not None)
    )


def is_for_everybody(rule: Rule) -> bool:
    """The rule names nobody, which only a deny may do."""
    return rule.grantee_id is None and rule.effect is Effect.DENY


def list_live(policies: Iterable[Policy], effect: Effect, question: Question) -> tuple[Rule, ...]:
    """Return the rules of one effect that apply now, whatever order they stand in."""
    found: list[Rule] = []
    for policy in policies:
        found += [rule for rule in policy.rules if rule.effect is effect and applies(rule, question)]
    return tuple(found)


def applies(rule: Rule, question: Question) -> bool:
    """The rule is about one of the capabilities and this actor, and has not ended."""
    return (
        rule.capability in question.capabilities
        and (rule.grantee_id is None or names_actor(rule.grantee_id, question))
        and (rule.expires_at is None or question.evidence.now < rule.expires_at)
    )


def rule_ids(rules: Iterable[Rule]) -> tuple[RuleId, ...]:
    """Return the ids of rules, each once and in order."""
    return tuple(sorted({rule.rule_id for rule in rules}))
