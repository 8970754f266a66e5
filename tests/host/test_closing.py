"""A home that was closed, or that a child process has from its parent, serves nothing."""

import inspect
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from privity.host.agent import Agent
from privity.host.delegation import Handover
from privity.host.host import Host
from privity.host.operator import Operator
from privity.host.options import Mode
from privity.host.run import Run
from privity.host.session import Session
from privity.model.events import EventKind
from privity.model.ids import DecisionId, PrincipalId, ResourceHandle, SessionKey
from privity.model.operations import Operation
from privity.model.resources import Anonymity
from privity.sdk.errors import HomeClosedError, HomeInUseError, PrivityError
from privity.wiring import init_home
from privity.wiring import open as open_home

Calls = dict[str, Callable[[], object]]

QUIET: Final = frozenset(
    {
        *("Host.close", "Host.mode", "Host.adapters", "Host.sinks", "Host.local", "Host.ingress", "Host.delivery"),
        *("Agent.name", "Agent.agent_id", "Run.close", "Run.run_id", "Run.session_id"),
        *("Session.key", "Session.session_id", "Session.subject", "Session.subject_revision", "Session.visibility"),
        *("Session.standing", "Operator.principal_id", "Operator.identities", "Operator.conversations"),
    }
)
"""What asks nothing of a home: its own fields, and the doors to what is asked next."""

NOBODY: Final = PrincipalId("usr_nobody")
NOTHING: Final = ResourceHandle("nothing")


def public(face: type) -> set[str]:
    """Return what a face offers that asks something of a home."""
    names = {f"{face.__name__}.{name}" for name in vars(face) if not name.startswith("_")}
    return names - QUIET


def calls(home: Path) -> tuple[Host, Calls]:
    """Return an open home and a call of everything that asks something of it."""
    host = open_home(home)
    agent, event, operator = host.add_agent("robin"), host.vouch("alice", "hello"), host.operator()
    session = agent.session(event)
    run = session.run(event)
    handover = Handover(operations=frozenset({Operation.RETRIEVE, Operation.READ}))
    identities, conversations = operator.identities, operator.conversations
    listed: Calls = {
        "Host.agent": lambda: host.agent("robin"),
        "Host.agents": host.agents,
        "Host.add_agent": lambda: host.add_agent("other"),
        "Host.operator": lambda: host.operator(NOBODY),
        "Host.recover": host.recover,
        "Host.drain": host.drain,
        "Host.audit": host.audit,
        "Host.explain": lambda: host.explain(DecisionId("dec_1")),
        "Host.health": lambda: host.health(agent),
        "Host.subjects": lambda: list(host.subjects(agent)),
        "Host.vouch": lambda: host.vouch("bob", "hello"),
        "Agent.session": lambda: agent.session(event),
        "Agent.service_session": lambda: agent.service_session(NOBODY),
        "Agent.own_session": agent.own_session,
        "Agent.resume": lambda: agent.resume(SessionKey("key_1")),
        "Agent.imported_session": agent.imported_session,
        "Session.run": lambda: session.run(event),
        "Session.reset": session.reset,
        "Session.branch": session.branch,
        "Session.fork": session.fork,
        "Session.restore": session.restore,
        "Session.rewind": session.rewind,
        "Run.bootstrap": run.bootstrap,
        "Run.search": lambda: run.search("x"),
        "Run.read": lambda: run.read(NOTHING),
        "Run.remember": lambda: run.remember("x"),
        "Run.remember_card": lambda: run.remember_card("x"),
        "Run.forget": lambda: run.forget(NOTHING),
        "Run.preview_forget": lambda: run.preview_forget(NOTHING),
        "Run.people": run.people,
        "Run.record": lambda: run.record(EventKind.TOOL_RESULT, "x"),
        "Run.release": lambda: run.release("x", to=event.delivery),
        "Run.delegate": lambda: run.delegate(handover),
        "Operator.publish": lambda: operator.publish(agent, "x", Anonymity.IDENTIFIED_ONLY),
        "Operator.grant": lambda: operator.grant(agent, Operation.PUBLISH, NOBODY, timedelta(days=1)),
        "Operator.revoke": lambda: operator.revoke(agent, Operation.PUBLISH, NOBODY),
        "Operator.deny": lambda: operator.deny(agent, Operation.READ, None),
        "Operator.lift": lambda: operator.lift(agent, Operation.READ, None),
    }
    acts: Calls = {
        **{f"identities.{name}": call for name, call in bound(identities)},
        **{f"conversations.{name}": call for name, call in bound(conversations)},
    }
    return host, {**listed, **acts}


def bound(acts: object) -> list[tuple[str, Callable[[], object]]]:
    """Return every act of an operator, each called with words that name nobody."""
    named = [(name, getattr(acts, name)) for name in vars(type(acts)) if not name.startswith("_")]
    return [(name, lambda act=act: act(*words(act))) for name, act in named]


def words(act: Callable[..., object]) -> list[object]:
    """Return a word for each argument that has no default."""
    needed = [one for one in inspect.signature(act).parameters.values() if one.default is one.empty]
    return ["local" if one.name in {"adapter", "account"} else "usr_nobody" for one in needed]


def outcome(call: Callable[[], object]) -> str:
    """Return the name of the error that a call ends with."""
    try:
        call()
    except PrivityError as error:
        return type(error).__name__
    return "answered"


@pytest.mark.proves("operation:single-machine")
def test_every_call_that_asks_something_of_a_home_is_among_these(tmp_path: Path) -> None:
    """A new one is tried closed and in a child too."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    host, listed = calls(tmp_path / "home")
    host.close()
    faces = (Host, Agent, Session, Run, Operator)

    assert set().union(*map(public, faces)) == {name for name in listed if name[0].isupper()}


@pytest.mark.proves("operation:single-machine")
def test_a_closed_home_says_that_it_is_closed(tmp_path: Path) -> None:
    """Whatever is asked, nothing is opened again behind the back of the next owner."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    host, listed = calls(tmp_path / "home")
    host.close()
    host.close()
    outcomes = {name: outcome(call) for name, call in listed.items()}
    open_home(tmp_path / "home").close()

    assert {name: said for name, said in outcomes.items() if said != HomeClosedError.__name__} == {}


@pytest.mark.proves("operation:single-machine")
def test_a_forked_child_may_not_use_its_parents_home(tmp_path: Path) -> None:
    """Two processes with one open database would write over each other; the parent goes on."""
    init_home(tmp_path / "home", Mode.DEVELOPMENT)
    host, listed = calls(tmp_path / "home")
    child = os.fork()
    if child == 0:
        outcomes = {outcome(call) for call in listed.values()}
        host.close()
        os._exit(0 if outcomes == {HomeInUseError.__name__} else 1)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert listed["Run.remember"]() is not None
    assert [agent.name for agent in host.agents()] == ["robin"]
    host.close()
