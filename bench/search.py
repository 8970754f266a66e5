"""Search at 10,000 mounted notes beside its floor: the same work done bare, in the same process, turn about."""

import hashlib
import heapq
import hmac
import json
import math
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final

import apsw
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from bench.context import TimedEngine
from bench.gatemem import data_folder
from bench.search_floor import opened as opened_index
from privity.backends.sqlite import codec, queries
from privity.backends.sqlite.backend import SqliteBackend, open_vault
from privity.backends.sqlite.database import Connection, Row
from privity.backends.sqlite.flusher import Durability
from privity.backends.sqlite.host_stores import open_host_stores
from privity.engine.parts import parts_of
from privity.engine.ranking import K1, LEAST_IDF, B
from privity.engine.records import ActivateCommit, IndexRow, RevisionRecord, StoreRecord
from privity.engine.terms import analyse
from privity.host.agent import Agent
from privity.host.assembly import Fittings, assemble
from privity.host.host import Host
from privity.host.keys import HostKeys
from privity.host.options import DEFAULT_LIFETIMES, FirstContact, HostOptions, MembershipRule, Mode, SignerOptions
from privity.host.session import Session
from privity.identity.local import ACCOUNT, NAME, LocalAdapter
from privity.migrate.chat import ChatFormat, conversations
from privity.migrate.conversation import note_text
from privity.model.audiences import Audience, AudienceKind
from privity.model.ids import AgentId, PrincipalId, ResourceId, RevisionId
from privity.model.principals import SenderStrength
from privity.model.resources import Section
from privity.model.stores import StoreKind
from privity.model.subjects import UserSubject
from privity.wiring.clock import SystemClock, SystemEntropy

NOTES: Final = 10_000
MOST: Final = 6
QUESTIONS: Final = 250
WINDOW: Final = 10
"""Questions asked in one window, and by one of the person's addresses: a reset would inherit what it was shown."""

KEY: Final = bytes(32)
OPTIONS: Final = HostOptions(
    mode=Mode.DEVELOPMENT,
    first_contact=FirstContact.CREATE,
    minimum_strength=SenderStrength.UNVERIFIED,
    adapters=frozenset({NAME}),
    sinks=None,
    accounts={(NAME, ACCOUNT): SignerOptions(membership=MembershipRule.ROSTER)},
    lifetimes=DEFAULT_LIFETIMES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Notes and the questions asked of them."""

    notes: tuple[str, ...]
    questions: tuple[str, ...]
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What was measured, in seconds: medians, and where 95 in a hundred lie below."""

    engine: float
    engine_p95: float
    floor: float
    floor_p95: float
    library: float
    context_and_plan: float
    plan: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library over a vault that is timed."""

    host: Host
    agent: Agent
    engine: TimedEngine
    vault: SqliteBackend

    def session(self) -> Session:
        """Return the direct message of the one person there is."""
        return self.agent.session(self.host.vouch("ann", "hello"))

    @property
    def person(self) -> PrincipalId:
        """The one person."""
        subject = self.session().subject
        assert isinstance(subject, UserSubject)
        return subject.principal_id

    def address(self, number: int) -> str:
        """Return one of the person's addresses, tied to her if it is new."""
        name = f"ann-{number}"
        identities = self.host.operator().identities
        if len(identities.bindings(self.person)) <= number + 1:
            identities.bind(NAME, ACCOUNT, name, self.person)
        return name

    @property
    def store(self) -> StoreRecord:
        """The person's store."""
        audience = Audience(kind=AudienceKind.USER, id=self.person)
        return self.vault.stores.find_stores(self.agent.agent_id, [(StoreKind.USER, audience)])[0]


def corpus() -> Corpus:
    """Return real turns and real questions, or made ones where there are no data."""
    folder = data_folder()
    files = [] if folder is None else sorted((folder / "locomo").glob("*.json"))
    if not files:
        return made_corpus()
    talks = [talk for file in files for talk in conversations(file, ChatFormat.LOCOMO, rooms=None)]
    turns = [note_text(talk.people[turn.sender_id], turn) for talk in talks for turn in talk.turns]
    asked = [question["question"] for file in files for question in questions_of(json.loads(file.read_text("utf-8")))]
    notes = tuple(turns[number % len(turns)] for number in range(NOTES))
    step = max(1, len(asked) // QUESTIONS)
    return Corpus(notes=notes, questions=tuple(asked[::step][:QUESTIONS]), origin="locomo")


def questions_of(records: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the questions of a LoCoMo file."""
    for record in records:
        yield from record["qa"]


def now() -> datetime:
    """Return the time."""
    return SystemClock().now()


def made_corpus() -> Corpus:
    """Return notes and questions of made-up words, the frequent ones very frequent."""
    words = [f"word{number}" for number in range(4_000)]

    def word(number: int) -> str:
        return words[int(len(words) * ((number * 2_654_435_761 % 2**32) / 2**32) ** 4)]

    notes = tuple(" ".join(word(25 * note + place) for place in range(25)) for note in range(NOTES))
    questions = tuple(" ".join(word(7 * number + place + 13) for place in range(6)) for number in range(QUESTIONS))
    return Corpus(notes=notes, questions=questions, origin="made")


def open_library(path: Path, opened: ExitStack) -> Library:
    """Return a timed library over the home at `path`."""
    clock, entropy = SystemClock(), SystemEntropy()
    path.mkdir(exist_ok=True)
    for name in ("host",):
        (path / name).mkdir(mode=0o700, exist_ok=True)
    vault = open_vault(path / "vault", clock=clock, entropy=entropy, durability=Durability.GROUPED)
    opened.callback(vault.close)
    stores = open_host_stores(path / "host")
    opened.callback(stores.close)
    local = LocalAdapter(KEY, clock, entropy)
    engines: list[TimedEngine] = []
    host = assemble(
        Fittings(
            options=OPTIONS,
            stores=stores,
            keys=HostKeys(KEY),
            clock=clock,
            entropy=entropy,
            voucher=local,
            closing=lambda: None,
        ),
        lambda verifier: engines.append(TimedEngine(parts_of(vault, verifier, clock, entropy))) or engines[-1],
    )
    host.adapters.register(local)
    agent = host.agents()[0] if host.agents() else host.add_agent("robin")
    return Library(host=host, agent=agent, engine=engines[0], vault=vault)


def fill(library: Library, notes: Sequence[str]) -> None:
    """Put the notes into the person's store: the first through the door, the others as copies of its row."""
    event = library.host.vouch("ann", "hello")
    with library.agent.session(event).run(event) as run:
        run.remember(notes[0])
    store, agent_id = library.store, library.agent.agent_id
    first = library.vault.revisions.list_changes(agent_id, store.facts.store_id, 0)[0]
    rows = [add_copy(library.vault, store, first, text) for text in notes[1:]]
    library.vault.index.apply(agent_id, store, rows, (), max(len(notes), 1))


def add_copy(vault: SqliteBackend, store: StoreRecord, first: RevisionRecord, text: str) -> IndexRow:
    """Write another note as the first one was written, and return its index row."""
    entropy = SystemEntropy()
    revision_id = RevisionId(entropy.token("rev"))
    agent_id = store.facts.agent_id
    staged = vault.artifacts.stage(agent_id, store.path_key, Section.NOTE, revision_id, text.encode())
    done = vault.artifacts.finalize(staged)
    vault.revisions.activate(
        ActivateCommit(
            expected=vault.stores.authority(agent_id),
            revision=replace(
                first,
                resource_id=ResourceId(entropy.token("res")),
                revision_id=revision_id,
                content_hash=done.content_hash,
                size=done.size,
                change=0,
            ),
            policy_class=vault.revisions.load_classes(agent_id, [first.class_id])[first.class_id],
            record=vault.outbox.pull(agent_id, 0, 1)[0],
        )
    )
    return IndexRow(revision_id=revision_id, class_id=first.class_id, text=text, expires_at=None)


def grouped(connection: Connection) -> Connection:
    """Return a connection that commits as the catalog does when it groups its syncs."""
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;").fetchall()
    return connection


class Floor:
    """The same search done bare over a copy of the vault: no ports, no policy, no values made of the rows."""

    def __init__(self, vault: Path, agent_id: AgentId, class_ids: frozenset[str]) -> None:
        (index,) = vault.rglob("index.db")
        (catalog,) = vault.rglob("agent.db")
        self.notes = index.parent / "notes"
        self.reader = opened_index(index)
        self.permitted = {"classes": json.dumps(sorted(class_ids)), "skip": "[]", "at": codec.to_micros(now())}
        self.agent_id = agent_id
        self.catalog = grouped(apsw.Connection(str(catalog)))
        self.cipher = AESSIV(bytes(64))
        self.count = 0

    def search(self, terms: Sequence[str]) -> int:
        """Look up, score, read, hash, seal and commit; return how many notes that were."""
        run = self.reader.execute
        postings = [run(queries.MATCH_TERM, {**self.permitted, "term": term}).fetchall() for term in terms]
        totals = run(queries.LIST_TOTALS).fetchall()
        run(queries.LIST_EXPIRED, self.permitted).fetchall()
        best = score(postings, sum(row[1] for row in totals), sum(row[2] for row in totals))
        found = [self.read(revision_id) for revision_id in best]
        handles = [self.cipher.encrypt(f"{store}\0{revision}".encode(), [b"r"]) for store, revision, _ in found]
        seal = hmac.digest(KEY, b"".join(handles), "sha256")
        self.commit([revision for _, revision, _ in found], seal.hex())
        return len(found)

    def read(self, revision_id: str) -> tuple[str, str, str]:
        """Return the store, the revision and the verified text of a row."""
        wanted = {"agent_id": self.agent_id, "revision_id": revision_id}
        row = self.catalog.execute(queries.LOAD_REVISION, wanted).fetchall()[0]
        descriptor = os.open(self.notes / f"{revision_id}.md", os.O_RDONLY)
        content = os.read(descriptor, row[8] + 1)
        os.close(descriptor)
        assert hashlib.sha256(content).hexdigest() == row[7]
        return row[1], row[3], content.decode()

    def commit(self, shown: list[str], seal: str) -> None:
        """Write an exposure and an audit record in one transaction, synced as the catalog's are."""
        self.count += 1
        run = self.catalog.execute
        run(queries.BEGIN)
        sequence = run(queries.NEXT_SEQUENCE, {"agent_id": self.agent_id}).fetchall()[0][0]
        record = json.dumps({"shown": shown, "seal": seal, "digest": seal})
        run(queries.ADD_RECORD, {"sequence": sequence, "decision_id": f"dec_{self.count}", "record": record})
        window = {"session_id": f"floor{self.count // WINDOW}", "policy_set": seal, "shown": len(shown)}
        for place, revision_id in enumerate(shown):
            run(queries.ADD_SHOWN, {**window, "revision_id": revision_id, "place": place}).fetchall()
        run(queries.SAVE_WINDOW, window)
        run(queries.COMMIT)


def score(terms: Sequence[Sequence[Row]], notes: int, tokens: int) -> list[str]:
    """Return the best rows by BM25."""
    scores: defaultdict[str, float] = defaultdict(float)
    for rows in terms:
        idf = max(math.log((notes - len(rows) + 0.5) / (len(rows) + 0.5)), LEAST_IDF) * (K1 + 1)
        per_token = B * notes / tokens
        for revision_id, length, occurrences in rows:
            scores[revision_id] += idf * occurrences / (occurrences + K1 * (1 - B + per_token * length))
    return heapq.nsmallest(MOST, scores, key=lambda revision_id: (-scores[revision_id], revision_id))


def measure(work: Path) -> tuple[Times, Corpus]:
    """Measure both, turn about, over the same questions."""
    asked = corpus()
    with ExitStack() as opened:
        library = open_library(work / "home", opened)
        fill(library, asked.notes)
        agent_id = library.agent.agent_id
        class_ids = frozenset(library.vault.index.state(agent_id, library.store, now()).classes)
    shutil.copytree(work / "home" / "vault", work / "floor")
    with ExitStack() as opened:
        library = open_library(work / "home", opened)
        floor = Floor(work / "floor", agent_id, class_ids)
        return timed(library, floor, asked.questions), asked


def timed(library: Library, floor: Floor, questions: Sequence[str]) -> Times:
    """Ask every question of both."""
    engine, bare, whole, plans = list[float](), list[float](), list[float](), list[float]()
    for number, question in enumerate(questions):
        event = library.host.vouch(library.address(number // WINDOW), question)
        terms = analyse(question, library.vault.index.tokens)[0]
        with library.agent.session(event).run(event) as run:
            whole.append(took(lambda run=run, question=question: len(run.search(question, limit=MOST))))
        engine.append(library.engine.searching)
        plans.append(library.engine.planning)
        bare.append(took(lambda terms=terms: floor.search(terms)))
    return Times(
        engine=median(engine),
        engine_p95=quantiles(engine, n=20)[-1],
        floor=median(bare),
        floor_p95=quantiles(bare, n=20)[-1],
        library=median(whole),
        context_and_plan=median(one - other for one, other in zip(whole, engine, strict=True)),
        plan=median(plans),
    )


def took(ask: Callable[[], int]) -> float:
    """Return how long an answer took; it must be one."""
    start = perf_counter()
    found = ask()
    end = perf_counter()
    assert found >= 0
    return end - start
