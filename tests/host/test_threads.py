"""Interleaved requests: what is two people's stays two people's, whatever the order."""

import ast
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

import privity
from privity.model.principals import PrincipalActor
from privity.model.subjects import UserSubject
from tests.host.house import House

TURNS = 12
DISPLAYS: Final = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
MAKERS: Final = frozenset(
    [
        "dict",
        "list",
        "set",
        "bytearray",
        "defaultdict",
        "deque",
        "Counter",
        "OrderedDict",
        "ChainMap",
        "Lock",
        "RLock",
        "Condition",
        "Event",
        "Queue",
        "local",
        "count",
        "WeakKeyDictionary",
        "WeakValueDictionary",
        "WeakSet",
    ]
)
CHANGES: Final = frozenset(
    [
        "append",
        "add",
        "update",
        "setdefault",
        "pop",
        "popitem",
        "clear",
        "remove",
        "discard",
        "extend",
        "insert",
        "sort",
        "reverse",
        "appendleft",
    ]
)
CHANGEABLE: Final = ("Final[dict", "Final[list", "Final[set", "Final[defaultdict")


@pytest.mark.proves("case:ID-05")
def test_interleaved_requests_never_exchange_context(house: House) -> None:
    """Every context that the plugin saw has one person as subject and actor, and each found their own."""
    heard = [house.hear(f"u{number % 3}") for number in range(TURNS)]

    def turn(number: int) -> list[str]:
        with house.agent.session(heard[number]).run(heard[number]) as run:
            run.remember(f"secret of u{number % 3}")
            return [passage.text for passage in run.search("secret", limit=50)]

    with ThreadPoolExecutor(max_workers=4) as pool:
        found = list(pool.map(turn, range(TURNS)))
    mixed = [
        context
        for context in house.plugin.contexts
        if not isinstance(context.session_subject, UserSubject)
        or not isinstance(context.actor, PrincipalActor)
        or context.session_subject.principal_id != context.actor.principal_id
    ]

    assert mixed == []
    for number, texts in enumerate(found):
        assert set(texts) == {f"secret of u{number % 3}"}


@pytest.mark.proves("egress:exposure:cumulative", "case:ID-05")
def test_parallel_calls_of_one_run_do_not_stale_each_other(house: House) -> None:
    """They happen one after another, and the release that follows covers them all."""
    event, run = house.run("u1")
    for number in range(8):
        run.remember(f"fact {number}")
    with ThreadPoolExecutor(max_workers=4) as pool:
        found = list(pool.map(run.search, [f"{number}" for number in range(8)]))
    released = run.release("all of them", to=event.delivery)

    assert all(len(passages) == 1 for passages in found)
    assert released.sink_id == "chat"


@pytest.mark.proves("case:ID-05")
@pytest.mark.parametrize("package", ["model", "policy", "sdk", "engine", "host", "backends", "identity", "ops", "cli"])
def test_no_module_holds_mutable_state(package: str) -> None:
    """What stands at the top of a module is a definition, an import, or a constant that nothing changes."""
    found = {
        path.name: faults
        for path in sorted((Path(privity.__path__[0]) / package).rglob("*.py"))
        if (faults := list(mutable_state(ast.parse(path.read_text(encoding="utf-8")))))
    }

    assert found == {}


@pytest.mark.proves("case:ID-05")
@pytest.mark.parametrize(
    "planted",
    [
        "X = {1: 2}",
        "X: Final = {}",
        "X: Final = []",
        "X: Final = dict()",
        "X: Final = defaultdict(list)",
        "X: Final = collections.deque()",
        "X: Final[dict[str, int]] = {name: 1 for name in ()}",
        "X: Final[set[str]] = {'a'}",
        "X: Final = Lock()",
        "X: Final = {1: 2}\ndef f(): X[3] = 4",
        "X: Final = {1: 2}\ndef f(): del X[1]",
        "X: Final = [1]\ndef f(): X.append(2)",
        "X: Final = {1: 2}\nclass A:\n    def f(self): X.setdefault(1, 2)",
        "x = 1\ndef f():\n    global x\n    x += 1",
    ],
)
def test_mutable_state_of_a_module_is_found(planted: str) -> None:
    """Displays and comprehensions that are no constant, makers of containers, and whatever changes a constant."""
    assert list(mutable_state(ast.parse(planted))) != []


@pytest.mark.proves("case:ID-05")
def test_a_constant_table_is_no_mutable_state() -> None:
    """Neither is a name of its own inside a function."""
    source = "__all__ = ['f']\nX: Final[Mapping[int, int]] = {1: 2}\nY: Final = {1: 2}\ndef f():\n    y = {}\n    y[1] = X[1]"

    assert list(mutable_state(ast.parse(source))) == []


def mutable_state(module: ast.Module) -> Iterator[str]:
    """Yield what a module keeps at its top that could change, and every place that changes a constant of it."""
    kept = {name: node for node in module.body for name in assigned(node)}
    yield from (name for name, node in kept.items() if name != "__all__" and not is_constant(node))
    for node in ast.walk(module):
        match node:
            case ast.Global():
                yield ast.unparse(node)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name in kept:
                yield ast.unparse(node)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=act)) if name in kept and act in CHANGES:
                yield ast.unparse(node)
            case _:
                pass


def assigned(node: ast.stmt) -> list[str]:
    """Return the names that a statement at the top of a module binds."""
    match node:
        case ast.Assign(targets=targets):
            return [one.id for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def is_constant(node: ast.stmt) -> bool:
    """A container that can change is `Final`, filled where it stands, and of no changeable type by its own word."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.Call):
        return ast.unparse(value.func).rpartition(".")[2] not in MAKERS
    if not isinstance(value, DISPLAYS):
        return True
    typed = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
    empty = not any(True for _ in ast.iter_child_nodes(value) if not isinstance(_, ast.expr_context))
    return typed.startswith("Final") and not empty and not typed.startswith(CHANGEABLE)
