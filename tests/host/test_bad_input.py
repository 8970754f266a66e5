"""What a wrong argument gets at every call of the library: a typed error that says which, and a home unchanged."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import apsw
import pytest

from privity import wiring
from privity.host.adapters import Adapters
from privity.host.agent import Agent
from privity.host.conversations import Conversations
from privity.host.delegation import Handover
from privity.host.delivery import INTERNAL
from privity.host.events import VerifiedEvent
from privity.host.host import Host
from privity.host.identities import Identities
from privity.host.ingress import Ingress
from privity.host.operator import Operator
from privity.host.options import Mode
from privity.host.run import Run
from privity.host.session import Session
from privity.host.sinks import Sink, Sinks
from privity.identity.local import LocalAdapter
from privity.model.context import SinkKind, Visibility
from privity.model.events import EventKind
from privity.model.ids import EgressCapabilityId, PrincipalId, SinkId
from privity.model.operations import Operation
from privity.model.resources import Anonymity
from privity.sdk.errors import DeniedError, InputError, PrivityError
from privity.sdk.identity import AdmittedEvent, ChangeKind, IdentityAdapter, MembershipChange, Voucher
from privity.sdk.plugin import LineRange

Given = Mapping[str, object]

NEVER: Final[tuple[object, ...]] = (
    object(),
    float("nan"),
    float("inf"),
    2j,
    bytearray(b"x"),
    {7: 7},
    [object()],
    {object()},
    Exception,
    ...,
)
"""Right for no parameter of any call."""

HOSTILE: Final[tuple[object, ...]] = (
    *(
        "",
        " ",
        "\n",
        "*",
        "%",
        "?",
        "a\0b",
        "\ud800",
        "\udcff",
        "\u202e",
        "../../etc",
        "' OR 1=1 --",
        "x" * 300_000,
        "é" * 513,
    ),
    *(0, -1, True, 2**31, 2**63, 2**64, -(2**63) - 1, 10**30),
    *(timedelta(0), timedelta(-1), timedelta.max, timedelta.min, timedelta(microseconds=1)),
    *(datetime.min, datetime.max, datetime.min.replace(tzinfo=UTC)),  # noqa: DTZ901 - naive on purpose
    *(None, b"", b"\xff" * 64, (), [], ("",), ["\ud800"], ["x"] * 100, ("a\0b",), {}, {"a": "b"}, frozenset[str]()),
    *(LineRange(first=0, last=None), LineRange(first=9, last=3), LineRange(first="1", last=None)),  # pyright: ignore[reportArgumentType]
    *(LineRange(first=True, last=None), LineRange(first=10**30, last=10**31), LineRange(first=1, last="\ud800")),  # pyright: ignore[reportArgumentType]
    *(Handover(operations=frozenset()), Handover(operations=frozenset({"retrieve"}))),  # pyright: ignore[reportArgumentType]
    *(Handover(operations=None), Handover(operations=frozenset({Operation.RETRIEVE}), audiences="everybody")),  # pyright: ignore[reportArgumentType]
    *("publish", "tool-result", EventKind.MESSAGE, EventKind.SUMMARY, *Operation, *Visibility, *Anonymity),
)
"""Right for some parameters, wrong for most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A home with somebody in it, and one of each face of the library."""

    home: Path
    host: Host
    agent: Agent
    event: VerifiedEvent
    session: Session
    run: Run
    person: PrincipalId
    other_person: PrincipalId
    service: PrincipalId
    room: PrincipalId
    binding_id: str
    handle: str


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Return a home in which everything has happened once."""
    wiring.init_home(tmp_path / "home", Mode.DEVELOPMENT)
    with wiring.open(tmp_path / "home", environ={}) as host:
        yield furnished(tmp_path / "home", host)


def furnished(home: Path, host: Host) -> Scene:
    """Return a scene in a new home."""
    host.sinks.register(sink("local"))
    agent, operator = host.add_agent("robin"), host.operator()
    ada, bob = operator.identities.add_local_person("ada"), operator.identities.add_local_person("bob")
    service = operator.identities.add_service("clock")
    room = operator.conversations.add("local", "local", "planning")
    operator.conversations.add_member(room, bob)
    operator.grant(agent, Operation.PUBLISH, bob)
    operator.deny(agent, Operation.PUBLISH, ada)
    operator.publish(agent, "Opening hours are nine to five.")
    event = host.vouch("ada", "hello")
    session = agent.session(event)
    run = session.run(event)
    return Scene(
        home=home,
        host=host,
        agent=agent,
        event=event,
        session=session,
        run=run,
        person=ada,
        other_person=bob,
        service=service,
        room=room,
        binding_id=operator.identities.bindings(ada)[0].binding_id,
        handle=run.remember("The code of the door is 4711.").handle,
    )


def sink(name: str) -> Sink:
    """Return a sink that sends nowhere."""
    return Sink(
        sink_id=SinkId(name),
        capability_id=EgressCapabilityId("chat.reply"),
        kind=SinkKind.INTERNAL,
        resolve=lambda _: (INTERNAL,),
        deliver=lambda _: None,
    )


FACES: Final[Mapping[type, Callable[[Scene], Any]]] = {
    Host: lambda scene: scene.host,
    Agent: lambda scene: scene.agent,
    Session: lambda scene: scene.session,
    Run: lambda scene: scene.run,
    Operator: lambda scene: scene.host.operator(),
    Identities: lambda scene: scene.host.operator().identities,
    Conversations: lambda scene: scene.host.operator().conversations,
    Sinks: lambda scene: scene.host.sinks,
    Adapters: lambda scene: scene.host.adapters,
    Ingress: lambda scene: scene.host.ingress("local"),
    LocalAdapter: lambda scene: scene.host.local,
}
"""Each class that the library hands out, and how to come by one."""

INTERNAL_CALLS: Final = {"Sinks.delivery", "Sinks.delivery_revision"}
"""They take what only the host makes."""


def right(scene: Scene) -> Mapping[str, Given]:
    """Return arguments with which each call that takes any is accepted."""
    return {
        **right_of_host(scene),
        **right_of_sessions(scene),
        **right_of_runs(scene),
        **right_of_operators(scene),
        **right_of_identities(scene),
        **right_of_ingress(scene),
    }


def right_of_host(scene: Scene) -> Mapping[str, Given]:
    """Return right arguments for the calls of a host."""
    return {
        "Host.agent": {"name": "robin"},
        "Host.add_agent": {"name": "wren"},
        "Host.audit": {"limit": 5, "after": 1},
        "Host.delivery": {"sink_id": "local", "route": "summary"},
        "Host.explain": {"decision_id": "dec_1"},
        "Host.health": {"agent": scene.agent},
        "Host.subjects": {"agent": scene.agent},
        "Host.ingress": {"adapter": "local"},
        "Host.operator": {"principal_id": scene.person},
        "Host.recover": {"rejoin": False},
        "Host.vouch": {"sender": "ada", "text": "hello", "conversation": "planning"},
    }


def right_of_sessions(scene: Scene) -> Mapping[str, Given]:
    """Return right arguments for the calls that open sessions and runs."""
    return {
        "Agent.session": {"event": scene.event, "visibility": Visibility.NORMAL},
        "Agent.service_session": {"service_id": scene.service},
        "Agent.resume": {"session_key": scene.session.key},
        "Session.run": {"event": scene.event},
    }


def right_of_runs(scene: Scene) -> Mapping[str, Given]:
    """Return right arguments for the calls of a run."""
    people = scene.run.people()
    return {
        "Run.search": {"query": "door", "limit": 3, "about": people},
        "Run.read": {"handle": scene.handle, "lines": LineRange(first=1, last=None)},
        "Run.remember": {"text": "hello", "about": people, "lifetime": timedelta(days=1)},
        "Run.remember_card": {"text": "hello"},
        "Run.forget": {"handle": scene.handle},
        "Run.preview_forget": {"handle": scene.handle},
        "Run.record": {"kind": EventKind.TOOL_RESULT, "text": "hello"},
        "Run.release": {"reply": "hello", "to": scene.event.delivery},
        "Run.delegate": {"handover": Handover(operations=frozenset({Operation.RETRIEVE}))},
    }


def right_of_operators(scene: Scene) -> Mapping[str, Given]:
    """Return right arguments for the calls of an operator."""
    over = {"agent": scene.agent, "capability": Operation.PUBLISH}
    return {
        "Operator.publish": {"agent": scene.agent, "text": "hello", "anonymity": Anonymity.ANONYMOUS_SAFE},
        "Operator.grant": {**over, "principal_id": scene.person, "lifetime": timedelta(days=1)},
        "Operator.revoke": {**over, "principal_id": scene.other_person},
        "Operator.deny": {**over, "principal_id": scene.other_person, "lifetime": timedelta(days=1)},
        "Operator.lift": {**over, "principal_id": scene.person},
    }


def right_of_identities(scene: Scene) -> Mapping[str, Given]:
    """Return right arguments for the calls about people and conversations."""
    room = {"adapter": "local", "account": "local", "conversation_id": "planning"}
    return {
        "Identities.add_local_person": {"name": "carol"},
        "Identities.add_service": {"name": "mail"},
        "Identities.bind": {
            "adapter": "local",
            "account": "local",
            "sender_id": "ada2",
            "principal_id": scene.person,
        },
        "Identities.merge": {"source": scene.person, "into": scene.other_person, "justification": "one person"},
        "Identities.revoke_binding": {"binding_id": scene.binding_id},
        "Identities.revoke_principal": {"principal_id": scene.other_person},
        "Identities.people": {"after": scene.person, "limit": 5},
        "Identities.bindings": {"principal_id": scene.person},
        "Identities.known": {"principal_id": scene.person},
        "Identities.person": {"principal_id": scene.person},
        "Conversations.add": room,
        "Conversations.find": room,
        "Conversations.name_owner": {"conversation_id": scene.room, "owner_id": scene.person},
        "Conversations.add_member": {
            "conversation_id": scene.room,
            "principal_id": scene.person,
            "lifetime": timedelta(days=1),
        },
        "Conversations.remove_member": {"conversation_id": scene.room, "principal_id": scene.other_person},
        "Conversations.members": {"conversation_id": scene.room},
        "Conversations.list": {"after": scene.room, "limit": 5},
        "Conversations.known": {"conversation_id": scene.room},
    }


def right_of_ingress(scene: Scene) -> Mapping[str, Given]:
    """Return right arguments for the calls of adapters, sinks and doors."""
    request = scene.host.local.event(sender="ada", conversation=None, text="hello")
    left = MembershipChange(kind=ChangeKind.LEFT, sender_id="bob")
    return {
        "Sinks.register": {"sink": sink("report")},
        "Sinks.remove": {"sink_id": "local"},
        "Sinks.find": {"sink_id": "local"},
        "Adapters.find": {"name": "local"},
        "Adapters.register": {"adapter": OtherAdapter()},
        "Ingress.verify": {"headers": request.headers, "body": request.body},
        "LocalAdapter.verify": {"headers": request.headers, "body": request.body},
        "LocalAdapter.event": {
            "sender": "ada",
            "conversation": "planning",
            "text": "hello",
            "occurred_at": datetime(2026, 3, 2, tzinfo=UTC),
            "mentions": ("bob",),
            "changes": (left,),
        },
    }


class OtherAdapter:
    """An adapter that the settings name and nobody registered."""

    name = "webhook"

    def verify(self, headers: Mapping[str, str], body: bytes) -> AdmittedEvent:  # noqa: ARG002 - the port's
        """Let nothing in."""
        raise InputError("is refused", where="body", remedy="send none")


def calls(face: type) -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the public calls of a class under their names."""
    for name, member in vars(face).items():
        if inspect.isfunction(member) and not name.startswith("_"):
            yield f"{face.__name__}.{name}", member


def parameters(call: Callable[..., object]) -> list[str]:
    """Return what a call takes."""
    return [name for name in inspect.signature(call).parameters if name != "self"]


TAKING: Final = [
    (face, name) for face in FACES for name, call in calls(face) if parameters(call) and name not in INTERNAL_CALLS
]

IN_TIME: Final = [(face, name) for face, name in TAKING if name != "Adapters.register"]
"""An adapter registers before the first event, which every scene has had."""


@pytest.mark.proves("case:API-17")
def test_every_face_of_the_library_is_tried() -> None:
    """Whatever class a host hands out, or that class in turn, stands in the table with all of its calls."""
    found, left = set[type](), [Host]
    while left:
        face = left.pop()
        found.add(face)
        left.extend(handed_out(face) - found)

    assert {LocalAdapter if face in PROTOCOLS else face for face in found} == set(FACES)


PROTOCOLS: Final = {Voucher, IdentityAdapter}
"""What the local adapter satisfies."""


def handed_out(face: type) -> set[type]:
    """Return the classes with calls that a class returns from its calls and properties."""
    members = [member.fget if isinstance(member, property) else member for member in vars(face).values()]
    public = [one for one in members if inspect.isfunction(one) and not one.__name__.startswith("_")]
    made = [get_type_hints(member).get("return") for member in public]
    inside = {one for hint in made for one in (hint, *get_args(hint))}
    return {one for one in inside if inspect.isclass(one) and has_calls(one)}


def has_calls(one: type) -> bool:
    """A class of privity is no value and no word of a closed set."""
    ours = one.__module__.startswith(("privity.host", "privity.sdk.identity"))
    return ours and not is_dataclass(one) and not issubclass(one, Enum)


@pytest.mark.proves("case:API-17")
def test_every_call_with_the_right_arguments_is_accepted(scene: Scene) -> None:
    """The table of right arguments is right, and complete: else the wrong ones would prove nothing."""
    table = right(scene)
    named = {name: sorted(parameters(call)) for face in FACES for name, call in calls(face)}

    assert {name: sorted(given) for name, given in table.items()} == {
        name: taken for name, taken in named.items() if taken and name not in INTERNAL_CALLS
    }


@pytest.mark.proves("case:API-17")
@pytest.mark.parametrize(("face", "name"), IN_TIME, ids=[name for _, name in IN_TIME])
def test_a_call_with_the_right_arguments_is_accepted(scene: Scene, face: type, name: str) -> None:
    """What is refused below is refused for the one argument that was changed."""
    _ = getattr(FACES[face](scene), name.split(".")[1])(**right(scene)[name])


@pytest.mark.timeout(60)
@pytest.mark.proves("case:API-17", "case:WRITE-14")
@pytest.mark.parametrize(("face", "name"), TAKING, ids=[name for _, name in TAKING])
def test_a_wrong_argument_gets_a_typed_error_and_changes_nothing(scene: Scene, face: type, name: str) -> None:
    """Another type than is named is bad input; a right type with a hostile value is refused as ours, or taken."""
    given = right(scene)[name]
    call = getattr(FACES[face](scene), name.split(".")[1])
    before, known = content(scene.home), files(scene.home)
    for parameter in given:
        for value in NEVER:
            refused = error_of(call, {**given, parameter: value})
            assert isinstance(refused, InputError | DeniedError), (parameter, value, refused)
            assert isinstance(refused, InputError) or parameter == "event"
        assert content(scene.home) == before, parameter
        for value in HOSTILE:
            refused = error_of(call, {**given, parameter: value})
            marks = files(scene.home)
            after = before if marks == known else content(scene.home)
            assert refused is None or isinstance(refused, PrivityError), (parameter, value, refused)
            assert refused is None or after == before, (parameter, value, refused, difference(after, before))
            before, known = after, marks


def files(home: Path) -> Mapping[Path, tuple[int, int]]:
    """Return what changes with every write: where nothing did, the content need not be read again."""
    stats = {path: path.stat() for path in home.rglob("*") if path.is_file()}
    return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def difference(one: Mapping[str, object], other: Mapping[str, object]) -> set[str]:
    """Return the names of what differs."""
    return {name for name in {*one, *other} if one.get(name) != other.get(name)}


@pytest.mark.proves("governance:home:one-authority", "case:API-17")
def test_no_call_does_anything_for_an_agent_of_another_home(scene: Scene, tmp_path: Path) -> None:
    """It would be acknowledged and kept where nobody ever finds it."""
    wiring.init_home(tmp_path / "other", Mode.DEVELOPMENT)
    with wiring.open(tmp_path / "other", environ={}) as other:
        stranger = other.add_agent("robin")
    before = content(scene.home)
    for face, name in TAKING:
        given = right(scene)[name]
        if "agent" in given:
            refused = error_of(getattr(FACES[face](scene), name.split(".")[1]), {**given, "agent": stranger})
            assert isinstance(refused, InputError), name
            assert refused.where == "agent"

    assert content(scene.home) == before


def error_of(call: Callable[..., object], given: Given) -> Exception | None:
    """Return what a call raises."""
    try:
        answer = call(**given)
        if isinstance(answer, Iterator):
            _ = list(answer)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    except Exception as error:  # noqa: BLE001 - whatever it is
        return error
    return None


TRAIL: Final = ("audit", "outbox", "runs", "sqlite_sequence")
"""Tables, and columns of tables, that say what was tried. A denial stands there, and nowhere else."""


def content(home: Path) -> Mapping[str, object]:
    """Return everything that a home holds, but for the trail of what was tried."""
    found: dict[str, object] = {}
    for path in sorted(home.rglob("*")):
        if path.suffix == ".db":
            found |= {f"{path.name}/{table}": rows for table, rows in tables(path).items()}
        elif path.is_file() and not path.name.endswith(("-wal", "-shm", "clock")):
            found[path.relative_to(home).as_posix()] = path.read_bytes()
    return found


def tables(path: Path) -> Mapping[str, object]:
    """Return the rows of every table of a database."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        listed = list(
            connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")  # pyright: ignore[reportUnknownMemberType]
        )
        return {
            name: rows_of(connection, str(name)) for (name,) in listed if not any(word in str(name) for word in TRAIL)
        }


def rows_of(connection: apsw.Connection, table: str) -> list[object]:
    """Return the rows of one table, without the columns that count what was tried."""
    columns = [str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")')]  # pyright: ignore[reportUnknownMemberType]
    kept = ", ".join(f'"{name}"' for name in columns if not any(word in name for word in TRAIL))
    return list(connection.execute(f'SELECT {kept} FROM "{table}"'))  # noqa: S608 - names of the schema  # pyright: ignore[reportUnknownMemberType]
