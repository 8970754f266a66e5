"""Security faults as somebody might write them: each in place of one check."""

from collections.abc import Callable
from typing import Final

from privity.model.policies import Effect
from privity.model.principals import PrincipalActor
from privity.model.resources import RevisionState
from privity.policy.algebra import covers
from privity.policy.case import Case
from privity.policy.evaluator import CHECKS, Check
from privity.policy.rules import names_actor
from privity.policy.sets import live_requirement

Predicate = Callable[[Case], bool]


def instead_of(name: str, holds: Predicate) -> tuple[Check, ...]:
    """Return the checks with one predicate replaced."""
    return tuple((step, reason, holds if found.__name__ == name else found) for step, reason, found in CHECKS)


def without(name: str) -> tuple[Check, ...]:
    """Return the checks with one left out."""
    return tuple(check for check in CHECKS if check[2].__name__ != name)


def expiry_includes_its_end(case: Case) -> bool:
    """An expired revision is readable for one instant more."""
    revision = case.facts.revision
    return revision is None or (
        revision.state is RevisionState.ACTIVE
        and (revision.expires_at is None or case.facts.now <= revision.expires_at)
    )


def only_the_first_output_counts(case: Case) -> bool:
    """The reply is checked for whom it is addressed to first."""
    outputs = case.context.delivery.audiences
    return all(covers(policy.audience, outputs[0], case.evidence) for policy in case.facts.own_policies)


def any_output_is_enough(case: Case) -> bool:
    """One covered output stands for all."""
    outputs = case.context.delivery.audiences
    return all(any(covers(policy.audience, o, case.evidence) for o in outputs) for policy in case.facts.own_policies)


def nobody_is_everybody(case: Case) -> bool:
    """No output means no objection."""
    outputs = case.context.delivery.audiences
    return all(covers(policy.audience, o, case.evidence) for policy in case.facts.own_policies for o in outputs)


def actor_stands_for_the_audience(case: Case) -> bool:
    """Whoever may read may have it sent anywhere: the fact about the actor stands for the output."""
    return isinstance(case.context.actor, PrincipalActor) or nobody_is_everybody(case)


def any_policy_is_enough(case: Case) -> bool:
    """One own policy that reaches the outputs outvotes a narrower one."""
    outputs = case.context.delivery.audiences
    return len(outputs) > 0 and any(
        all(covers(policy.audience, o, case.evidence) for o in outputs) for policy in case.facts.own_policies
    )


def deny_only_for_the_named_operation(case: Case) -> bool:
    """A deny on retrieving does not stop reading."""
    return not any(
        rule.effect is Effect.DENY
        and rule.capability is case.facts.operation
        and (rule.grantee_id is None or names_actor(rule.grantee_id, case.question))
        for policy in case.facts.own_policies
        for rule in policy.rules
    )


def deny_for_everybody_is_for_nobody(case: Case) -> bool:
    """A deny without a grantee matches no actor."""
    return not any(
        rule.effect is Effect.DENY
        and rule.capability in case.question.capabilities
        and rule.grantee_id is not None
        and names_actor(rule.grantee_id, case.question)
        for policy in case.facts.own_policies
        for rule in policy.rules
    )


def deny_by_exact_id(case: Case) -> bool:
    """A deny on what was merged does not follow the person to the head."""
    actor = case.context.actor
    own = actor.principal_id if isinstance(actor, PrincipalActor) else None
    return not any(
        rule.effect is Effect.DENY and rule.capability in case.question.capabilities and rule.grantee_id in {None, own}
        for policy in case.facts.own_policies
        for rule in policy.rules
    )


def any_capability_is_enough(case: Case) -> bool:
    """One of the required capabilities stands for all."""
    return bool(case.question.capabilities & case.facts.view.mounts[case.facts.store.store_id])


def allows_never_end(case: Case) -> bool:
    """A grant outlives its end."""
    placed = case.facts.view.mounts[case.facts.store.store_id]
    granted = {
        rule.capability
        for policy in case.facts.own_policies
        for rule in policy.rules
        if rule.effect is Effect.ALLOW and rule.grantee_id and names_actor(rule.grantee_id, case.question)
    }
    return case.question.capabilities <= placed | granted


def allows_are_for_whoever_asks(case: Case) -> bool:
    """A grant to one is a grant to all."""
    placed = case.facts.view.mounts[case.facts.store.store_id]
    granted = {r.capability for p in case.facts.own_policies for r in p.rules if r.effect is Effect.ALLOW}
    return case.question.capabilities <= placed | granted


def captured_is_good_enough(case: Case) -> bool:
    """A policy counts as it was captured, whatever became of it."""
    return all(requirement.policy_id in case.facts.policies for requirement in case.facts.requirements)


def liveness_is_all_a_source_asks(case: Case) -> bool:
    """A source that is live may be sent anywhere."""
    return all(live_requirement(r, case.facts.policies) for r in case.facts.requirements)


def revision_states_are_advice(case: Case) -> bool:
    """Whatever is not tombstoned can be read."""
    revision = case.facts.revision
    return revision is None or revision.state is not RevisionState.TOMBSTONED


def depth_alone_bounds_a_delegation(case: Case) -> bool:
    """A child may ask for operations it was not handed."""
    delegation = case.context.delegation
    return delegation is None or 1 <= delegation.depth <= 8


def mutations_ask_for_an_actor_only(case: Case) -> bool:
    """Incognito, ambiguity and collaboration are forgotten."""
    return isinstance(case.context.actor, PrincipalActor)


FAULTY_CHECKS: Final[dict[str, tuple[Check, ...]]] = {
    **{f"without {check[2].__name__}": without(check[2].__name__) for check in CHECKS},
    **{
        holds.__name__: instead_of(name, holds)
        for name, holds in (
            ("revision_is_readable", expiry_includes_its_end),
            ("revision_is_readable", revision_states_are_advice),
            ("audiences_are_covered", only_the_first_output_counts),
            ("audiences_are_covered", any_output_is_enough),
            ("audiences_are_covered", nobody_is_everybody),
            ("audiences_are_covered", actor_stands_for_the_audience),
            ("audiences_are_covered", any_policy_is_enough),
            ("nothing_denies", deny_only_for_the_named_operation),
            ("nothing_denies", deny_for_everybody_is_for_nobody),
            ("nothing_denies", deny_by_exact_id),
            ("everything_is_granted", any_capability_is_enough),
            ("everything_is_granted", allows_never_end),
            ("everything_is_granted", allows_are_for_whoever_asks),
            ("requirements_are_live", captured_is_good_enough),
            ("requirements_are_live", liveness_is_all_a_source_asks),
            ("delegation_permits", depth_alone_bounds_a_delegation),
            ("mutation_is_permitted", mutations_ask_for_an_actor_only),
        )
    },
}
