"""Contexts: made in one place, branded, live for one operation, and recognised by identity."""

import copy
import pickle  # noqa: TID251 - to show that what it makes is refused
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest

from privity.host.context import ContextDesk
from privity.host.delivery import INTERNAL
from privity.host.occasions import Occasion
from privity.host.sinks import Sink
from privity.model.context import AccessContext, SinkKind
from privity.model.decisions import Denied
from privity.model.ids import (
    AgentId,
    EgressCapabilityId,
    HostFactsRevision,
    PrincipalId,
    SessionKey,
    SinkId,
)
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.standing import Authenticity
from privity.sdk.errors import DeniedError
from tests.host.house import House, live_in, reply_sink, turn_of


class Lookalike(AccessContext):
    """A context by inheritance."""

    __slots__ = ()


def issued(house: House, *, sender: str = "u1", room: str | None = None) -> tuple[ContextDesk, Occasion, AccessContext]:
    """Issue a context as a run would, and leave it open."""
    _, run = house.run(sender, room=room)
    turn = turn_of(run)
    occasion = turn.occasion(Operation.READ, turn.destination)
    desk = house.workings.desk
    return desk, occasion, desk.issue(occasion)


def lookalike(context: AccessContext) -> AccessContext:
    """Return an instance of a subclass with the same fields."""
    return Lookalike(**{one.name: getattr(context, one.name) for one in fields(AccessContext)})


def mutated(context: AccessContext) -> AccessContext:
    """Return the very object, changed after it was frozen."""
    object.__setattr__(context, "agent_id", AgentId("agt_other"))
    return context


def unreadable(context: AccessContext) -> AccessContext:
    """Return the very object, with something in it that has no canonical form."""
    object.__setattr__(context, "mentioned_ids", object())
    return context


def stripped(context: AccessContext) -> AccessContext:
    """Return the very object, without its brand."""
    object.__delattr__(context, "brand")
    return context


def copied(context: AccessContext) -> AccessContext:
    """Return a copy."""
    return copy.copy(context)


def deeply_copied(context: AccessContext) -> AccessContext:
    """Return a copy of everything in it."""
    return copy.deepcopy(context)


def remade(context: AccessContext) -> AccessContext:
    """Return one made of the same fields."""
    return replace(context)


FORGERIES: list[Callable[[AccessContext], Any]] = [
    copied,
    deeply_copied,
    remade,
    lambda context: replace(context, operation=Operation.EXPORT),
    lambda context: replace(context, version=2),
    lambda context: replace(context, brand=bytes(32)),
    lambda context: pickle.loads(pickle.dumps(context)),  # noqa: S301 - what it makes is refused
    lookalike,
    mutated,
    unreadable,
    stripped,
    lambda context: {one.name: getattr(context, one.name) for one in fields(AccessContext)},
    lambda _: None,
]


@pytest.mark.proves("context:brand", "case:ID-02", "context:issued-by-host-only")
@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forged_context_is_called_forged(house: House, forge: Callable[[AccessContext], Any]) -> None:
    """A copy, an altered one, an unpickled one, a subclass and a shape are not what the host issued."""
    desk, _, context = issued(house)
    standing = desk.standing(forge(context))

    assert standing.authenticity is Authenticity.FORGED
    assert standing.session_identity_revision is None
    assert standing.subject_revision is None


@pytest.mark.proves("context:brand", "case:ID-02")
@pytest.mark.parametrize("forge", FORGERIES)
def test_the_plugin_refuses_a_forged_context(house: House, forge: Callable[[AccessContext], Any]) -> None:
    """A plugin that asks for the standing denies each of them, whatever its shape, and issues no plan."""
    _, _, context = issued(house)
    answer = house.plugin.authorize(forge(context))

    assert isinstance(answer, Denied)
    assert (answer.reason, answer.step) == (Reason.INVALID_CONTEXT, 1)


@pytest.mark.proves("context:brand", "context:shape")
def test_a_live_context_is_genuine_and_current(house: House) -> None:
    """Its revisions equal what the host says now."""
    desk, _, context = issued(house)
    standing = desk.standing(context)

    assert standing.authenticity is Authenticity.GENUINE
    assert standing.session_identity_revision == context.session_identity_revision
    assert standing.subject_revision == context.subject_revision
    assert standing.delivery_revision == context.delivery.delivery_revision
    assert standing.egress_registry_revision == context.delivery.egress_registry_revision
    assert standing.host_facts_revision == context.host_facts_revision
    assert standing.revoked_ids == frozenset()
    assert context.expires_at - context.issued_at == timedelta(minutes=5)


@pytest.mark.proves("context:brand", "context:host-facts-revalidated")
def test_what_is_remembered_of_a_standing_ends_with_the_next_write(house: House) -> None:
    """Asked again it is the same; after any change of what the host keeps, or of the sinks, it is looked up."""
    desk, _, context = issued(house)
    first, again = desk.standing(context), desk.standing(context)
    house.host.operator().identities.revoke_principal(house.person("u2"))
    after = desk.standing(context)

    assert first is again
    assert after.host_facts_revision == first.host_facts_revision + 1
    object.__setattr__(context.delivery, "audiences", ())
    assert desk.standing(context).authenticity is Authenticity.FORGED


@pytest.mark.proves("context:brand", "context:fresh-per-operation")
def test_a_context_serves_one_operation(house: House) -> None:
    """Afterwards it is closed, and presenting it again is a replay."""
    _, run = house.run("u1")
    run.search("x")
    replayed = house.seen
    desk = house.workings.desk
    run.search("x")

    assert desk.standing(replayed).authenticity is Authenticity.CLOSED
    assert house.seen is not replayed
    assert house.seen.context_id != replayed.context_id
    assert getattr(house.plugin.authorize(replayed), "reason", None) is Reason.INVALID_CONTEXT


@pytest.mark.proves("context:fresh-per-operation")
def test_no_context_outlives_its_operation(house: House) -> None:
    """Also where the operation fails."""
    _, run = house.run("u1")
    run.remember("x")
    house.plugin.fail["search"] = ZeroDivisionError()
    with pytest.raises(Exception, match="unavailable"):
        run.search("x")

    assert live_in(house) == {}


@pytest.mark.proves("context:host-facts-revalidated", "case:REV-04", "case:REV-02")
def test_a_held_context_shows_what_was_revoked_since(house: House) -> None:
    """Its standing names the revoked principal, by principal and by binding, and a higher epoch."""
    desk, _, context = issued(house)
    person = house.person("u1")
    identities = house.host.operator().identities
    before = desk.standing(context).host_facts_revision
    identities.revoke_binding(identities.bindings(person)[0].binding_id)
    standing = desk.standing(context)

    assert standing.revoked_ids == {person}
    assert standing.host_facts_revision == before + 1
    identities.revoke_principal(person)
    assert desk.standing(context).host_facts_revision == before + 2


@pytest.mark.proves("case:REV-04", "context:host-facts-revalidated")
@pytest.mark.parametrize("room", ["c1", None], ids=["room", "private"])
def test_a_revocation_between_plan_and_commit_denies_the_commit(house: House, room: str | None) -> None:
    """The plugin looks at the standing again, and nothing is written, also when it is asked once more."""
    person = house.person("u1")
    _, run = house.run("u1", room=room)
    identities = house.host.operator().identities
    house.plugin.between["authorize"] = lambda: identities.revoke_principal(person)
    with pytest.raises(DeniedError) as denied:
        run.remember("too late")

    assert denied.value.reason is Reason.IDENTITY_REVOKED
    assert house.plugin.notes == []


@pytest.mark.proves("session:rebound", "case:ID-19")
def test_a_held_context_shows_that_its_session_moved_on(house: House) -> None:
    """The identity revision of the mapping is another one; the subject is not."""
    desk, occasion, context = issued(house)
    event = house.hear("u1")
    house.agent.session(event).reset()
    standing = desk.standing(context)

    assert standing.session_identity_revision != context.session_identity_revision
    assert standing.subject_revision == context.subject_revision
    with pytest.raises(DeniedError) as denied:
        desk.issue(occasion)
    assert denied.value.reason is Reason.SESSION_REBOUND


@pytest.mark.proves("session:rebound")
def test_a_session_that_is_gone_has_no_revisions(house: House) -> None:
    """Where the key maps to nothing, neither revision equals anything."""
    desk, occasion, _ = issued(house)
    record = replace(occasion.session.record, session_key=SessionKey("key_gone"))
    lost = replace(occasion, session=replace(occasion.session, record=record))
    with pytest.raises(DeniedError):
        desk.issue(lost)
    context = desk.branded(lost)
    live_in(house)[id(context)] = replace(live_in(house)[next(iter(live_in(house)))], context=context, occasion=lost)
    standing = desk.standing(context)

    assert standing.authenticity is Authenticity.GENUINE
    assert (standing.session_identity_revision, standing.subject_revision) == (None, None)


@pytest.mark.proves("context:shape")
def test_facts_that_cannot_be_found_are_left_out(house: House) -> None:
    """An unknown conversation gives no facts, an unknown agent an epoch that no cell has."""
    desk, occasion, _ = issued(house, room="c1")
    record = occasion.session.record
    nowhere = replace(record, conversation_id=PrincipalId("cnv_gone"), agent_id=AgentId("agt_gone"))

    assert desk.conversation(nowhere) is None
    assert desk.epoch(nowhere) == HostFactsRevision(0)


@pytest.mark.proves("egress:receipt:route-change", "case:EGR-01")
def test_a_held_context_shows_that_its_route_changed(house: House) -> None:
    """Another sink of the same name is another route; a resolver that fails is no route."""
    desk, _, context = issued(house)
    house.host.sinks.remove(SinkId("chat"))
    without = desk.standing(context)
    house.host.sinks.register(reply_sink(house.sent))
    again = desk.standing(context)

    assert len({context.delivery.delivery_revision, without.delivery_revision, again.delivery_revision}) == 3
    assert again.egress_registry_revision != context.delivery.egress_registry_revision


@pytest.mark.proves("egress:receipt:route-change")
def test_the_standing_of_a_route_that_cannot_be_resolved_equals_none(house: House) -> None:
    """The verifier never raises: it says so."""
    failing = [False]

    def resolve(route: str) -> tuple[object, ...]:
        if failing[0]:
            raise ZeroDivisionError(route)
        return (INTERNAL,)

    sink = Sink(
        sink_id=SinkId("model"),
        capability_id=EgressCapabilityId("model.complete"),
        kind=SinkKind.INTERNAL,
        resolve=resolve,  # pyright: ignore[reportArgumentType]
        deliver=house.sent.append,
    )
    house.host.sinks.register(sink)
    handle = house.host.delivery(SinkId("model"))
    workings = house.workings
    found = workings.deliveries.find(handle)
    assert found is not None
    _, run = house.run("u1")
    context = workings.desk.issue(turn_of(run).occasion(Operation.READ, found.destination))
    failing[0] = True

    assert workings.desk.standing(context).delivery_revision == ""
