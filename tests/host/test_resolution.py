"""Who it is comes first: admission gives nothing, nothing is asked before it is known, and content comes in envelopes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest

from privity.conformance import storage_samples as samples
from privity.host.run import Run
from privity.model.audit import Explanation
from privity.model.context import AccessContext
from privity.model.events import EventKind
from privity.model.ids import ResourceHandle
from privity.model.principals import PrincipalActor, UnattributedActor
from privity.model.subjects import AmbiguousSubject, ConversationSubject, UserSubject
from privity.sdk.envelope import Envelope
from privity.sdk.errors import DeniedError, NonconformingError
from privity.sdk.identity import ConversationKind, SenderClaim
from tests.host.house import House

SECRET: Final = "The launch is on Monday."
READS: Final[Mapping[str, Callable[[Run, ResourceHandle], object]]] = {
    "search": lambda run, _: run.search("launch"),
    "read": lambda run, handle: run.read(handle),
    "bootstrap": lambda run, _: run.bootstrap(),
}
CALLS: Final = (
    *("begin_run", "authorize", "search", "read", "bootstrap", "write", "append_event", "authorize_egress"),
    *("advance_host_facts", "pull_outbox", "subject_handles"),
)


def listened(house: House) -> list[str]:
    """Return the list to which every call of the plugin that has an answer adds its name, from now on."""
    called: list[str] = []
    for name in CALLS:
        house.plugin.between[name] = lambda name=name: called.append(name)
    return called


def own_notes(house: House) -> None:
    """Let somebody keep a note in private, and one in a room."""
    for room in (None, "c1"):
        _, run = house.run("u1", room=room)
        run.remember(SECRET)
        run.close()


def texts(run: Run) -> list[str]:
    """Return what a search finds."""
    return [passage.text for passage in run.search("launch")]


@pytest.mark.proves("identity:ingress:admission-is-not-access")
@pytest.mark.parametrize("claim", [SenderClaim.UNVERIFIED, SenderClaim.MUTABLE])
def test_an_admitted_event_of_nobody_gives_nothing(house: House, claim: SenderClaim) -> None:
    """It comes in and is answered, and whoever's name it bears, it has no person, no membership and no note of theirs."""
    own_notes(house)
    event = house.hear("u1", claim=claim)
    run = house.agent.session(event).run(event)
    found = texts(run)

    assert found == []
    assert isinstance(house.seen.actor, UnattributedActor)
    assert isinstance(house.seen.session_subject, AmbiguousSubject)
    assert (house.seen.verified_principals, house.seen.verified_memberships) == ((), ())


@pytest.mark.proves("identity:ingress:admission-is-not-access")
def test_to_be_admitted_into_a_room_makes_nobody_a_member_where_a_roster_rules(house: House) -> None:
    """A verified sender's message is let in, and the room's memory is told that they are no member of it."""
    event = house.hear("u9", room="c1", account="strict")
    house.agent.session(event).run(event)

    assert isinstance(house.seen.actor, PrincipalActor)
    assert isinstance(house.seen.session_subject, ConversationSubject)
    assert house.seen.verified_memberships == ()


@pytest.mark.proves("identity:ingress:admission-is-not-access")
def test_routes_that_come_in_together_share_no_memory(house: House) -> None:
    """One sender in private, in two rooms, under another account and on a route that groups senders: each its own."""
    own_notes(house)
    found: dict[str, list[str]] = {}
    routes: dict[str, dict[str, Any]] = {
        "private": {},
        "the room": {"room": "c1"},
        "another room": {"room": "c2"},
        "another account": {"account": "strict"},
        "everybody's": {"room": "main", "kind": ConversationKind.SHARED_MAIN},
    }
    for name, route in routes.items():
        event = house.hear("u1", **route)
        found[name] = texts(house.agent.session(event).run(event))

    assert found == {
        "private": [SECRET],
        "the room": [SECRET],
        "another room": [],
        "another account": [],
        "everybody's": [],
    }


@pytest.mark.proves("identity:resolution:before-retrieval")
def test_the_plugin_hears_nothing_of_a_session_until_its_subject_is_stamped(house: House) -> None:
    """To let an event in, open its session and stamp it asks nothing; the first call states who, whose and by which evidence."""
    called = listened(house)
    event, session = house.session("u1")
    before = list(called)
    session.run(event).search("launch")
    contexts = house.plugin.contexts

    assert before == []
    assert called[0] == "begin_run"
    for context in contexts:
        assert is_resolved(context)
    assert contexts != []


def is_resolved(context: AccessContext) -> bool:
    """A context says who acts, whose session it is, and what both rest on."""
    return (
        isinstance(context.session_subject, UserSubject)
        and isinstance(context.actor, PrincipalActor)
        and context.actor.principal_id == context.session_subject.principal_id
        and bool(context.session_subject.creation_evidence.revision)
        and bool(context.actor.evidence_revision)
        and [one.principal_id for one in context.verified_principals] == [context.actor.principal_id]
    )


def moved_on(house: House) -> Callable[[], object]:
    """Return a search in a window that the session left."""
    event, session = house.session("u1")
    run = session.run(event)
    session.reset()
    return lambda: run.search("launch")


def revoked(house: House) -> Callable[[], object]:
    """Return a search of somebody who was withdrawn."""
    person = house.person("u1")
    _, run = house.run("u1")
    house.host.operator().identities.revoke_principal(person)
    return lambda: run.search("launch")


def unprovable(house: House) -> Callable[[], object]:
    """Return a run in a session whose lineage nobody can prove."""
    event = house.hear("u1")
    imported = house.agent.imported_session()
    return lambda: imported.run(event)


def misrouted(house: House) -> Callable[[], object]:
    """Return a run of an event in somebody else's session."""
    _, session = house.session("u1")
    event = house.hear("u2")
    return lambda: session.run(event)


@pytest.mark.proves("identity:resolution:before-retrieval")
@pytest.mark.parametrize("way", [moved_on, revoked, unprovable, misrouted], ids=lambda way: way.__name__)
def test_whoever_is_not_resolved_is_refused_before_anything_is_asked(
    house: House, way: Callable[[House], Callable[[], object]]
) -> None:
    """The plugin is not called at all."""
    act = way(house)
    called, asked = listened(house), len(house.plugin.contexts)
    with pytest.raises(DeniedError) as denied:
        act()

    assert denied.value.step == 1
    assert (called, len(house.plugin.contexts)) == ([], asked)


@pytest.mark.proves("read:pipeline:order")
@pytest.mark.parametrize("name", READS)
def test_a_read_is_authorized_before_it_is_asked_for(house: House, name: str) -> None:
    """Each is one plan and then the call, under one and the same context."""
    _, run = house.run("u1")
    handle = run.remember(SECRET).handle
    run.remember_card("Alice sails.")
    called, asked = listened(house), len(house.plugin.contexts)
    READS[name](run, handle)

    assert called == ["authorize", name]
    assert len(set(map(id, house.plugin.contexts[asked:]))) == 1


@pytest.mark.proves("read:pipeline:order", "read:envelope:mandatory")
@pytest.mark.parametrize("name", READS)
def test_content_that_comes_without_its_exposure_goes_no_further(house: House, name: str) -> None:
    """Content as it is, or with the receipt of another run, is a breach of the contract, and nothing is returned."""
    _, run = house.run("u1")
    handle = run.remember(SECRET).handle
    breaches: list[Callable[[Envelope[Any]], object]] = [
        lambda sealed: sealed.value,
        lambda sealed: replace(sealed, exposure=None),
        lambda sealed: replace(sealed, egress=None),
        lambda sealed: replace(sealed, exposure=replace(sealed.exposure, run_id="run_other")),
    ]
    for breach in breaches:
        house.plugin.tamper[name] = breach
        with pytest.raises(NonconformingError):
            READS[name](run, handle)
    house.plugin.tamper.clear()

    assert READS[name](run, handle) is not None


@pytest.mark.proves("plugin:contract:ours")
def test_the_host_makes_each_of_the_further_calls(house: House) -> None:
    """A run begins, records, and asks before it sends; a withdrawal raises the epoch; a drain pulls; who asks is explained to."""
    called = listened(house)
    event, run = house.run("u1")
    run.record(EventKind.TOOL_RESULT, "42")
    run.release("hello", to=event.delivery)
    before = dict(house.plugin.epochs)
    house.host.operator().identities.revoke_principal(house.person("u2"))
    record = samples.record(house.agent.agent_id, "one")
    house.plugin.outbox.append(record)
    house.host.drain()
    explained = house.host.explain(record.decision_id)

    assert {"begin_run", "append_event", "authorize_egress", "advance_host_facts", "pull_outbox"} <= set(called)
    assert house.plugin.epochs[house.agent.agent_id] > before[house.agent.agent_id]
    assert explained == Explanation(record=record)


@pytest.mark.proves("write:target:from-context")
def test_a_store_or_an_owner_that_a_model_supplies_is_refused(house: House) -> None:
    """No act of a run or of an operator on memory has a place for one; nothing is asked, nothing written."""
    _, run = house.run("u1")
    asked = len(house.plugin.contexts)
    acts: list[Callable[..., object]] = [run.remember, run.remember_card, run.forget]
    for act in acts:
        for word in ("store", "store_id", "owner", "owner_id", "principal_id", "audience", "path", "agent_id"):
            with pytest.raises(TypeError):
                act("text", **{word: "x"})

    assert (len(house.plugin.contexts), house.plugin.notes) == (asked, [])
