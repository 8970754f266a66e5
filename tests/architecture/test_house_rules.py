"""The house rules hold for the source, and each of them can fail."""

import ast

import pytest

from tests.architecture import rules_effects, rules_values
from tests.architecture.planted import PLANTED, Planted
from tests.architecture.rules import RULES, Rule
from tools.sources import parse, sources


def rule_name(value: object) -> str | None:
    """Return the name of a rule, for the report."""
    rule = value.rule if isinstance(value, Planted) else value
    return getattr(rule, "__name__", None)


@pytest.mark.parametrize("rule", RULES, ids=rule_name)
def test_the_source_keeps_the_rule(rule: Rule) -> None:
    """No module breaks the rule."""
    broken = [f"src/{source.path}:{line}" for source in sources() for line in rule(source)]

    assert not broken, rule.__doc__


@pytest.mark.parametrize("planted", PLANTED, ids=rule_name)
def test_a_planted_violation_is_reported(planted: Planted) -> None:
    """The rule reports each source that breaks it."""
    silent = [text for text in planted.breaks if not list(planted.rule(parse(planted.path, text)))]

    assert not silent


@pytest.mark.parametrize("planted", PLANTED, ids=rule_name)
def test_the_nearest_source_that_keeps_the_rule_is_accepted(planted: Planted) -> None:
    """The rule reports what breaks it and nothing beside that."""
    path = planted.path.replace("utils", "search")

    assert not list(planted.rule(parse(path, planted.keeps)))


def test_every_rule_has_a_planted_violation() -> None:
    """No rule goes untried."""
    assert {planted.rule for planted in PLANTED} == set(RULES)


def test_each_maker_may_make_its_own_value() -> None:
    """The postfilter and the context factory are not reported for doing their work."""
    permitted = parse(rules_values.POSTFILTER, "Permitted(candidate=c)")
    context = parse(rules_values.CONTEXT_FACTORY, "AccessContext(brand=b'')")

    assert not list(rules_values.only_the_postfilter_makes_permitted(permitted))
    assert not list(rules_values.only_the_context_factory_makes_contexts(context))


def test_an_edge_must_end_in_unavailable() -> None:
    """A handler of a listed edge file that ends in anything else is reported."""
    swallows = ast.parse("try: f()\nexcept Exception: return allow()")
    says = ast.parse("try: f()\nexcept Exception: raise UnavailableError")

    assert not any(rules_effects.ends_in_unavailable(handler) for handler in handlers(swallows))
    assert all(rules_effects.ends_in_unavailable(handler) for handler in handlers(says))


def handlers(tree: ast.Module) -> list[ast.ExceptHandler]:
    """Return the handlers in `tree`."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]


def test_lists_of_exceptions_name_files_that_exist() -> None:
    """A file that is gone is no longer an exception."""
    existing = {source.path for source in sources()}

    assert existing.issuperset(rules_effects.EDGE_FILES)
    assert existing.issuperset(rules_effects.EGRESS)
