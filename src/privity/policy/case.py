"""The case before the evaluator: the facts, and what every check would else work out again."""

from typing import NamedTuple

from privity.model.context import AccessContext
from privity.policy.algebra import Evidence, evidence_of
from privity.policy.facts import Facts
from privity.policy.lattice import required
from privity.policy.rules import Question, question_of


class Case(NamedTuple):
    """One decision to be made. `question` asks about everything the operation requires.

    A named tuple, as it is made for every decision: a frozen dataclass takes twice as long to make.
    """

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
