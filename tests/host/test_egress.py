"""Release: a reply goes only where everything that its run was shown may go."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from privity.host.delivery import ANYONE, INTERNAL, Recipient
from privity.host.records import HostAct, HostAuditRecord
from privity.host.run import Run
from privity.host.sinks import Outgoing, Sink
from privity.model.audiences import AudienceKind
from privity.model.context import SinkKind
from privity.model.events import EventKind
from privity.model.ids import (
    DeliveryHandle,
    DeliveryRevision,
    EgressCapabilityId,
    EgressRegistryRevision,
    EventId,
    Fingerprint,
    PolicySetId,
    PrincipalId,
    RunExposureRevision,
    RunId,
    SinkId,
)
from privity.model.reasons import Reason
from privity.sdk.errors import (
    DeliveryUnavailableError,
    EgressDeniedError,
    InputError,
    NonconformingError,
    StorageFailedError,
    UnavailableError,
)
from privity.sdk.identity import ConversationKind
from tests.fakes import START
from tests.host.house import Builder, House, issued_in, reply_sink


def refused(run: Run, to: DeliveryHandle) -> EgressDeniedError:
    """Release something that must be refused, and return the refusal."""
    with pytest.raises(EgressDeniedError) as denied:
        run.release("reply", to=to)
    return denied.value


def sink(
    name: str,
    resolve: Callable[[str], tuple[Recipient, ...]],
    deliver: Callable[[Outgoing], None],
    kind: SinkKind = SinkKind.CHANNEL,
) -> Sink:
    """Return a sink."""
    return Sink(
        sink_id=SinkId(name),
        capability_id=EgressCapabilityId(f"{name}.send"),
        kind=kind,
        resolve=resolve,
        deliver=deliver,
    )


@pytest.mark.proves("egress:release:destination", "egress:release:appended-first")
def test_a_reply_is_written_down_and_then_sent(house: House) -> None:
    """Under one id, to where the event came from, in the provider's words."""
    event, run = house.run("u1", room="c1")
    order: list[str] = []
    house.plugin.between["append_event"] = lambda: order.append("appended")
    house.host.sinks.remove(SinkId("chat"))
    house.host.sinks.register(
        sink("chat", lambda _: (), lambda outgoing: order.append(outgoing.address.conversation_id))
    )
    event, run = house.run("u1", room="c1")
    released = run.release("At 9:30.", to=event.delivery)
    _, said = house.plugin.events[-1]

    assert order == ["appended", "c1"]
    assert (said.event_id, said.kind, said.text) == (released.event_id, EventKind.REPLY, "At 9:30.")
    assert released.sink_id == "chat"
    assert [audience.kind for audience in said.delivery_audiences] == [AudienceKind.CONVERSATION]


@pytest.mark.proves("egress:exposure-bounds-egress", "egress:release:all-audiences", "case:READ-23")
def test_what_was_read_in_private_does_not_go_into_a_room(house: House) -> None:
    """Nothing is sent, nothing is written down as sent, and the remedy says what would help."""
    elsewhere = house.hear("u1", room="c1")
    event, run = house.run("u1")
    run.remember("an offer of 92,000")
    run.search("offer")
    denied = refused(run, elsewhere.delivery)
    kinds = [said.kind for _, said in house.plugin.events]
    run.release("reply", to=event.delivery)

    assert (denied.reason, str(denied)) == (Reason.AUDIENCE_WIDENED, "delivery unavailable")
    assert denied.remedy.startswith("answer where")
    assert EventKind.REPLY not in kinds
    assert [outgoing.address.conversation_id for outgoing in house.sent] == [""]


@pytest.mark.proves("egress:exposure:window", "egress:exposure-bounds-egress")
def test_nobody_launders_by_waiting_a_turn(house: House) -> None:
    """The next run of the window reads nothing and is bound all the same, also after a reset and in a branch."""
    elsewhere = house.hear("u1", room="c1")
    event, first = house.run("u1")
    first.remember("an offer of 92,000")
    first.search("offer")
    first.close()
    session = house.agent.session(event)
    for later in (lambda: session, session.branch, session.reset):
        again = house.hear("u1", "now post it")
        with later().run(again) as run:
            assert refused(run, elsewhere.delivery).reason is Reason.AUDIENCE_WIDENED

    assert house.sent == []


@pytest.mark.proves("egress:release:destination")
@pytest.mark.parametrize("forged", ["dlv_made_up", "", "chat"])
def test_a_forged_delivery_handle_leads_nowhere(house: House, forged: str) -> None:
    """A handle is issued by the host or it is none."""
    _, run = house.run("u1")
    denied = refused(run, DeliveryHandle(forged))

    assert denied.reason is Reason.INVALID_CONTEXT
    assert "event.delivery" in denied.remedy
    assert house.sent == []


@pytest.mark.proves("egress:release:destination")
def test_a_delivery_handle_runs_out(house: House) -> None:
    """After an hour it is as good as made up; the others are kept until then."""
    event = house.hear("u1")
    house.clock.pass_by(timedelta(minutes=30))
    later = house.hear("u1")
    house.clock.pass_by(timedelta(minutes=30))
    _, run = house.run("u1")
    run.release("reply", to=later.delivery)

    assert refused(run, event.delivery).reason is Reason.INVALID_CONTEXT
    assert len(issued_in(house)) == 2


@pytest.mark.proves("egress:registry:mandatory", "egress:registry:every-sink")
def test_what_is_not_registered_sends_nothing(house: House) -> None:
    """A way out without a capability is denied, and says how to register it."""
    house.host.sinks.remove(SinkId("chat"))
    event, run = house.run("u1")
    run.search("x")
    denied = refused(run, event.delivery)

    assert house.seen.delivery.egress_capability_ids == ()
    assert denied.reason is Reason.DEFAULT_DENY
    assert "register" in denied.remedy
    with pytest.raises(InputError):
        house.host.delivery(SinkId("chat"))


@pytest.mark.proves("egress:registry:mandatory")
def test_the_registry_names_each_sink_once_and_from_the_list(builder: Builder) -> None:
    """A taken id, an unknown one and one that the operator did not name are errors; each change is a revision."""
    house = builder.build(sinks=frozenset({"model"}))
    sinks = house.host.sinks
    revisions = [sinks.revision]
    with pytest.raises(InputError):
        sinks.register(reply_sink(house.sent))
    with pytest.raises(InputError):
        sinks.register(reply_sink(house.sent, "fax"))
    with pytest.raises(InputError):
        sinks.remove(SinkId("fax"))
    assert sinks.revision == revisions[0]
    sinks.register(reply_sink(house.sent, "model"))
    revisions.append(sinks.revision)
    sinks.remove(SinkId("model"))
    revisions.append(sinks.revision)

    assert len(set(revisions)) == 3


@pytest.mark.proves("case:EGR-01", "egress:receipt:route-change")
def test_a_route_that_changed_since_takes_nothing(house: House) -> None:
    """A sink registered anew under the same id is another place."""
    event, run = house.run("u1")
    house.host.sinks.remove(SinkId("chat"))
    house.host.sinks.register(reply_sink(house.sent))

    assert refused(run, event.delivery).reason is Reason.DELIVERY_REBOUND
    assert house.sent == []


@pytest.mark.proves("case:EGR-01", "egress:receipt:route-change")
@pytest.mark.parametrize("call", ["authorize_egress", "append_event"])
def test_a_route_that_changes_meanwhile_takes_nothing(house: House, call: str) -> None:
    """Between leave and sending the host looks once more."""
    event, run = house.run("u1")

    def change() -> None:
        house.plugin.between.clear()
        house.host.sinks.register(reply_sink(house.sent, "other"))

    house.plugin.between[call] = change

    with pytest.raises((EgressDeniedError, NonconformingError)):
        run.release("reply", to=event.delivery)
    assert house.sent == []


@pytest.mark.proves("case:EGR-01", "identity:principal:merge-head")
def test_a_recipient_who_was_merged_is_another_recipient(house: House) -> None:
    """The handle names whom it was issued for."""
    one, other = house.person("u1"), house.person("u2")
    event, run = house.run("u1")
    house.host.operator().identities.merge(one, other, "the same")

    assert refused(run, event.delivery).reason is Reason.DELIVERY_REBOUND


@pytest.mark.proves("case:EGR-02", "egress:receipt:binds-revisions")
def test_a_receipt_does_not_cover_what_is_read_later(house: House) -> None:
    """The plugin is asked anew at each release, with the exposure the run last saw."""
    event, run = house.run("u1")
    run.remember("first word")
    run.release("before", to=event.delivery)
    run.search("first")
    stale = house.plugin.runs[run.run_id]
    stale.revision += 1
    denied = refused(run, event.delivery)

    assert denied.reason is Reason.PLAN_EXPIRED
    assert [outgoing.text for outgoing in house.sent] == ["before"]


RECEIPTS: list[dict[str, Any]] = [
    {"version": 2},
    {"context_fingerprint": Fingerprint("0" * 64)},
    {"run_id": RunId("run_other")},
    {"run_exposure_revision": RunExposureRevision(9)},
    {"policy_set_id": PolicySetId("other")},
    {"delivery_revision": DeliveryRevision("other")},
    {"egress_registry_revision": EgressRegistryRevision("other")},
]


@pytest.mark.proves("case:EGR-05", "egress:receipt:binds-revisions")
@pytest.mark.parametrize("changes", RECEIPTS)
def test_a_receipt_of_something_else_is_rejected(house: House, changes: dict[str, Any]) -> None:
    """Another run's, another delivery's, another registry's, or one for less than was shown."""
    event, run = house.run("u1")
    house.plugin.tamper["authorize_egress"] = lambda receipt: replace(receipt, **changes)
    with pytest.raises(NonconformingError):
        run.release("reply", to=event.delivery)

    assert house.sent == []


@pytest.mark.proves("case:EGR-05", "egress:release:all-audiences")
def test_a_receipt_that_allows_nobody_or_is_over_sends_nothing(house: House) -> None:
    """An empty list of audiences means nobody."""
    event, run = house.run("u1")
    house.plugin.tamper["authorize_egress"] = lambda receipt: replace(receipt, allowed_audiences=())
    assert refused(run, event.delivery).reason is Reason.AUDIENCE_WIDENED
    house.plugin.tamper["authorize_egress"] = lambda receipt: replace(receipt, expires_at=START)
    assert refused(run, event.delivery).reason is Reason.PLAN_EXPIRED
    house.plugin.tamper["authorize_egress"] = lambda _: None
    with pytest.raises(NonconformingError):
        run.release("reply", to=event.delivery)

    assert house.sent == []


@pytest.mark.proves("egress:release:appended-first", "egress:audit-is-not-permission")
def test_a_reply_that_cannot_be_written_down_is_not_sent(house: House) -> None:
    """And one that was written down is not thereby allowed."""
    event, run = house.run("u1")
    house.plugin.fail["append_event"] = UnavailableError("the disk is full", remedy="free it")
    with pytest.raises(UnavailableError):
        run.release("reply", to=event.delivery)

    assert house.sent == []


@pytest.mark.timeout(10)
@pytest.mark.proves("egress:release:destination")
def test_a_sink_may_use_the_host_and_its_own_run(house: House) -> None:
    """Nothing is held while it is called: it reads, records and releases, and nothing hangs."""
    house.host.sinks.remove(SinkId("chat"))
    sent: list[str] = []

    def use(outgoing: Outgoing) -> None:
        sent.append(outgoing.text)
        if outgoing.text == "first":
            run.search("x")
            run.record(EventKind.TOOL_RESULT, "sent")
            run.release("second", to=event.delivery)

    house.host.sinks.register(sink("chat", lambda _: (), use))
    event, run = house.run("u1")
    run.release("first", to=event.delivery)

    assert sent == ["first", "second"]


@pytest.mark.timeout(10)
@pytest.mark.proves("egress:release:destination")
def test_a_resolver_that_uses_its_own_run_is_told_so(house: House) -> None:
    """It is asked while the run is deciding; it would wait for itself for ever."""
    asked: list[bool] = []

    def resolve(_: str) -> tuple[Recipient, ...]:
        if asked:
            run.search("x")
        return (INTERNAL,)

    house.host.sinks.register(sink("model", resolve, house.sent.append))
    _, run = house.run("u1")
    handle = house.host.delivery(SinkId("model"), "anywhere")
    asked.append(True)
    with pytest.raises(InputError, match="in use by this very call"):
        run.release("x", to=handle)
    asked.clear()
    run.release("x", to=handle)


@pytest.mark.proves("egress:release:destination")
def test_a_sink_that_fails_may_have_sent(house: House) -> None:
    """The reply stands in the transcript, and the audit says what became of it. What it raises does not pass."""
    house.host.sinks.remove(SinkId("chat"))

    def fail(_: Outgoing) -> None:
        raise ZeroDivisionError("secret of the provider")

    house.host.sinks.register(sink("chat", lambda _: (), fail))
    event, run = house.run("u1")
    with pytest.raises(DeliveryUnavailableError) as failed:
        run.release("reply", to=event.delivery)
    assert "secret" not in str(failed.value)
    assert house.plugin.events[-1][1].event_id == failed.value.event_id
    assert last_act(house) is HostAct.RELEASE_FAILED


@pytest.mark.proves("egress:release:destination")
@pytest.mark.parametrize(
    "error",
    [
        InputError("is too long", where="reply", remedy="shorten it"),
        UnavailableError("the chat is down", remedy="wait"),
        EgressDeniedError(Reason.AUDIENCE_WIDENED, 9, "release something else"),
        DeliveryUnavailableError(EventId("evt_of_another")),
    ],
)
def test_no_error_of_a_sink_says_that_nothing_was_sent(house: House, error: Exception) -> None:
    """One of ours that a sink lets out was about something else that it did; this reply may be out already."""
    house.host.sinks.remove(SinkId("chat"))

    def send_and_fail(outgoing: Outgoing) -> None:
        house.sent.append(outgoing)
        raise error

    house.host.sinks.register(sink("chat", lambda _: (), send_and_fail))
    event, run = house.run("u1")
    with pytest.raises(DeliveryUnavailableError) as failed:
        run.release("reply", to=event.delivery)

    assert [failed.value.event_id] == [one.event_id for one in house.sent]
    assert failed.value.__cause__ is error
    assert last_act(house) is HostAct.RELEASE_FAILED


@pytest.mark.proves("egress:release:destination", "egress:release:appended-first")
def test_a_reply_that_was_sent_and_not_written_down_is_not_said_to_be_unsent(house: House) -> None:
    """The disk fails after the sink was called: that nothing was changed would be a lie, and invite a second reply."""
    house.host.sinks.remove(SinkId("chat"))

    def send_and_fill_the_disk(outgoing: Outgoing) -> None:
        house.sent.append(outgoing)
        object.__setattr__(house.workings, "trail", FullTrail())

    house.host.sinks.register(sink("chat", lambda _: (), send_and_fill_the_disk))
    event, run = house.run("u1")
    with pytest.raises(DeliveryUnavailableError) as failed:
        run.release("reply", to=event.delivery)

    assert [failed.value.event_id] == [one.event_id for one in house.sent]


class FullTrail:
    """A trail on a full disk."""

    def note(self, *_: object, **__: object) -> None:
        """Fail as a full disk does."""
        raise StorageFailedError("the disk is full", remedy="make room")


@pytest.mark.proves("egress:release:destination", "egress:release:appended-first")
def test_a_release_that_ends_unavailable_sent_nothing(house: House) -> None:
    """A resolver that fails at the last look leaves the reply in the transcript and nowhere else."""
    looks: list[str] = []

    def fail_at_the_last_look(route: str) -> tuple[Recipient, ...]:
        looks.append(route)
        if [one.kind for _, one in house.plugin.events].count(EventKind.REPLY):
            raise TimeoutError
        return (INTERNAL,)

    house.host.sinks.register(sink("model", fail_at_the_last_look, house.sent.append))
    _, run = house.run("u1")
    handle = house.host.delivery(SinkId("model"), "summary")
    with pytest.raises(UnavailableError):
        run.release("reply", to=handle)

    assert house.sent == []
    assert [one.text for _, one in house.plugin.events if one.kind is EventKind.REPLY] == ["reply"]


@pytest.mark.proves("egress:release:destination")
@pytest.mark.parametrize("answer", [None, 7, "u1", [None], ["u1"], (Recipient(kind="user", principal_id=7),)])  # pyright: ignore[reportArgumentType]
def test_a_resolver_that_answers_no_recipients_is_unavailable(house: House, answer: object) -> None:
    """It broke its contract: nobody is there to send to, and nothing falls back to anybody."""
    house.host.sinks.register(sink("model", lambda _: answer, house.sent.append))  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnavailableError, match="delivery unavailable"):
        house.host.delivery(SinkId("model"), "summary")


def last_act(house: House) -> HostAct | None:
    """Return what the host wrote into the audit last."""
    record = house.host.audit(1000)[-1].record
    return record.act if isinstance(record, HostAuditRecord) else None


@pytest.mark.proves("egress:model-endpoint")
def test_the_model_endpoint_is_a_sink_inside_the_cell(house: House) -> None:
    """Private content may go there where the operator registered it, and nowhere else."""
    prompts: list[str] = []
    house.host.sinks.register(
        sink("model", lambda _: (INTERNAL,), lambda outgoing: prompts.append(outgoing.text), SinkKind.INTERNAL)
    )
    _, run = house.run("u1")
    run.remember("an offer")
    (passage,) = run.search("offer")
    run.release(passage.text, to=house.host.delivery(SinkId("model"), "summary"))
    (audience,) = house.seen.delivery.audiences

    assert prompts == ["an offer"]
    assert (audience.kind, audience.id) == (AudienceKind.INTERNAL, house.agent.agent_id)
    assert house.seen.delivery.sink_kind is SinkKind.INTERNAL


@pytest.mark.proves("egress:release:all-audiences", "egress:registry:every-sink")
def test_every_recipient_of_a_route_counts(house: House) -> None:
    """One reader too many, and nobody gets it."""
    one = house.person("u1")
    me = Recipient(kind=AudienceKind.USER, principal_id=one)
    routes: dict[str, tuple[Recipient, ...]] = {
        "me": (me, me),
        "all": (me, ANYONE),
        "her": (Recipient(kind=AudienceKind.USER, principal_id=PrincipalId("usr_her")),),
    }
    house.host.sinks.register(sink("mail", lambda route: routes.get(route, ()), house.sent.append))
    _, run = house.run("u1")
    run.remember("an offer")
    run.search("offer")
    run.release("to me", to=house.host.delivery(SinkId("mail"), "me"))
    for route in ("all", "her"):
        assert refused(run, house.host.delivery(SinkId("mail"), route)).reason is Reason.AUDIENCE_WIDENED
    with pytest.raises(InputError):
        house.host.delivery(SinkId("mail"), "nobody")

    assert [outgoing.text for outgoing in house.sent] == ["to me"]


@pytest.mark.proves("egress:receipt:route-change", "case:EGR-01")
def test_a_route_with_new_readers_is_another_route(house: House) -> None:
    """Recipients are looked up again at the release; a sink that is gone has none."""
    readers = [INTERNAL]
    house.host.sinks.register(sink("board", lambda _: tuple(readers), house.sent.append))
    handle = house.host.delivery(SinkId("board"))
    _, run = house.run("u1")
    readers.append(ANYONE)
    changed = refused(run, handle)
    house.host.sinks.remove(SinkId("board"))
    gone = refused(run, handle)
    workings = house.workings
    issued = workings.deliveries.find(handle)

    assert issued is not None
    assert workings.sinks.delivery(issued.destination, house.agent.agent_id).audiences == ()
    assert (changed.reason, gone.reason) == (Reason.DELIVERY_REBOUND, Reason.DEFAULT_DENY)


@pytest.mark.proves("egress:exposure:window", "session:rebound")
def test_a_release_from_a_window_that_is_over_is_refused(house: House) -> None:
    """The session has moved on; so has the leave to speak for it."""
    event, run = house.run("u1")
    house.agent.session(event).reset()

    assert refused(run, event.delivery).reason is Reason.SESSION_REBOUND


@pytest.mark.proves("session:ambiguous:view")
def test_an_ambiguous_session_can_still_answer(house: House) -> None:
    """The conversation goes on where memory knows nobody."""
    event = house.hear("u1", room="main", kind=ConversationKind.SHARED_MAIN)
    with house.agent.session(event).run(event) as run:
        run.release("hello all", to=event.delivery)

    assert [outgoing.text for outgoing in house.sent] == ["hello all"]


@pytest.mark.proves("egress:audit-is-not-permission", "audit:no-content")
def test_what_was_sent_and_what_was_refused_is_in_the_audit(house: House) -> None:
    """With the reason, and without a word of the reply."""
    event, run = house.run("u1")
    run.release("word-by-word", to=event.delivery)
    refused(run, DeliveryHandle("dlv_made_up"))
    rows = [entry.record for entry in house.host.audit() if isinstance(entry.record, HostAuditRecord)]
    acts = [(row.act, row.reason) for row in rows if row.act in {HostAct.RELEASED, HostAct.RELEASE_DENIED}]

    assert acts == [(HostAct.RELEASED, None), (HostAct.RELEASE_DENIED, Reason.INVALID_CONTEXT)]
    assert "word-by-word" not in repr(rows)
