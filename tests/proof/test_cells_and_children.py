"""On a real home: cells that share nothing, a card that comes from the engine alone, and two checks for a child."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from privity.host.delegation import Handover
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.run import Run
from privity.model.ids import PrincipalId, ResourceHandle
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.sdk.errors import DeniedError
from privity.wiring import init_home
from privity.wiring import open as open_home
from privity.wiring.settings import KNOWN
from tests.isolation.watch import watching

FACT = "The harbour opens in May."
SHARED = "The harbour calendar is public."
AGENTS = ("support", "sales")
LOOKS = frozenset({Operation.RETRIEVE, Operation.READ})


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a fresh development home."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    return tmp_path / "home"


@pytest.fixture
def host(home: Path) -> Iterator[Host]:
    """Return a host with two agents, Ann, Ben and a room of both."""
    with closing(open_home(home)) as opened:
        for name in AGENTS:
            opened.add_agent(name)
        operator = opened.operator()
        team = operator.conversations.add("local", "local", "team")
        for name in ("ann", "ben"):
            operator.conversations.add_member(team, operator.identities.add_local_person(name))
        yield opened


def turn(host: Host, sender: str, room: str | None = None, *, agent: str = "support") -> Run:
    """Begin the run of one message to one agent."""
    event = host.vouch(sender, "hello", room)
    return host.agent(agent).session(event).run(event)


def found(run: Run) -> list[str]:
    """Return the texts a search finds."""
    return [passage.text for passage in run.search("harbour")]


def person(host: Host, label: str) -> PrincipalId:
    """Return the principal that the operator calls `label`."""
    return next(one.principal_id for one in host.operator().identities.people() if one.label == label)


@pytest.mark.proves("store:cross-agent:deferred")
def test_what_one_agent_keeps_no_other_agent_finds_and_nobody_finds_without_one(host: Host) -> None:
    """Private, room, card and published memory of an agent are its cell's alone, for the very same people too."""
    with turn(host, "ann") as run:
        handle = run.remember(FACT).handle
        run.remember_card("Ann likes the harbour.")
    with turn(host, "ann", "team") as run:
        run.remember("The team meets at the harbour.")
    host.operator().publish(host.agent("support"), SHARED)
    elsewhere: list[object] = []
    for sender, room in (("ann", None), ("ann", "team"), ("ben", None), ("ben", "team")):
        with turn(host, sender, room, agent="sales") as run:
            elsewhere += [*found(run), *run.bootstrap().entries]
            with pytest.raises(DeniedError):
                run.read(handle)
            with pytest.raises(DeniedError):
                run.forget(handle)
    with turn(host, "ann") as run:
        here = sorted(found(run))

    assert elsewhere == []
    assert here == sorted([FACT, SHARED])
    assert {**host.health(host.agent("sales")).revisions}.get("active", 0) == 0
    assert host.health(host.agent("support")).revisions["active"] == 4


@pytest.mark.proves("store:cross-agent:deferred")
def test_what_two_agents_keep_of_one_person_stays_two_things(host: Host) -> None:
    """Each finds its own, and to forget the one leaves the other."""
    handles: dict[str, ResourceHandle] = {}
    for agent in AGENTS:
        with turn(host, "ann", agent=agent) as run:
            handles[agent] = run.remember(f"The harbour, as {agent} has it.").handle
    with turn(host, "ann", agent="support") as run:
        run.forget(handles["support"])
    left: dict[str, list[str]] = {}
    for agent in AGENTS:
        with turn(host, "ann", agent=agent) as run:
            left[agent] = found(run)

    assert left == {"support": [], "sales": ["The harbour, as sales has it."]}


@pytest.mark.proves("read:lane:bootstrap")
def test_the_card_comes_from_the_engine_and_never_from_a_file_of_a_workspace(
    host: Host, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of the usual names, in the working directory and in the home, are neither opened nor listed nor shown."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    planted = [root / name for root in (workspace, home) for name in ("MEMORY.md", "USER.md", "AGENTS.md")]
    for file in planted:
        file.write_text("Everybody knows the harbour password.", encoding="utf-8")
    monkeypatch.chdir(workspace)
    with turn(host, "ann") as run:
        run.remember_card("Ann sails.")
    with turn(host, "ann", "team") as run:
        in_the_room = run.bootstrap().entries
    with turn(host, "ann") as run, watching(home) as watch:
        entries = [entry.text for entry in run.bootstrap().entries]
    with turn(host, "ben") as run:
        others = run.bootstrap().entries

    assert entries == ["Ann sails."]
    assert (in_the_room, others) == ((), ())
    assert any(name.endswith(".md") for name in watch.files)
    assert [name for name in watch.files if str(workspace) in name or any(file.name in name for file in planted)] == []
    assert [name for name in watch.files if name in {"os.listdir .", "os.scandir ."}] == []


@pytest.mark.proves("delegation:two-checks")
def test_a_child_passes_the_check_of_its_tree_and_that_of_its_room(host: Host) -> None:
    """Both hold, and it finds what the room knows; either fails alone, and it finds nothing."""
    with turn(host, "ann", "team") as run:
        run.remember(FACT)
    parent = turn(host, "ann", "team")
    child = parent.delegate(Handover(operations=LOOKS))
    blind = parent.delegate(Handover(operations=frozenset({Operation.RETRIEVE})))
    both = found(child)
    with pytest.raises(DeniedError) as by_operation:
        blind.search("harbour")
    with pytest.raises(DeniedError) as by_audience:
        parent.delegate(Handover(operations=LOOKS, audiences=frozenset()))
    room = host.operator().conversations.list()[0].conversation_id
    host.operator().conversations.remove_member(room, person(host, "ann"))
    with pytest.raises(DeniedError) as by_room:
        child.search("harbour")

    assert both == [FACT]
    assert by_room.value.reason is Reason.MEMBERSHIP_STALE
    assert Reason.MEMBERSHIP_STALE not in {by_operation.value.reason, by_audience.value.reason}


@pytest.mark.proves("audit:query:keyed-digest")
@pytest.mark.parametrize("durability", ["grouped", "strict"])
def test_no_file_of_a_home_holds_a_query_whatever_is_set(home: Path, durability: str) -> None:
    """Neither the vault, the audit it drains into, nor a log of either; and there is no setting that would change it."""
    with closing(open_home(home, flags={"audit.durability": durability})) as opened:
        opened.add_agent("support")
        opened.operator().identities.add_local_person("ann")
        with turn(opened, "ann") as run:
            run.remember(FACT)
            found_first = [passage.text for passage in run.search("harbour quokka")]
        opened.drain()
        searches = [entry.record for entry in opened.audit(1_000) if getattr(entry.record, "query_digest", None)]
        held = [file.name for file in home.rglob("*") if file.is_file() and b"quokka" in file.read_bytes().lower()]
    left = [file.name for file in home.rglob("*") if file.is_file() and b"quokka" in file.read_bytes().lower()]

    assert found_first == [FACT]
    assert len(searches) == 1
    assert (held, left) == ([], [])
    assert [name for name in KNOWN if name.startswith("audit.") or "query" in name] == ["audit.durability"]
