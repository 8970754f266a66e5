"""Runs: what an agent may ask, and what the host accepts as an answer."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest

from privity.host.delegation import Handover
from privity.host.receipts import admit_plugin
from privity.host.run import Run
from privity.host.turns import Turn
from privity.model.audiences import Audience, AudienceKind
from privity.model.decisions import Denied
from privity.model.events import EventKind
from privity.model.ids import (
    DeliveryRevision,
    EgressRegistryRevision,
    EventId,
    Fingerprint,
    PlanId,
    PolicySetId,
    ResourceHandle,
    RunExposureRevision,
    RunId,
    SessionIdentityRevision,
    SubjectHandle,
    SubjectRevision,
)
from privity.model.operations import Operation
from privity.model.passages import ForgetPreview, Forgotten, Remembered
from privity.model.reasons import Reason
from privity.sdk.envelope import Envelope
from privity.sdk.errors import DeniedError, InputError, NonconformingError, UnavailableError
from privity.sdk.identity import SenderClaim
from privity.sdk.plugin import LineRange
from tests.fakes import CAPABLE, START, FakePlugin
from tests.host.house import Builder, House, turn_of

Content = TypeVar("Content")
Tamper = Callable[[Any], object]


@pytest.mark.proves("read:read-your-writes", "context:run-id-always")
def test_a_run_remembers_searches_reads_and_forgets(house: House) -> None:
    """What is remembered is found by the next line, under the same run."""
    _, run = house.run("u1")
    with run:
        kept = run.remember("Stand-up moved to 9:30.", lifetime=timedelta(days=1))
        (found,) = run.search("stand-up")
        read = run.read(found.handle, lines=LineRange(first=1, last=None))
        run.remember_card("An engineer.")
        card = run.bootstrap()
        run.forget(kept.handle)

        assert read == found
        assert found.handle == kept.handle
        assert [entry.text for entry in card.entries] == ["An engineer."]
        assert run.search("stand-up") == ()
    assert {context.run_id for context in house.plugin.contexts} == {run.run_id}
    assert {context.session_id for context in house.plugin.contexts} == {run.session_id}


@pytest.mark.proves("context:fresh-per-operation")
def test_each_call_names_its_operation(house: House) -> None:
    """The operation of a context says what is asked, by its own word."""
    _, run = house.run("u1")
    asked: list[Operation] = []
    handle = run.remember("a note").handle
    for act in (
        lambda: run.search("note"),
        lambda: run.read(handle),
        run.bootstrap,
        lambda: run.remember("b"),
        lambda: run.preview_forget(handle),
        lambda: run.forget(handle),
        run.people,
        lambda: run.record(EventKind.TOOL_RESULT, "done"),
    ):
        act()
        asked.append(house.seen.operation)

    assert asked == [
        *[Operation.READ] * 3,
        Operation.APPEND,
        Operation.DELETE,
        Operation.DELETE,
        Operation.DELETE,
        Operation.APPEND,
    ]


@pytest.mark.proves("context:model-adds-nothing", "case:ID-01")
def test_no_call_takes_a_person_a_store_or_an_audience(house: House) -> None:
    """A call that carries one is refused as unknown, and nothing was asked."""
    _, run = house.run("u1")
    asked = len(house.plugin.contexts)
    for name in ("principal_id", "user", "user_id", "store", "owner", "audience", "permission", "agent", "session"):
        for call in (run.search, run.remember, run.forget, run.read, run.bootstrap, run.release):
            with pytest.raises(TypeError):
                call("text", **{name: "x"})  # pyright: ignore[reportCallIssue, reportArgumentType]

    assert len(house.plugin.contexts) == asked


BAD_CALLS: list[Callable[[Any], object]] = [
    lambda run: run.search(""),
    lambda run: run.search(" \n"),
    lambda run: run.search("x" * 4_097),
    lambda run: run.search("word " * 10_000),
    lambda run: run.search("a\x00b"),
    lambda run: run.search("\ud800"),
    lambda run: run.search(None),
    lambda run: run.search("x", limit=0),
    lambda run: run.search("x", limit=-1),
    lambda run: run.search("x", limit=51),
    lambda run: run.search("x", limit=10**9),
    lambda run: run.search("x", limit=True),
    lambda run: run.search("x", limit="6"),
    lambda run: run.search("x", about="sub_1"),
    lambda run: run.search("x", about=["a"] * 33),
    lambda run: run.search("x", about=[""]),
    lambda run: run.read(""),
    lambda run: run.read("x", lines=LineRange(first=0, last=1)),
    lambda run: run.read("x", lines=LineRange(first=3, last=2)),
    lambda run: run.remember("x" * 10 * 1024 * 1024),
    lambda run: run.remember("a\x00b"),
    lambda run: run.remember("\udfff"),
    lambda run: run.remember("x", lifetime=timedelta(0)),
    lambda run: run.remember_card(""),
    lambda run: run.forget(" "),
    lambda run: run.preview_forget(" "),
    lambda run: run.record(EventKind.SUMMARY, ""),
    lambda run: run.record(EventKind.MESSAGE, "I am somebody else"),
    lambda run: run.record(EventKind.REPLY, "said nowhere"),
    lambda run: run.release("", to="dlv_1"),
]


@pytest.mark.proves("case:READ-02")
@pytest.mark.parametrize("ask", BAD_CALLS)
def test_bad_input_is_an_error_and_asks_nobody(house: House, ask: Callable[[Run], object]) -> None:
    """Empty, endless and undecodable text, and limits that are none."""
    _, run = house.run("u1")
    asked = len(house.plugin.contexts)
    with pytest.raises(InputError):
        ask(run)

    assert len(house.plugin.contexts) == asked


@pytest.mark.proves("context:fresh-per-operation")
def test_a_closed_run_does_nothing(house: House) -> None:
    """Every call of it is an error of the caller."""
    event, run = house.run("u1")
    with run:
        pass
    for act in (
        lambda: run.search("x"),
        lambda: run.remember("x"),
        run.bootstrap,
        run.people,
        lambda: run.release("x", to=event.delivery),
        lambda: run.record(EventKind.CHECKPOINT, "x"),
        lambda: run.delegate(Handover(operations=frozenset({Operation.RETRIEVE}))),
    ):
        with pytest.raises(InputError):
            act()


@pytest.mark.proves("egress:exposure:begin-run")
def test_a_run_that_has_not_begun_shows_nothing(house: House) -> None:
    """There is no exposure to start from."""
    _, run = house.run("u1")
    turn = turn_of(run)
    unbegun = Turn(turn.workings, turn.session, turn.acting, turn.destination, None)
    with pytest.raises(InputError):
        _ = unbegun.shown_so_far


@pytest.mark.proves("case:API-04", "plugin:handle:no-bearer")
def test_a_denial_is_raised_and_says_nothing(house: House) -> None:
    """The reason is for the developer; the message is the same for everything."""
    _, run = house.run("u1")
    with pytest.raises(DeniedError) as denied:
        run.read(ResourceHandle("res_404"))

    assert str(denied.value) == "memory unavailable"
    assert (denied.value.reason, denied.value.step) == (Reason.OUTSIDE_VIEW, 4)


@pytest.mark.proves("plugin:contract:fails-closed", "read:lane:no-unscoped-fallback")
@pytest.mark.parametrize("call", ["authorize", "search", "begin_run"])
def test_a_plugin_that_breaks_makes_memory_unavailable(house: House, call: str) -> None:
    """Whatever it raises that is not ours ends as that; the world's failures pass as they are."""
    _, run = house.run("u1")
    for failure, expected in (
        (ZeroDivisionError("secret"), NonconformingError),
        (KeyError("secret"), NonconformingError),
        (UnavailableError("the disk is full", remedy="free it"), UnavailableError),
    ):
        house.plugin.fail[call] = failure
        with pytest.raises(expected) as raised:
            house.run("u1") if call == "begin_run" else run.search("x")
        assert "secret" not in str(raised.value)


@pytest.mark.proves("plugin:contract:fails-closed")
def test_an_interrupt_is_no_answer_of_a_plugin(house: House) -> None:
    """The edge catches what a plugin raises, not what stops the process."""
    _, run = house.run("u1")
    house.plugin.fail["search"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run.search("x")


def made_of(**changes: Any) -> Tamper:  # noqa: ANN401 - of any field
    """Return the act of changing a receipt."""
    return lambda receipt: replace(receipt, **changes)


def with_exposure(**changes: Any) -> Tamper:  # noqa: ANN401 - of any field
    """Return the act of changing the exposure receipt of an envelope."""
    return lambda envelope: replace(envelope, exposure=replace(envelope.exposure, **changes))


def with_egress(**changes: Any) -> Tamper:  # noqa: ANN401 - of any field
    """Return the act of changing the egress receipt of an envelope."""
    return lambda envelope: replace(envelope, egress=replace(envelope.egress, **changes))


def as_if(answer: object) -> Tamper:
    """Return the act of answering something else."""
    return lambda _: answer


class NoEnvelope(Envelope[Content]):
    """An envelope by inheritance."""


STRANGER = Audience(kind=AudienceKind.USER, id="usr_stranger")
BAD_ENVELOPES: list[Tamper] = [
    lambda envelope: envelope.value,
    lambda envelope: NoEnvelope(value=envelope.value, exposure=envelope.exposure, egress=envelope.egress),
    lambda _: None,
    lambda envelope: replace(envelope, exposure=None),
    lambda envelope: replace(envelope, egress=None),
    lambda envelope: replace(envelope, value="text outside a passage"),
    with_exposure(version=2),
    with_exposure(context_fingerprint=Fingerprint("0" * 64)),
    with_exposure(plan_id=PlanId("pln_other")),
    with_exposure(run_id=RunId("run_other")),
    with_exposure(run_exposure_revision=RunExposureRevision(0)),
    with_exposure(exposed_handles=()),
    with_exposure(policy_set_id=PolicySetId("other")),
    with_egress(version=2),
    with_egress(context_fingerprint=Fingerprint("0" * 64)),
    with_egress(run_id=RunId("run_other")),
    with_egress(run_exposure_revision=RunExposureRevision(9)),
    with_egress(policy_set_id=PolicySetId("other")),
    with_egress(delivery_revision=DeliveryRevision("other")),
    with_egress(egress_registry_revision=EgressRegistryRevision("other")),
    with_egress(allowed_audiences=(STRANGER,)),
]


@pytest.mark.proves("read:envelope:host-rejects", "case:EGR-05", "plugin:contract:fails-closed")
@pytest.mark.parametrize("tamper", BAD_ENVELOPES)
def test_content_without_valid_receipts_is_not_returned(house: House, tamper: Tamper) -> None:
    """A missing, foreign, stale or altered receipt is a broken contract, and what was shown does not count."""
    _, run = house.run("u1")
    run.remember("first word")
    run.remember("second word")
    run.search("first")
    before = turn_of(run).exposure
    house.plugin.tamper["search"] = tamper
    with pytest.raises(NonconformingError):
        run.search("second")

    assert turn_of(run).exposure == before


BAD_PLANS: list[Tamper] = [
    lambda _: None,
    lambda _: "plan",
    made_of(version=2),
    made_of(context_fingerprint=Fingerprint("0" * 64)),
    made_of(operation=Operation.EXPORT),
    made_of(session_identity_revision=SessionIdentityRevision("other")),
    made_of(subject_revision=SubjectRevision("other")),
    made_of(delivery_revision=DeliveryRevision("other")),
    made_of(expires_at=START),
]
BAD_RUNS: list[Tamper] = [lambda _: None, made_of(version=2), made_of(run_id=RunId("run_other"))]
BAD_WRITES: list[Tamper] = [lambda _: None, lambda _: Remembered]
BAD_PREVIEWS: list[Tamper] = [
    lambda _: None,
    lambda _: Forgotten(handle=ResourceHandle("res_0"), descendants=()),
    made_of(handle=ResourceHandle("res_1")),
    made_of(descendants=["res_1"]),
    made_of(descendants=(1,)),
]
BAD_EVENTS: list[Tamper] = [lambda _: None, made_of(event_id=EventId("evt_other"))]


@pytest.mark.proves("plugin:plan:binds-everything")
@pytest.mark.parametrize("tamper", BAD_PLANS)
def test_a_plan_for_something_else_is_no_plan(house: House, tamper: Tamper) -> None:
    """The host carries a plan without reading it, and only for the context it was made for."""
    _, run = house.run("u1")
    house.plugin.tamper["authorize"] = tamper
    with pytest.raises(NonconformingError):
        run.search("x")


@pytest.mark.proves("egress:exposure:begin-run")
@pytest.mark.parametrize("tamper", BAD_RUNS)
def test_a_run_needs_a_receipt_of_its_own(house: House, tamper: Tamper) -> None:
    """Without one it does not begin."""
    house.plugin.tamper["begin_run"] = tamper
    with pytest.raises(NonconformingError):
        house.run("u1")


@pytest.mark.proves("plugin:contract:fails-closed")
@pytest.mark.parametrize("tamper", BAD_WRITES)
def test_a_write_says_what_it_did(house: House, tamper: Tamper) -> None:
    """An answer of another kind is none."""
    _, run = house.run("u1")
    house.plugin.tamper["write"] = tamper
    with pytest.raises(NonconformingError):
        run.remember("x")
    with pytest.raises(NonconformingError):
        run.forget(ResourceHandle("res_0"))


@pytest.mark.proves("plugin:contract:fails-closed", "derive:descendants:denied")
def test_a_preview_is_of_what_was_asked_about(house: House) -> None:
    """It names the handle, and what would go with it by handles."""
    _, run = house.run("u1")
    handle = run.remember("a note").handle
    house.plugin.tamper["preview_forget"] = made_of(descendants=(ResourceHandle("res_9"),))

    assert run.preview_forget(handle) == ForgetPreview(handle=handle, descendants=(ResourceHandle("res_9"),))


@pytest.mark.proves("plugin:contract:fails-closed")
@pytest.mark.parametrize("tamper", BAD_PREVIEWS)
def test_a_preview_of_something_else_is_none(house: House, tamper: Tamper) -> None:
    """An answer of another kind, about another handle or with other than handles is refused."""
    _, run = house.run("u1")
    house.plugin.tamper["preview_forget"] = tamper
    with pytest.raises(NonconformingError):
        run.preview_forget(ResourceHandle("res_0"))


@pytest.mark.proves("plugin:contract:fails-closed")
@pytest.mark.parametrize("tamper", BAD_EVENTS)
def test_an_event_receipt_is_for_its_event(house: House, tamper: Tamper) -> None:
    """Another event's receipt says nothing about this one."""
    _, run = house.run("u1")
    house.plugin.tamper["append_event"] = tamper
    with pytest.raises(NonconformingError):
        run.record(EventKind.TOOL_RESULT, "done")


def give(plugin: FakePlugin, capabilities: Any) -> None:  # noqa: ANN401 - whatever a plugin claims
    """Let a plugin declare something."""
    plugin.capabilities = capabilities


@pytest.mark.proves("plugin:contract:required-capabilities", "plugin:contract:versioned")
@pytest.mark.parametrize(
    "capabilities",
    [
        None,
        replace(CAPABLE, version=2),
        *(
            replace(CAPABLE, **{name: False})
            for name in (
                "scoped_candidates",
                "exact_read_by_authorized_handle",
                "scoped_sync",
                "scoped_write",
                "scoped_export",
                "exposure_receipts",
                "egress_receipts",
                "labelled_transcripts",
            )
        ),
        replace(CAPABLE, scoped_sync="yes"),
    ],
)
def test_a_plugin_that_lacks_something_is_not_admitted(builder: Builder, capabilities: object) -> None:
    """No capability is optional, and none is taken for granted."""
    with pytest.raises(NonconformingError):
        builder.build(lambda plugin: give(plugin, capabilities))
    admit_plugin(CAPABLE)


@pytest.mark.proves("session:subject:not-the-actor", "store:about:never-from-text")
def test_people_are_handles_for_who_speaks_and_who_is_mentioned(house: House) -> None:
    """The actor first, then known people once each; a name that is nobody's is left out."""
    one, other = house.person("u1"), house.person("u2")
    event = house.admit(replace(house.state("u1"), mentions=("u2", "u404", "u2")))
    with house.agent.session(event).run(event) as run:
        people = run.people()
        run.search("x", about=people)

    assert people == (SubjectHandle(f"sub_{one}"), SubjectHandle(f"sub_{other}"))


@pytest.mark.proves("plugin:contract:fails-closed")
@pytest.mark.parametrize("answer", [None, ["sub_1"], (1,)])
def test_people_are_handles_and_nothing_else(house: House, answer: object) -> None:
    """Whatever else a plugin calls people is not handed out."""
    _, run = house.run("u1")
    house.plugin.tamper["subject_handles"] = as_if(answer)
    with pytest.raises(NonconformingError):
        run.people()


@pytest.mark.proves("egress:exposure:cumulative")
def test_an_empty_answer_leaves_the_exposure_where_it_was(house: House) -> None:
    """What was shown before still binds the run."""
    _, run = house.run("u1")
    run.remember("first word")
    run.search("first")
    before = turn_of(run).exposure
    run.search("nothing of the kind")

    assert turn_of(run).exposure == before


@pytest.mark.proves("delegation:tokens-opaque", "case:DLG-01", "delegation:intersection", "delegation:never-wider")
def test_a_child_gets_what_every_hop_allows(house: House) -> None:
    """Operations and audiences only shrink, the root stays, and the parent's tokens are carried unread."""
    person = house.person("u1")
    _, run = house.run("u1", room="c1")
    child = run.delegate(Handover(operations=frozenset({Operation.RETRIEVE, Operation.READ})))
    child.search("x")
    first = house.seen.delegation
    grandchild = child.delegate(Handover(operations=frozenset({Operation.RETRIEVE, Operation.APPEND})))
    second = house.seen.delegation
    assert first is not None
    assert second is not None

    assert (first.root_principal_id, second.root_principal_id) == (person, person)
    assert (first.depth, second.depth) == (1, 2)
    assert second.root_context_id == first.root_context_id
    assert second.parent_context_id != first.parent_context_id
    assert second.allowed_operations == {Operation.RETRIEVE}
    assert second.maximum_audiences == first.maximum_audiences
    assert {audience.kind for audience in first.maximum_audiences} == {"conversation", "role", "agent-shared"}
    assert first.store_cap_token == b"sealed".hex()
    for act in (lambda: child.remember("x"), lambda: grandchild.search("x")):
        with pytest.raises(DeniedError):
            act()


@pytest.mark.proves("delegation:intersection", "case:DLG-01")
def test_a_handover_can_name_less_than_the_parent_has(house: House) -> None:
    """Audiences that the parent lacks are not added by naming them."""
    _, run = house.run("u1")
    shared = Audience(kind=AudienceKind.AGENT_SHARED, id=house.agent.agent_id)
    handover = Handover(operations=frozenset({Operation.RETRIEVE}), audiences=frozenset({shared, STRANGER}))
    run.delegate(handover)
    assert house.seen.delegation is not None

    assert house.seen.delegation.maximum_audiences == {shared}


@pytest.mark.proves("delegation:excerpt-recorded", "egress:exposure:window", "delegation:never-wider")
def test_a_child_starts_from_what_its_parent_was_shown_and_ends_with_it(house: House) -> None:
    """Its window inherits the parent's; when the parent closes, so does every child."""
    _, run = house.run("u1")
    run.remember("a secret")
    run.search("secret")
    child = run.delegate(Handover(operations=frozenset({Operation.RETRIEVE, Operation.READ})))
    grandchild = child.delegate(Handover(operations=frozenset({Operation.RETRIEVE, Operation.READ})))
    windows = house.plugin.windows

    assert windows[child.session_id] == windows[run.session_id]
    assert child.session_id != run.session_id
    run.close()
    for held in (child, grandchild):
        with pytest.raises(InputError):
            held.search("x")


@pytest.mark.proves("case:POL-07", "case:DLG-01")
def test_delegation_has_a_bottom(house: House) -> None:
    """Four hops are as far as it goes, and a child that may not even look is none."""
    _, run = house.run("u1")
    handover = Handover(operations=frozenset({Operation.RETRIEVE}))
    with pytest.raises(InputError):
        run.delegate(Handover(operations=frozenset({Operation.READ})))
    for _ in range(4):
        run = run.delegate(handover)
    with pytest.raises(InputError):
        run.delegate(handover)


@pytest.mark.proves("identity:unattributed:actor", "case:ID-20", "delegation:authenticates-itself")
def test_nobody_in_particular_delegates_nothing(house: House) -> None:
    """There is no authority to hand on."""
    event = house.hear("u1", room="c1", claim=SenderClaim.MUTABLE)
    run = house.agent.session(event).run(event)
    with pytest.raises(DeniedError) as denied:
        run.delegate(Handover(operations=frozenset({Operation.RETRIEVE})))

    assert denied.value.reason is Reason.INVALID_CONTEXT


@pytest.mark.proves("plugin:contract:fails-closed")
def test_a_denial_of_the_plugin_is_a_denial(house: House) -> None:
    """A value on one side of the seam is an exception on the public face."""
    _, run = house.run("u1")
    refused = Denied(reason=Reason.MEMBERSHIP_STALE, step=3, decision_id=None)
    house.plugin.tamper["authorize"] = as_if(refused)
    with pytest.raises(DeniedError) as denied:
        run.bootstrap()

    assert denied.value.reason is Reason.MEMBERSHIP_STALE
