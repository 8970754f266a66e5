"""Seam A as a list: what its calls take, what they give back, and what the engine makes of a stale plan."""

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta
from types import UnionType
from typing import Any, Final, Protocol, Union, get_args, get_origin, get_type_hints

import pytest

from privity.engine.engine import Engine
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import (
    AgentId,
    MountHandle,
    PolicyId,
    PrincipalId,
    ResourceHandle,
    ResourceId,
    RevisionId,
    StoreId,
)
from privity.model.mutations import (
    Amendment,
    AmendmentKind,
    Forget,
    Mutation,
    Publish,
    Remember,
)
from privity.model.operations import Operation
from privity.model.passages import Card, Passage
from privity.model.plans import Mount, Plan
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.receipts import EgressReceipt, ExposureReceipt
from privity.model.resources import Anonymity, Section
from privity.sdk.envelope import Envelope
from privity.sdk.plugin import MemoryPlugin, Upkeep
from tests.engine.desk import AGENT, Desk, Seat, autonomous, dm
from tests.isolation.homes import Amended, amend, operator
from tools.sources import sources

NEVER_AN_ARGUMENT: Final = frozenset({StoreId, MountHandle, Mount, PolicyId, ResourceId, RevisionId, PrincipalId})
CONTENT_FIELDS: Final = frozenset({"text", "content", "entries"})


def calls_of(port: type[Any]) -> dict[str, Callable[..., Any]]:
    """Return the calls that a port names, its own and inherited ones."""
    found = inspect.getmembers(port, inspect.isfunction)
    return {name: call for name, call in found if not name.startswith("_")}


def spread(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - of any annotation
    """Yield an annotation and everything that it is made of."""
    yield annotation
    for argument in get_args(annotation):
        yield from spread(argument)


def taken(call: Callable[..., Any]) -> set[Any]:
    """Return the types that a call takes, those inside of others too."""
    hints = {name: hint for name, hint in get_type_hints(call).items() if name != "return"}
    return {part for hint in hints.values() for part in spread(hint)}


@pytest.mark.proves("plugin:contract:ours")
def test_the_contract_has_the_six_further_calls_and_the_engine_answers_each() -> None:
    """Runs, events, egress, host facts, outbox and explanations are calls of seam A with the host's facts in front."""
    first = {
        "begin_run": AccessContext,
        "append_event": AccessContext,
        "authorize_egress": AccessContext,
        "advance_host_facts": AgentId,
        "pull_outbox": AgentId,
        "explain": AgentId,
    }
    asked = calls_of(MemoryPlugin)

    assert {name: next(iter(get_type_hints(asked[name]).values())) for name in first} == first
    assert {name for name, call in calls_of(Engine).items() if name in first and call is not asked[name]} == set(first)


@pytest.mark.proves("plugin:contract:ours")
def test_only_what_the_host_asks_for_itself_takes_no_context() -> None:
    """Whatever else is asked is asked under a context that has no default, and no call takes a store or a mount."""
    asked = calls_of(MemoryPlugin)
    contextless = {name for name, call in asked.items() if AccessContext not in taken(call)}
    defaults = [
        (name, parameter.name)
        for name, call in asked.items()
        for parameter in inspect.signature(call).parameters.values()
        if parameter.name in {"context", "plan", "agent_id"} and parameter.default is not inspect.Parameter.empty
    ]

    assert contextless <= set(vars(Upkeep))
    assert contextless >= {"advance_host_facts", "pull_outbox", "explain", "health"}
    assert [name for name in contextless if holds_content(get_type_hints(asked[name])["return"])] == []
    assert defaults == []
    assert {
        name: taken(call) & NEVER_AN_ARGUMENT for name, call in asked.items() if taken(call) & NEVER_AN_ARGUMENT
    } == {}
    assert set(calls_of(Engine)) == set(asked)


@pytest.mark.proves("write:target:from-context")
def test_no_mutation_has_room_for_a_store_or_an_owner() -> None:
    """What a run may ask to change names text, people by handle, and what is to be forgotten; nothing else fits in."""
    names = {kind: {field.name for field in fields(kind)} for kind in get_args(Mutation)}

    assert names == {
        Remember: {"text", "section", "about", "lifetime"},
        Forget: {"handle"},
        Publish: {"text", "anonymity"},
    }
    for kind in get_args(Mutation):
        for word in ("store_id", "store", "owner_id", "owner", "audience", "principal_id", "path"):
            with pytest.raises(TypeError, match=word):
                kind(**{word: "x"})


@pytest.mark.proves("write:target:from-context")
def test_the_same_words_land_where_each_context_says(desk: Desk) -> None:
    """A text that names a store, an owner and a path is kept in the store of whoever's session it was written in."""
    words = "store: sto_1, owner: usr_bob, path: conversation/notes/x.md"
    for seat in (dm("alice"), autonomous("cron")):
        desk.kept(desk.begin(seat), words)
    written = [record for record in desk.engine.pull_outbox(AGENT, 0, 1_000) if record.operation is Operation.APPEND]
    kinds = [record.store_kinds for record in written if record.revision_ids]

    assert kinds == [("user",), ("agent",)]
    assert desk.texts(desk.begin(dm("alice")), "owner") == [words]
    assert desk.texts(desk.begin(dm("bob")), "owner") == []


def holds_content(annotation: Any) -> bool:  # noqa: ANN401 - of any annotation
    """A value of this annotation holds text of memory outside an envelope."""
    if get_origin(annotation) is Envelope or annotation is Envelope:
        return False
    if get_args(annotation):
        return any(holds_content(argument) for argument in get_args(annotation))
    if annotation in {Passage, Card}:
        return True
    if not is_dataclass(annotation):
        return False
    hints = get_type_hints(annotation)
    return bool(CONTENT_FIELDS & set(hints)) or any(holds_content(hint) for hint in hints.values())


def enveloped(annotation: Any) -> bool:  # noqa: ANN401 - of any annotation
    """One of the alternatives of this annotation is an envelope."""
    options = get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)
    return any(get_origin(option) is Envelope for option in options)


@pytest.mark.proves("read:envelope:mandatory")
@pytest.mark.parametrize("face", [MemoryPlugin, Engine])
def test_whatever_hands_out_content_hands_out_an_envelope(face: type[Any]) -> None:
    """No call gives content back beside one, and an envelope is not made without both receipts."""
    given = {name: get_type_hints(call)["return"] for name, call in calls_of(face).items()}
    receipts = {name: hint for name, hint in get_type_hints(Envelope).items() if name != "value"}

    assert {name for name, answer in given.items() if holds_content(answer)} == set()
    assert {name for name, answer in given.items() if enveloped(answer)} >= {"search", "read", "bootstrap", "export"}
    assert receipts == {"exposure": ExposureReceipt, "egress": EgressReceipt}
    with pytest.raises(TypeError, match="exposure"):
        Envelope(value="text")  # pyright: ignore[reportCallIssue]


class Loose(Protocol):
    """A plugin whose answers hold content as they are."""

    def search(self, context: AccessContext) -> tuple[Passage, ...] | Denied:
        """Return passages without receipts."""
        ...

    def card(self, context: AccessContext) -> Card:
        """Return a card without receipts."""
        ...


@pytest.mark.proves("read:envelope:mandatory")
def test_a_plain_answer_with_content_is_found() -> None:
    """The look above can fail."""
    given = {name: get_type_hints(call)["return"] for name, call in calls_of(Loose).items()}

    assert {name for name, answer in given.items() if holds_content(answer)} == {"search", "card"}


FOREIGN_TO_THE_ENGINE: Final = ("privity.host", "privity.identity", "privity.sdk.identity", "privity.wiring")
OWNED: Final = frozenset(
    {"Stores", "Revisions", "Runs", "Outbox", "Artifacts", "Index", "Permitted", "Candidate", "Intent"}
)


@pytest.mark.proves("plugin:ownership:engine-owns-content")
def test_the_engine_keeps_content_and_asks_nobody_who_anyone_is() -> None:
    """It names neither adapters nor bindings, and nothing outside it, but storage, names what it keeps content by."""
    named = {source.path: set(imported(source.tree)) for source in sources()}
    engine = {path: names for path, names in named.items() if path.startswith("privity/engine/")}
    owners = ("privity/engine/", "privity/backends/", "privity/conformance/")
    outside = {path: names for path, names in named.items() if not path.startswith(owners)}

    assert {
        path for path, names in engine.items() if any(name.startswith(FOREIGN_TO_THE_ENGINE) for name in names)
    } == set()
    assert {
        path
        for path, names in outside.items()
        for name in names
        if name.startswith("privity.engine.") and name.rpartition(".")[2] in OWNED
    } == set()
    assert "privity.engine.postfilter.Permitted" in engine["privity/engine/searching.py"]


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{name.name}" for name in names)
            case ast.Import(names=names):
                yield from (name.name for name in names)
            case _:
                pass


Call = Callable[[Desk, AccessContext, Plan, ResourceHandle], object]
PLANNED: Final[dict[str, tuple[Operation, Call]]] = {
    "search": (Operation.READ, lambda d, c, p, _: d.engine.search(c, p, "launch", about=None, limit=6)),
    "read": (Operation.READ, lambda d, c, p, h: d.engine.read(c, p, h, lines=None)),
    "bootstrap": (Operation.READ, lambda d, c, p, _: d.engine.bootstrap(c, p)),
    "export": (Operation.EXPORT, lambda d, c, p, h: d.engine.export(c, p, [h])),
    "sync": (Operation.READ, lambda d, c, p, _: d.engine.sync(c, p)),
    "write": (Operation.APPEND, lambda d, c, p, _: d.engine.write(c, p, NOTE)),
    "forget": (Operation.DELETE, lambda d, c, p, h: d.engine.write(c, p, Forget(handle=h))),
    "preview_forget": (Operation.DELETE, lambda d, c, p, h: d.engine.preview_forget(c, p, h)),
    "publish": (Operation.PUBLISH, lambda d, c, p, _: d.engine.write(c, p, SHARED)),
    "amend_rules": (Operation.POLICY_ADMIN, lambda d, c, p, _: d.engine.amend_rules(c, p, GRANT)),
}
"""Each call that takes a plan, and each mutation, with the operation it is asked under."""
NOTE: Final = Remember(text="x", section=Section.NOTE, about=(), lifetime=None)
SHARED: Final = Publish(text="x", anonymity=Anonymity.IDENTIFIED_ONLY)
GRANT: Final = Amendment(
    kind=AmendmentKind.GRANT, effect=Effect.DENY, capability=Operation.READ, grantee_id=None, lifetime=None
)


def moved(desk: Desk, _: Seat, plan: Plan) -> Plan:
    """Let authority move: somebody gets leave to publish."""
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.DELETE))
    return plan


def ended(desk: Desk, _: Seat, plan: Plan) -> Plan:
    """Let the time of the plan pass, and not that of its context."""
    desk.clock.pass_by(timedelta(seconds=61))
    return plan


def foreign(desk: Desk, seat: Seat, plan: Plan) -> Plan:
    """Take the plan of another context of the same session and operation."""
    other = desk.engine.authorize(desk.context(seat, plan.operation))
    assert isinstance(other, Plan)
    return other


def altered(_: Desk, __: Seat, plan: Plan) -> Plan:
    """Let the plan last longer than it was sealed for."""
    return replace(plan, expires_at=plan.expires_at + timedelta(days=1))


Way = Callable[[Desk, Seat, Plan], Plan]
STALE: Final[dict[Way, Reason]] = {
    moved: Reason.PLAN_EXPIRED,
    ended: Reason.PLAN_EXPIRED,
    foreign: Reason.INVALID_CONTEXT,
    altered: Reason.INVALID_CONTEXT,
}


def seat_for(name: str) -> Seat:
    """Return somebody who may ask this."""
    return operator() if name in {"publish", "amend_rules"} else dm("alice")


@pytest.mark.proves("plugin:plan:revalidated", "policy:order:plan-bound")
@pytest.mark.parametrize("name", PLANNED)
@pytest.mark.parametrize("way", STALE, ids=lambda way: way.__name__)
def test_every_call_under_a_plan_looks_at_the_plan_again(desk: Desk, name: str, way: Way) -> None:
    """Once authority moved, time passed, or the plan is not this context's, nothing is shown, changed or recorded as done."""
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.PUBLISH))
    seat = desk.begin(seat_for(name))
    handle = desk.kept(seat, "The launch is on Monday.")
    operation, call = PLANNED[name]
    context = desk.context(seat, operation)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    stale = way(desk, seat, plan)
    revisions, records = desk.engine.health(AGENT).revisions, len(desk.engine.pull_outbox(AGENT, 0, 1_000))
    outcome = call(desk, context, stale, handle)
    added = desk.engine.pull_outbox(AGENT, 0, 1_000)[records:]

    assert isinstance(outcome, Denied)
    assert (outcome.reason, outcome.step) == (STALE[way], 2)
    assert desk.engine.health(AGENT).revisions == revisions
    assert [record.kind for record in added] == ["denial"]


@pytest.mark.proves("plugin:plan:revalidated")
@pytest.mark.parametrize("name", PLANNED)
def test_every_call_does_what_it_is_for_under_its_own_plan(desk: Desk, name: str) -> None:
    """The calls above are refused for their plans alone."""
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.PUBLISH))
    seat = desk.begin(seat_for(name))
    handle = desk.kept(seat, "The launch is on Monday.")
    operation, call = PLANNED[name]
    context = desk.context(seat, operation)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)

    assert not isinstance(call(desk, context, plan, handle), Denied)


@pytest.mark.proves("plugin:plan:revalidated")
def test_no_call_under_a_plan_is_left_out() -> None:
    """Every call of seam A that takes a plan is among those above, and so is every kind of mutation."""
    under = {name for name, call in calls_of(MemoryPlugin).items() if Plan in taken(call)}

    assert under == set(PLANNED) - {"forget", "publish"}
    assert {Remember, Forget, Publish} == set(get_args(Mutation))


@pytest.mark.proves("plugin:handle:deterministic")
def test_equal_answers_are_equal_byte_for_byte(desk: Desk) -> None:
    """Asked twice in one session, every handle is the same; in another session of the same person none is."""
    alice = desk.begin(dm("alice"))
    for text in ("The launch is on Monday.", "The launch is at noon."):
        desk.kept(alice, text)
    elsewhere = desk.begin(replace(dm("alice"), session_id=type(alice.session_id)("ses_other")))
    once, again, there = (desk.search(seat, "launch") for seat in (alice, alice, elsewhere))
    assert not isinstance(once, Denied)
    assert not isinstance(again, Denied)
    assert not isinstance(there, Denied)

    assert len(once) == 2
    assert repr(once).encode() == repr(again).encode()
    assert [passage.text for passage in once] == [passage.text for passage in there]
    assert not {passage.handle for passage in once} & {passage.handle for passage in there}


@pytest.mark.proves("plugin:handle:deterministic")
def test_handles_of_mounts_and_people_are_as_steady(desk: Desk) -> None:
    """Two plans of one session name its mounts alike, and two askings name its people alike."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The launch is on Monday.")
    plans = [desk.engine.authorize(desk.context(alice, Operation.READ)) for _ in range(2)]
    people = [desk.engine.subject_handles(desk.context(alice, Operation.READ)) for _ in range(2)]
    mounts = [[mount.mount_handle for mount in plan.mounts] for plan in plans if isinstance(plan, Plan)]

    assert len(mounts[0]) == 1
    assert mounts[0] == mounts[1]
    assert len(people[0]) == 1
    assert people[0] == people[1]
