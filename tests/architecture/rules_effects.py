"""House rules about effects: what may wait, write, log, send or catch, and where."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from tools.sources import Source, dotted

PURE: Final = ("privity/model/", "privity/policy/")
EFFECTFUL_BUILTINS: Final = frozenset({"breakpoint", "compile", "eval", "exec", "input", "open", "print"})

NOT_IN_A_TRANSACTION: Final = frozenset(
    {
        *("open", "read_bytes", "read_text", "write_bytes", "write_text", "mkdir", "makedirs", "touch"),
        *("stat", "lstat", "exists", "is_file", "is_dir", "iterdir", "glob", "rglob", "scandir", "listdir"),
        *("rename", "renames", "unlink", "rmdir", "rmtree", "link", "symlink", "fsync", "fdatasync", "copyfile"),
        *("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b", "blake2s", "file_digest", "digest", "hexdigest"),
        *("send", "sendall", "sendto", "sendmsg", "recv", "connect", "accept", "urlopen", "request", "release"),
        *("sleep", "wait", "wait_for", "acquire", "select", "poll"),
        *("now", "utcnow", "today", "time", "time_ns", "monotonic"),
    }
)

STATEMENT: Final = re.compile(
    r"\s*(SELECT\b.*\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|WITH\s+\w+.*\bAS\b)",
    re.IGNORECASE | re.DOTALL,
)
CELL_TABLES: Final = re.compile(r"\b(stores|resources|revisions)\b", re.IGNORECASE)

LOG_METHODS: Final = frozenset({"critical", "debug", "error", "exception", "info", "log", "warn", "warning"})
LOGGERS: Final = frozenset({"log", "logger", "LOG", "LOGGER", "_log", "_logger"})
LOG_FIELDS: Final = frozenset(
    {
        *("agent_id", "context_id", "decision_id", "event_id", "plan_id", "principal_id", "request_id"),
        *("resource_id", "run_id", "session_id", "store_id", "egress_capability_id"),
        *("error_type", "operation", "reason", "state", "step"),
        *("attempt", "count", "rows", "sequence", "bytes_written", "duration_ms", "revision", "epoch"),
    }
)
"""Ids, reasons, counts and durations. There is no field for text, query, path, title or name."""

EGRESS_MODULES: Final = frozenset(
    {"aiohttp", "ftplib", "http", "httpx", "requests", "smtplib", "socket", "subprocess", "urllib", "websockets"}
)
EGRESS: Final[dict[str, str]] = {}
"""The modules that may reach out of the process, each with its egress capability id."""

OF_NO_AGENT: Final[dict[str, str]] = {
    "LAST_ROWS": "the rows that end every index, so that looking past the last real one takes the same steps",
}
"""The constants of query files that speak of no agent's rows, each with its reason."""

EDGE_FILES: Final[dict[str, str]] = {
    "privity/host/gate.py": "a plugin, an adapter or a sink of somebody else may raise anything",
}
"""The files at the edge of a process that may catch `Exception`, each with its reason."""


def nothing_pure_is_asynchronous(source: Source) -> Iterator[int]:
    """Nothing is asynchronous in `model` and `policy`."""
    if not source.path.startswith(PURE):
        return
    for node in ast.walk(source.tree):
        match node:
            case ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await():
                yield node.lineno
            case ast.comprehension(is_async=1, target=target):
                yield target.lineno
            case _:
                pass


def nothing_pure_has_an_effect(source: Source) -> Iterator[int]:
    """Nothing in `model` and `policy` calls a built-in that reads, writes or runs something."""
    if not source.path.startswith(PURE):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and dotted(node.func) in EFFECTFUL_BUILTINS:
            yield node.lineno


def opens_a_transaction(node: ast.With | ast.AsyncWith) -> bool:
    """The block is a transaction."""
    calls = (item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call))
    return any(dotted(call.func).split(".")[-1].endswith("transaction") for call in calls)


def disturbs(node: ast.AST) -> bool:
    """The node opens, stats, hashes, sends, tells the time or waits."""
    match node:
        case ast.Await():
            return True
        case ast.Call(func=ast.Attribute(attr="replace", value=ast.Name(id="os"))):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in NOT_IN_A_TRANSACTION
        case _:
            return False


def a_transaction_only_asks_the_database(source: Source) -> Iterator[int]:
    """Inside a transaction nothing opens, stats, hashes, sends, tells the time or waits."""
    for block in ast.walk(source.tree):
        if isinstance(block, ast.With | ast.AsyncWith) and opens_a_transaction(block):
            inside = (node for line in block.body for node in ast.walk(line))
            yield from (node.lineno for node in inside if disturbs(node) and isinstance(node, ast.expr))


def is_query_file(source: Source) -> bool:
    """The file holds the SQL of a backend."""
    return source.path.startswith("privity/backends/") and source.path.endswith(("/queries.py", "/host_queries.py"))


def statements(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the SQL statements among the strings of the source, docstrings left out."""
    prose = {id(node.value) for node in ast.walk(source.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(source.tree):
        match node:
            case ast.Constant(value=str() as text) if id(node) not in prose and STATEMENT.match(text):
                yield node.lineno, text
            case _:
                pass


def sql_is_a_named_constant(source: Source) -> Iterator[int]:
    """SQL is a constant of a backend's queries.py, never composed and never beside the code."""
    if not is_query_file(source):
        yield from (line for line, _ in statements(source))
        return
    for node in ast.walk(source.tree):
        match node:
            case ast.JoinedStr() | ast.BinOp(op=ast.Add() | ast.Mod()):
                yield node.lineno
            case _:
                pass


def every_statement_binds_the_agent(source: Source) -> Iterator[int]:
    """Every SQL statement on stores, resources or revisions binds `:agent_id`."""
    if is_query_file(source):
        unbound = (line for line, text in statements(source) if CELL_TABLES.search(text) and ":agent_id" not in text)
        yield from (line for line in unbound if line not in exempt_lines(source))


def exempt_lines(source: Source) -> frozenset[int]:
    """Return the lines of the constants that belong to no agent."""
    return frozenset(
        node.value.lineno
        for node in ast.walk(source.tree)
        if isinstance(node, ast.AnnAssign) and node.value and dotted(node.target) in OF_NO_AGENT
    )


def is_log_call(node: ast.Call) -> bool:
    """The call writes to a log."""
    match node.func:
        case ast.Attribute(attr=method, value=receiver):
            return method in LOG_METHODS and dotted(receiver).split(".")[-1] in LOGGERS | {"logging"}
        case _:
            return False


def logged_fields(node: ast.Call) -> Iterator[str]:
    """Yield the names of the fields that the call logs."""
    for keyword in node.keywords:
        match keyword:
            case ast.keyword(arg="extra", value=ast.Dict(keys=keys)):
                yield from (ast.literal_eval(key) if isinstance(key, ast.Constant) else "" for key in keys)
            case ast.keyword(arg=name):
                yield name or ""


def names_an_event(node: ast.Call) -> bool:
    """The call's one positional argument is a constant."""
    return len(node.args) == 1 and isinstance(node.args[0], ast.Constant)


def logs_properly(node: ast.Call) -> bool:
    """The log call names its event and carries allowed fields."""
    return names_an_event(node) and LOG_FIELDS.issuperset(logged_fields(node))


def logs_carry_allowed_fields(source: Source) -> Iterator[int]:
    """A log call names its event by a constant and carries only fields from the allow-list."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and is_log_call(node) and not logs_properly(node):
            yield node.lineno


def imported_roots(node: ast.AST) -> frozenset[str]:
    """Return the top packages that an import names."""
    match node:
        case ast.Import(names=names):
            return frozenset(alias.name.split(".")[0] for alias in names)
        case ast.ImportFrom(module=str() as module):
            return frozenset({module.split(".")[0]})
        case _:
            return frozenset()


def every_way_out_has_a_capability(source: Source) -> Iterator[int]:
    """Every side effect outside the process has an egress capability id."""
    if source.path in EGRESS:
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and imported_roots(node) & EGRESS_MODULES:
            yield node.lineno


def catches_everything(handler: ast.ExceptHandler) -> bool:
    """The handler names no error of its own."""
    named = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(error is None or dotted(error).split(".")[-1] in {"Exception", "BaseException"} for error in named)


def ends_in_unavailable(handler: ast.ExceptHandler) -> bool:
    """The last thing the handler does is to say *unavailable*."""
    return "unavailable" in ast.unparse(handler.body[-1]).lower()


def stands_at_an_edge(source: Source, handler: ast.ExceptHandler) -> bool:
    """The handler is the last one of a process, and gives nothing away."""
    return source.path in EDGE_FILES and ends_in_unavailable(handler)


def only_edges_catch_everything(source: Source) -> Iterator[int]:
    """`except Exception` stands only in listed edge files, and ends in *unavailable*."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler) and catches_everything(node) and not stands_at_an_edge(source, node):
            yield node.lineno
