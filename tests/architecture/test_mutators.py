"""The mutators change what they should and nothing that only types read."""

import pytest

from tools.mutators import mutants
from tools.sources import parse


def changes(text: str) -> dict[str, str]:
    """Return what changes in `text`, each with the changed text."""
    found = mutants(parse("privity/policy/a.py", text))
    return {mutant.identity.removeprefix("privity/policy/a.py::"): mutant.text for mutant in found}


@pytest.mark.parametrize(
    ("text", "change", "changed"),
    [
        ("A = x < y", "A::x < y => x <= y", "A = x <= y"),
        ("A = x <= n < y", "A::x <= n < y => x <= n <= y", "A = x <= n <= y"),
        ("A = x and y", "A::x and y => x or y", "A = x or y"),
        ("A = x and y", "A::drop operand x", "A = y"),
        ("A = not x", "A::not x => x", "A = x"),
        ("A = x & y", "A::x & y => x | y", "A = x | y"),
        ("A = all(x)", "A::all(x) => any(x)", "A = any(x)"),
        ("A = 1", "A::1 => 2", "A = 2"),
        ("A = x if y else z", "A::x if y else z => z", "A = z"),
        ("A = [x for x in y if x]", "A::drop condition x", "A = [x for x in y]"),
        ("A = {x, y}", "A::drop x", "A = {y}"),
        ("A = {x: 1.5, y: 2.5}", "A::drop y", "A = {x: 1.5}"),
        ("A = {x: {y}}", "A[x]::drop y", "A = {x: {*()}}"),
        ("A = ((x, y), (z, w))", "A::drop (x, y)", "A = ((z, w),)"),
        ("A = ((x, y), (z, w))", "A::swap (x, y) with the next", "A = ((z, w), (x, y))"),
        ("A = [Reason.X, Reason.Y]", "A::Reason.X => Reason.Y", "A = [Reason.Y, Reason.Y]"),
        ("def f():\n    if x:\n        y()", "f::if x => if False", "def f():\n    if False:\n        y()"),
        ("def f() -> bool:\n    return g()", "f::always True", "def f() -> bool:\n    return True"),
        (
            "match x:\n    case 1:\n        y()\n    case _:\n        z()",
            "module::drop case 1",
            "match x:\n    case _:\n        z()",
        ),
    ],
)
def test_a_mutant_is_made(text: str, change: str, changed: str) -> None:
    """The change is made, under a name that says what it does."""
    assert changes(text).get(change) == changed


@pytest.mark.parametrize(
    "text",
    [
        "Result = Allow | Deny",
        "def f(x: A | None) -> B | C: ...",
        "Id = NewType('Id', str)",
        "@dataclass(frozen=True, slots=True)\nclass A:\n    x: B | C",
        "A: Final[Mapping[int, B | C]] = x",
        "A = isinstance(x, B | C)",
    ],
)
def test_types_are_left_alone(text: str) -> None:
    """A change that no run of the program can show is not a mutant."""
    assert not changes(text)


def test_equal_changes_are_numbered() -> None:
    """Two equal changes within one function have names of their own."""
    assert {"A::1 => 2", "A::1 => 2 #2"} <= changes("A = [1, 1]").keys()
