"""The house rules: each yields the lines that break the one sentence of its docstring."""

from collections.abc import Callable, Iterator
from typing import Final

from tests.architecture import rules_effects, rules_files, rules_values
from tools.sources import Source

Rule = Callable[[Source], Iterator[int]]

RULES: Final[tuple[Rule, ...]] = (
    rules_values.only_the_postfilter_makes_permitted,
    rules_values.only_the_context_factory_makes_contexts,
    rules_values.no_content_leaves_a_plugin_outside_an_envelope,
    rules_values.facts_have_no_defaults,
    rules_values.no_literal_repeats_a_word,
    rules_effects.nothing_pure_is_asynchronous,
    rules_effects.nothing_pure_has_an_effect,
    rules_effects.a_transaction_only_asks_the_database,
    rules_effects.sql_is_a_named_constant,
    rules_effects.every_statement_binds_the_agent,
    rules_effects.logs_carry_allowed_fields,
    rules_effects.every_way_out_has_a_capability,
    rules_effects.only_edges_catch_everything,
    rules_files.a_file_has_at_most_500_lines,
    rules_files.a_module_is_named_for_what_it_holds,
    rules_files.annotations_are_real,
    rules_files.imports_are_real,
)
