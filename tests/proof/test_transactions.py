"""Transactions of a real home: nothing but the database inside one, and one database to each."""

import ast
import re
import sys
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from privity.backends.sqlite import host_queries, schema
from privity.backends.sqlite.database import Kind, Sync, open_scratch
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.run import Run
from privity.model.audit import AuditRecord
from privity.model.events import EventKind
from privity.model.operations import Operation
from privity.sdk.errors import DeniedError, EgressDeniedError
from privity.wiring import init_home
from privity.wiring import open as open_home
from tests.architecture.rules_effects import a_transaction_only_asks_the_database
from tools.sources import parse, sources

OPENS: Final = re.compile(r"\s*BEGIN\b", re.IGNORECASE)
CLOSES: Final = re.compile(r"\s*(COMMIT|ROLLBACK|END)\b", re.IGNORECASE)
ELSEWHERE: Final = re.compile(r"\b(ATTACH|DETACH)\b", re.IGNORECASE)
OUTSIDE: Final = ("open", "os.", "shutil.", "socket.", "subprocess.", "urllib.", "time.sleep")
"""How the interpreter names what touches files, the network, other processes or waits."""


class Diary:
    """Statements and effects of one thread, in the order they happened."""

    def __init__(self) -> None:
        self.thread: int | None = None
        self.lines: list[tuple[str, str]] = []

    @property
    def is_open(self) -> bool:
        """This thread is the one that is listened to."""
        return self.thread == threading.get_ident()

    def listen(self, event: str, _: tuple[object, ...]) -> None:
        """Note an effect."""
        if event.startswith(OUTSIDE) and self.is_open:
            self.lines.append(("effect", event))

    def follow(self, connection: Any) -> None:  # noqa: ANN401 - apsw's own type is not typed strictly
        """Note what a connection runs."""

        def note(_: object, sql: str, __: object) -> bool:
            if self.is_open:
                self.lines.append(("statement", sql))
            return True

        connection.exec_trace = note

    @property
    def statements(self) -> list[str]:
        """The statements alone."""
        return [line for kind, line in self.lines if kind == "statement"]

    @property
    def effects(self) -> list[str]:
        """The effects between the beginning of a transaction and its end."""
        found: list[str] = []
        is_inside = False
        for kind, line in self.lines:
            if kind == "statement":
                is_inside = (is_inside or OPENS.match(line) is not None) and CLOSES.match(line) is None
            elif is_inside:
                found.append(line)
        return found


DIARY: Final = Diary()
sys.addaudithook(DIARY.listen)  # it stays for the life of the process, and is idle unless a diary is kept


@contextmanager
def diary() -> Generator[Diary]:
    """Note what this thread does from now on, over connections that are opened from now on."""
    DIARY.thread, DIARY.lines = threading.get_ident(), []
    apsw.connection_hooks.append(DIARY.follow)
    try:
        yield DIARY
    finally:
        DIARY.thread = None
        apsw.connection_hooks.remove(DIARY.follow)


def turn(host: Host, sender: str, room: str | None = None) -> Run:
    """Begin the run of one message."""
    event = host.vouch(sender, "hello", room)
    return host.agent("robin").session(event).run(event)


def live(host: Host) -> None:
    """Do every kind of thing that a home is for."""
    agent = host.add_agent("robin")
    operator = host.operator()
    people = [operator.identities.add_local_person(name) for name in ("ann", "ben")]
    room = operator.conversations.add("local", "local", "team")
    for person in people:
        operator.conversations.add_member(room, person)
    operator.grant(agent, Operation.PUBLISH, people[0])
    operator.publish(agent, "The harbour calendar is public.")
    with turn(host, "ann", "team") as run:
        run.remember("The team meets at the harbour.")
    event = host.vouch("ann", "hello")
    session = host.agent("robin").session(event)
    with session.run(event) as run:
        handle = run.remember("The harbour opens in May.").handle
        run.remember_card("Ann sails.")
        run.search("harbour")
        run.read(handle)
        run.bootstrap()
        run.record(EventKind.TOOL_RESULT, "42")
        with suppress(EgressDeniedError):
            run.release("hello", to=event.delivery)
        run.forget(handle)
    session.reset()
    operator.identities.revoke_principal(people[1])
    host.drain()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a fresh development home."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    return tmp_path / "home"


@pytest.mark.proves("write:transaction:callback-is-pure")
def test_nothing_but_the_database_is_touched_inside_a_transaction(home: Path) -> None:
    """From opening to closing no file, network, process or wait comes between a BEGIN and its COMMIT."""
    with diary() as kept, closing(open_home(home)) as host:
        live(host)

    assert sum(OPENS.match(line) is not None for line in kept.statements) > 30
    assert ("effect", "open") in kept.lines
    assert kept.effects == []


@pytest.mark.proves("write:transaction:callback-is-pure")
def test_a_file_that_is_opened_inside_a_transaction_is_found(tmp_path: Path) -> None:
    """The look above can fail."""
    with diary() as kept:
        database = open_scratch(Kind(schema=schema.AGENT, version=schema.AGENT_VERSION, sync=Sync.EACH))
        with database.transaction():
            (tmp_path / "file").write_text("x", encoding="utf-8")
        database.close()

    assert kept.effects == ["open"]


@pytest.mark.proves("write:transaction:callback-is-pure")
def test_no_transaction_of_the_source_calls_what_reads_sends_hashes_or_waits() -> None:
    """Nor is anything that touches a database asynchronous, in the engine and in storage."""
    kept = [one for one in sources() if one.path.startswith(("privity/backends/", "privity/engine/"))]
    planted = parse("privity/backends/x.py", "with database.transaction():\n    path.read_bytes()\n")

    assert [(one.path, line) for one in kept for line in a_transaction_only_asks_the_database(one)] == []
    assert [one.path for one in kept if any(isinstance(node, WAITS) for node in ast.walk(one.tree))] == []
    assert list(a_transaction_only_asks_the_database(planted)) == [2]


WAITS: Final = (ast.AsyncFunctionDef, ast.AsyncWith, ast.AsyncFor, ast.Await)
SCHEMAS: Final = {
    "cells": schema.CELLS,
    "agent": schema.AGENT,
    "index": schema.INDEX,
    "host": host_queries.SCHEMA,
}
TABLE: Final = re.compile(r"CREATE (?:VIRTUAL )?TABLE (\w+)")
REFERENCE: Final = re.compile(r"\bREFERENCES (\w+)")


@pytest.mark.proves("write:transaction:cross-database")
def test_no_statement_of_a_home_knows_two_databases(home: Path) -> None:
    """No connection attaches another database, and every foreign key leads to a table of its own."""
    with diary() as kept, closing(open_home(home)) as host:
        live(host)
    foreign = {name: set(REFERENCE.findall(text)) - set(TABLE.findall(text)) for name, text in SCHEMAS.items()}

    assert [line for line in kept.statements if ELSEWHERE.search(line)] == []
    assert foreign == {"cells": set(), "agent": set(), "index": set(), "host": set()}
    assert REFERENCE.findall(schema.AGENT) != []
    assert ELSEWHERE.search("ATTACH 'x' AS y") is not None


@pytest.mark.proves("write:transaction:cross-database")
def test_the_outbox_carries_the_audit_over_and_facts_are_asked_for_again(home: Path) -> None:
    """What an agent's database recorded is in the host's once it was drained, each row once; a withdrawal in the host's stops the next commit."""
    with closing(open_home(home)) as host:
        host.add_agent("robin")
        person = host.operator().identities.add_local_person("ann")
        run = turn(host, "ann")
        run.remember("The harbour opens in May.")
        before = [entry.record for entry in host.audit(1_000) if isinstance(entry.record, AuditRecord)]
        host.drain()
        host.drain()
        after = [entry.record for entry in host.audit(1_000) if isinstance(entry.record, AuditRecord)]
        active = host.health(host.agent("robin")).revisions["active"]
        host.operator().identities.revoke_principal(person)
        with pytest.raises(DeniedError):
            run.remember("The harbour closes in June.")
        left = host.health(host.agent("robin")).revisions["active"]

    assert before == []
    assert [record.kind for record in after] == ["event", "write"]
    assert (active, left) == (1, 1)
