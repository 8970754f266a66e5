"""The decision vectors that any language can run: ours decides every one as written."""

import json
from collections.abc import Mapping
from typing import Any, Final

import pytest

from privity.model.reasons import Reason
from privity.policy.evaluator import CHECKS, decide
from privity.policy.facts import Facts
from privity.sdk.wire import from_wire
from tests.policy.make_vectors import VERSION, load_text, said, vectors_text

VECTORS: Final[Mapping[str, Any]] = json.loads(load_text())
CASES: Final[list[dict[str, Any]]] = VECTORS["cases"]
AFTERWARDS: Final = frozenset({Reason.CASCADE_EXCLUDED, Reason.QUOTA_EXCEEDED})
"""Reasons that are not the evaluator's to give."""


@pytest.mark.proves("policy:pure", "policy:order:eleven-steps", "policy:trace")
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_vector_is_decided_as_it_says(case: dict[str, Any]) -> None:
    """Outcome, reason, step, rules and trace, from facts read off the wire."""
    decision = decide(from_wire(Facts, case["facts"]))

    assert said(decision) == {key: value for key, value in case.items() if key not in {"name", "facts"}}


@pytest.mark.proves("policy:reasons:closed", "policy:order:eleven-steps")
def test_the_vectors_cover_every_reason_and_every_check() -> None:
    """Each check that the wire can violate fails first in some vector, and each reason occurs."""
    last = {case["trace"][-1].split()[1] for case in CASES if case["decision"] == "deny"}

    assert {holds.__name__ for _, _, holds in CHECKS} - last == {"words_are_known"}
    assert {case["reason"] for case in CASES} == {None, *(set(Reason) - AFTERWARDS)}


@pytest.mark.proves("policy:pure")
def test_the_vectors_are_what_the_generator_writes() -> None:
    """`python -m tests.policy.make_vectors --update` writes them anew."""
    assert load_text() == vectors_text()
    assert VECTORS["version"] == VERSION
    assert len({case["name"] for case in CASES}) == len(CASES) >= 60
