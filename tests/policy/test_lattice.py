"""What each operation requires, word for word from the specification."""

import pytest

from privity.model.operations import MUTATIONS, Operation
from privity.policy.lattice import FLOWING, GRANTED_ONLY, ON_EXISTING, REQUIRED, required

TABLE = {
    "retrieve": "retrieve",
    "read": "retrieve read",
    "derive": "retrieve read derive",
    "export": "retrieve read export",
    "append": "append",
    "replace": "append replace",
    "project": "project",
    "deposit": "deposit",
    "sync": "sync",
    "delete": "delete",
    "publish": "publish",
    "import": "import",
    "policy-admin": "policy-admin",
}


@pytest.mark.proves("policy:lattice:implications", "policy:lattice:independent", "policy:lattice:derive-is-input")
@pytest.mark.parametrize("operation", Operation)
def test_an_operation_requires_what_the_table_says(operation: Operation) -> None:
    """Every operation stands in the table, with itself among what it requires."""
    assert required(operation) == {Operation(word) for word in TABLE[operation].split()}
    assert operation in required(operation)


@pytest.mark.proves("policy:lattice:implications")
def test_the_table_is_exhaustive_and_closed() -> None:
    """What is required requires nothing that is not already there."""
    assert set(REQUIRED) == set(Operation)
    for operation in Operation:
        for word in required(operation):
            assert required(word) <= required(operation)


@pytest.mark.proves("case:POL-04")
def test_POL_04_an_operation_of_another_language_requires_nothing_we_know() -> None:
    """It cannot be looked up, so that nobody takes the empty set for an answer."""
    with pytest.raises(KeyError):
        required("peek")  # pyright: ignore[reportArgumentType]


@pytest.mark.proves("policy:lattice:independent", "policy:lattice:retrieve-shows-nothing")
def test_the_groups_of_operations_are_these() -> None:
    """Which are about content, which need a revision, and which only a grant by name gives."""
    assert {str(word) for word in FLOWING} == {"retrieve", "read", "derive", "export", "project"}
    assert {str(word) for word in ON_EXISTING} == {"retrieve", "read", "export", "replace", "delete", "project"}
    assert {str(word) for word in GRANTED_ONLY} == {"publish", "policy-admin"}
    assert {Operation.RETRIEVE, Operation.READ, Operation.EXPORT, Operation.SYNC} == set(Operation) - MUTATIONS
