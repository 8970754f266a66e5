"""The case before the evaluator: the facts, and what every check would else work out again."""

from dataclasses import dataclass

from privity.model.context import AccessContext
from privity.policy.algebra import Evidence, evidence_of
from privity.policy.facts import Facts
from privity.policy.lattice import required
from privity.policy.rules import Question, question_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One decision to be made. `question` asks about everything the operation requires."""

    facts: Facts
    context: AccessContext
    evidence: Evidence
    question: Question


def case_of(facts: Facts) -> Case:
    """Return the case that `facts` make.

    Raises:
        KeyError: the operation is none of ours. Garbage may raise whatever garbage raises.
    """
    context = facts.context
    evidence = evidence_of(context, facts.now)
    question = question_of(context, required(facts.operation), evidence)
    return Case(facts=facts, context=context, evidence=evidence, question=question)
