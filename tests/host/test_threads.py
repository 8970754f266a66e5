"""Interleaved requests: what is two people's stays two people's, whatever the order."""

import ast
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import privity.host
from privity.model.principals import PrincipalActor
from privity.model.subjects import UserSubject
from tests.host.house import House

TURNS = 12


@pytest.mark.proves("case:ID-05", "case:READ-19")
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
def test_no_module_of_the_host_holds_mutable_state() -> None:
    """What stands at the top of a module is a definition, an import, or a constant that is one."""
    for path in sorted(Path(privity.host.__path__[0]).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            value = getattr(node, "value", None)
            made = isinstance(value, ast.List | ast.Set | ast.ListComp | ast.SetComp)
            called = isinstance(value, ast.Call) and ast.unparse(value.func) in {"dict", "list", "set", "Lock", "local"}
            assert not made, path
            assert not called, path
