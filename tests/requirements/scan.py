"""Read from the source of the tests, without running them, which requirements each test names."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.requirements.model import RequirementsError

_MARKER: Final = "proves"
_ABOUT_THE_PROJECT: Final = ("requirements/", "architecture/")
_OF_PUBLISHED_DATA: Final = ("gatemem/", "migrate/test_published_files.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFunction:
    """One test as it stands in the source, with the requirement ids that apply to it."""

    __test__ = False

    place: str
    proves: tuple[str, ...]

    @property
    def owes_a_requirement(self) -> bool:
        """It is about the product; tests of the requirements and the architecture themselves may name none.

        So may tests that need published data: no claim rests on what a machine may lack.
        """
        return not self.place.startswith(_ABOUT_THE_PROJECT + _OF_PUBLISHED_DATA)


def list_tests(root: Path) -> tuple[TestFunction, ...]:
    """Return the tests under `root`, each with its place in it.

    Raises:
        RequirementsError: a test names a requirement by anything but a literal.
    """
    return tuple(
        test
        for path in sorted(root.rglob("test_*.py"))
        for test in list_tests_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    )


def list_tests_of(place: str, source: str) -> tuple[TestFunction, ...]:
    """Return the tests of one module, each with the ids that itself, its class and its module name."""
    module = ast.parse(source, filename=place)
    return tuple(_tests(module.body, place, _module_marks(module)))


def _tests(body: list[ast.stmt], place: str, inherited: tuple[str, ...]) -> Iterator[TestFunction]:
    for node in body:
        match node:
            case ast.ClassDef(name=name) if name.startswith("Test"):
                yield from _tests(node.body, f"{place}::{name}", inherited + _named_by(node.decorator_list, place))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test"):
                proves = inherited + _named_by(node.decorator_list, place)
                yield TestFunction(place=f"{place}::{name}", proves=tuple(dict.fromkeys(proves)))
            case _:
                pass


def _module_marks(module: ast.Module) -> tuple[str, ...]:
    values = [
        node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets)
    ]
    return _named_by(values, "pytestmark")


def _named_by(expressions: list[ast.expr], place: str) -> tuple[str, ...]:
    """Return the ids in every call of the marker within `expressions`, nested ones (`pytest.param`) included."""
    calls = [
        node
        for expression in expressions
        for node in ast.walk(expression)
        if isinstance(node, ast.Call) and _is_marker(node.func)
    ]
    return tuple(_literal(argument, place) for call in calls for argument in call.args)


def _is_marker(function: ast.expr) -> bool:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name == _MARKER
        case _:
            return False


def _literal(argument: ast.expr, place: str) -> str:
    match argument:
        case ast.Constant(value=str(value)):
            return value
        case _:
            message = f"{place}:{argument.lineno} names a requirement by something else than a literal"
            raise RequirementsError(message)
