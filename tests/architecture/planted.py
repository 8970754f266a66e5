"""For each house rule: sources that break it, and the nearest source that does not."""

from dataclasses import dataclass
from typing import Final

from tests.architecture import rules_effects, rules_files, rules_values
from tests.architecture.rules import Rule

ENGINE: Final = "privity/engine/search.py"
MODEL: Final = "privity/model/ids.py"
QUERIES: Final = "privity/backends/sqlite/queries.py"
CATALOG: Final = "privity/backends/sqlite/catalog.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """Sources that a rule must report, beside one that it must accept."""

    rule: Rule
    path: str
    breaks: tuple[str, ...]
    keeps: str


PLANTED: Final = (
    Planted(
        rule=rules_values.only_the_postfilter_makes_permitted,
        path=ENGINE,
        breaks=(
            "Permitted(candidate=c)",
            "postfilter.Permitted(candidate=c)",
            "object.__new__(Permitted)",
            "from privity.engine.postfilter import Permitted as P",
            "P = Permitted",
        ),
        keeps="from privity.engine.postfilter import Permitted\ndef f(p: Permitted) -> Permitted: return p",
    ),
    Planted(
        rule=rules_values.only_the_context_factory_makes_contexts,
        path="privity/host/sessions.py",
        breaks=("AccessContext(brand=b'')", "AccessContext.forged()"),
        keeps="def f(context: AccessContext) -> AccessContext: return context",
    ),
    Planted(
        rule=rules_values.no_content_leaves_a_plugin_outside_an_envelope,
        path="privity/sdk/plugin.py",
        breaks=(
            "class Reader(Protocol):\n    def read(self) -> Passage | Denied: ...",
            "class Reader(Protocol):\n    def search(self) -> tuple[Envelope[Card], tuple[passages.Passage, ...]]: ...",
            "class Reader(Protocol):\n    def read(self) -> 'Passage': ...",
        ),
        keeps="class Reader(Protocol):\n    def read(self) -> Envelope[tuple[Passage, ...]] | Denied: ...",
    ),
    Planted(
        rule=rules_values.facts_have_no_defaults,
        path=ENGINE,
        breaks=(
            "def f(context=None): ...",
            "def f(*, store_id=None): ...",
            "f = lambda plan=1: plan",
            "class Read:\n    audience: Audience = EVERYONE",
        ),
        keeps="def f(context, plan, *, audience, limit=6): ...",
    ),
    Planted(
        rule=rules_values.no_literal_repeats_a_word,
        path=ENGINE,
        breaks=("reason == 'plan-expired'", "{'policy-admin': 1}"),
        keeps="class Reason(StrEnum):\n    PLAN_EXPIRED = 'plan-expired'",
    ),
    Planted(
        rule=rules_effects.nothing_pure_is_asynchronous,
        path="privity/policy/decide.py",
        breaks=("async def f(): ...", "[x async for x in y]"),
        keeps="def f(): ...",
    ),
    Planted(
        rule=rules_effects.nothing_pure_has_an_effect,
        path=MODEL,
        breaks=("print(1)", "open('x')"),
        keeps="store.open('x')",
    ),
    Planted(
        rule=rules_effects.a_transaction_only_asks_the_database,
        path=CATALOG,
        breaks=(
            "with self.transaction():\n    path.stat()",
            "with db.transaction() as t:\n    open(path)",
            "with db.write_transaction():\n    hashlib.sha256(text)",
            "with db.transaction():\n    os.replace(a, b)",
            "with db.transaction():\n    time.sleep(1)",
            "async def f():\n    with db.transaction():\n        await g()",
        ),
        keeps="path.stat()\nwith db.transaction():\n    db.execute(STORES, row)\n    text.replace(a, b)",
    ),
    Planted(
        rule=rules_effects.sql_is_a_named_constant,
        path=QUERIES,
        breaks=("A: Final = f'SELECT {x} FROM stores'", "A: Final = 'SELECT 1 FROM ' + TABLE"),
        keeps="A: Final = 'SELECT x FROM stores WHERE agent_id = :agent_id'",
    ),
    Planted(
        rule=rules_effects.sql_is_a_named_constant,
        path=CATALOG,
        breaks=("db.execute('SELECT x FROM stores')", "db.execute('DELETE FROM outbox')"),
        keeps="'''Select the best rows from the index.'''\ndb.execute(queries.STORES)",
    ),
    Planted(
        rule=rules_effects.every_statement_binds_the_agent,
        path=QUERIES,
        breaks=(
            "A: Final = 'SELECT x FROM stores WHERE store_id = :store_id'",
            "A: Final = 'UPDATE revisions SET state = :state'",
            "A: Final = 'INSERT OR IGNORE INTO resources (id) VALUES (:id)'",
        ),
        keeps="A: Final = 'SELECT x FROM stores WHERE agent_id = :agent_id'\nB: Final = 'SELECT x FROM outbox'",
    ),
    Planted(
        rule=rules_effects.logs_carry_allowed_fields,
        path=ENGINE,
        breaks=(
            "log.info('revision_activated', title=title)",
            "log.info(f'activated {store_id}')",
            "self.log.warning('found %s', query)",
            "logger.info('revision_activated', extra={'text': text})",
            "log.info('revision_activated', **fields)",
        ),
        keeps="log.info('revision_activated', store_id=s, duration_ms=3)\nlog.info('x', extra={'count': 1})",
    ),
    Planted(
        rule=rules_effects.every_way_out_has_a_capability,
        path=ENGINE,
        breaks=("import socket", "from urllib.request import urlopen", "import http.client"),
        keeps="import hashlib\nfrom privity.http import app",
    ),
    Planted(
        rule=rules_effects.only_edges_catch_everything,
        path=ENGINE,
        breaks=(
            "try: f()\nexcept Exception: raise",
            "try: f()\nexcept: raise",
            "try: f()\nexcept (KeyError, BaseException): raise",
        ),
        keeps="try: f()\nexcept KeyError: raise",
    ),
    Planted(
        rule=rules_files.a_file_has_at_most_500_lines,
        path=ENGINE,
        breaks=("x = 1\n" * 501,),
        keeps="x = 1\n" * 500,
    ),
    Planted(
        rule=rules_files.a_module_is_named_for_what_it_holds,
        path="privity/engine/utils.py",
        breaks=("",),
        keeps="",
    ),
    Planted(
        rule=rules_files.annotations_are_real,
        path=ENGINE,
        breaks=("from __future__ import annotations",),
        keeps="from __future__ import division",
    ),
    Planted(
        rule=rules_files.imports_are_real,
        path=ENGINE,
        breaks=("from typing import TYPE_CHECKING", "import typing\nif typing.TYPE_CHECKING: import x"),
        keeps="from typing import Final",
    ),
)
