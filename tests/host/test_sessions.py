"""Sessions: a subject stamped once, and windows that succeed one another."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from privity.host.bindings import Absence, Unattributed
from privity.host.host import PAGE
from privity.host.ports import SessionLedger
from privity.host.records import MappedSession, SessionStanding, Succession
from privity.host.session import Session
from privity.host.sessions import SHARED_MAIN, UNBOUND, Sessions, stamp
from privity.model.context import SinkKind, Visibility
from privity.model.ids import AgentId, PrincipalId, SessionId, SessionKey
from privity.model.operations import Operation
from privity.model.principals import ActorKind, PrincipalActor
from privity.model.reasons import Reason
from privity.model.subjects import AutonomousKind, AutonomousSubject, ConversationSubject, UserSubject
from privity.ops.doctor import host_findings
from privity.sdk.errors import DeniedError, InputError, NonconformingError, UnavailableError
from privity.sdk.identity import ConversationKind, SenderClaim
from tests.host.house import Builder, House, mapped_of, turn_of

SUCCESSIONS: tuple[Callable[[Session], Session], ...] = (
    Session.reset,
    Session.branch,
    Session.fork,
    Session.restore,
    Session.rewind,
)


@pytest.mark.proves("session:subject:kinds")
def test_a_direct_message_has_its_person_as_subject(house: House) -> None:
    """The evidence that made the subject is kept beside it."""
    _, session = house.session("u1")

    assert isinstance(session.subject, UserSubject)
    assert session.subject.creation_evidence.kind == "channel-binding"
    assert session.standing is SessionStanding.OPEN


@pytest.mark.proves("session:subject:kinds", "session:subject:not-the-actor", "case:ID-20")
def test_a_room_keeps_its_subject_whoever_speaks(house: House) -> None:
    """A second member and somebody unknown open the very same session; only the actor changes."""
    sessions = [
        house.session("u1", room="c1")[1],
        house.session("u2", room="c1")[1],
        house.session("u3", room="c1", claim=SenderClaim.MUTABLE)[1],
    ]
    subjects = {session.subject for session in sessions}

    assert len({session.session_id for session in sessions}) == 1
    (subject,) = subjects
    assert isinstance(subject, ConversationSubject)
    assert (subject.adapter, subject.account) == ("chat", "acme")


@pytest.mark.proves("session:subject:not-the-actor", "context:shape")
def test_the_context_of_a_room_names_actor_and_conversation_apart(house: House) -> None:
    """The actor is who spoke; the delivery is the room."""
    person = house.person("u1")
    _, run = house.run("u1", room="c1")
    run.search("x")
    context = house.seen

    assert isinstance(context.actor, PrincipalActor)
    assert context.actor.principal_id == person
    assert context.conversation is not None
    assert [audience.id for audience in context.delivery.audiences] == [context.conversation.conversation_id]
    assert context.delivery.sink_kind is SinkKind.CHANNEL


@pytest.mark.proves("case:ID-17", "session:ambiguous:no-private-mount")
@pytest.mark.parametrize(
    ("kind", "subject"), [(ConversationKind.UNKNOWN, UNBOUND), (ConversationKind.SHARED_MAIN, SHARED_MAIN)]
)
def test_a_form_that_nobody_knows_is_ambiguous(house: House, kind: ConversationKind, subject: object) -> None:
    """It has no private memory, is visible to others, and goes to nobody in particular."""
    event = house.hear("u1", room="msteams:team:7", kind=kind)
    session = house.agent.session(event)
    session.run(event)

    assert session.subject == subject
    assert house.seen.delivery.sink_kind is SinkKind.CHANNEL
    assert [audience.kind for audience in house.seen.delivery.audiences] == ["agent-shared"]


@pytest.mark.proves("case:OPS-01", "session:ambiguous:remedy")
def test_OPS_01_the_doctor_finds_the_sessions_with_nobody_in_particular(house: House) -> None:
    """It looks at every session of every agent, page by page, and says exactly what to set."""
    for number in range(PAGE + 1):
        house.session("u1", room=f"main-{number}", kind=ConversationKind.SHARED_MAIN)
    house.session("u1")
    house.agent.session(house.hear("u2", room="msteams:team:7", kind=ConversationKind.UNKNOWN))
    found = [finding for finding in host_findings(house.host) if finding.topic == "sessions"]

    assert [finding.text.split(":")[0] for finding in found] == [
        f"{PAGE + 1} sessions share one main session with whoever writes",
        "1 sessions are with a sender whom nobody knows",
    ]
    assert "per-channel-peer" in found[0].remedy


@pytest.mark.proves("case:ID-17")
def test_a_group_without_its_principal_is_ambiguous(house: House) -> None:
    """A group that was not resolved is no group."""
    event = house.hear("u1", room="c1")
    admission = house.workings.events.admission(event)

    assert stamp(replace(admission, conversation_id=None), Unattributed(absence=Absence.UNBOUND)) == UNBOUND


@pytest.mark.proves("session:subject:write-once")
def test_a_session_is_stamped_once(builder: Builder) -> None:
    """Later events, restarts and merges find the row as it was written."""
    house = builder.build()
    one, other = house.person("u1"), house.person("u2")
    _, first = house.session("u1")
    house.host.operator().identities.merge(one, other, "the same")
    restarted = builder.build()
    _, later = restarted.session("u1")

    assert (later.key, later.subject, later.subject_revision) == (first.key, first.subject, first.subject_revision)


@pytest.mark.proves("session:subject:write-once")
def test_of_two_first_stamps_one_stands(house: House) -> None:
    """The ledger returns what was written first."""
    _, session = house.session("u1")
    mapped = mapped_of(session)
    rival = replace(mapped.record, subject=UNBOUND)
    kept = house.stores.sessions.open_session(rival, replace(mapped.window, session_id=SessionId("win_x")))

    assert kept == mapped


@pytest.mark.proves("session:subject:successors-copy", "egress:exposure:window")
@pytest.mark.parametrize("succeed", SUCCESSIONS)
def test_a_successor_copies_subject_revision_and_exposure(house: House, succeed: Callable[[Session], Session]) -> None:
    """It has another window, and starts from what this one was shown."""
    event, run = house.run("u1")
    run.remember("a secret")
    run.search("secret")
    session = house.agent.session(event)
    successor = succeed(session)
    windows = house.plugin.windows

    assert (successor.subject, successor.subject_revision) == (session.subject, session.subject_revision)
    assert successor.session_id != session.session_id
    assert windows[successor.session_id] == windows[session.session_id]
    assert (successor.key == session.key) is (succeed is Session.reset)


@pytest.mark.proves("case:ID-19", "session:rebound")
def test_a_reset_leaves_the_old_window_with_nothing(house: House) -> None:
    """A held session, and a run of it, never follow the key to its new window."""
    event, run = house.run("u1")
    session = house.agent.session(event)
    session.reset()

    for held in (lambda: run.search("x"), lambda: session.run(event), session.reset, session.branch):
        with pytest.raises(DeniedError) as denied:
            held()
        assert denied.value.reason is Reason.SESSION_REBOUND
    house.agent.session(event).run(event).search("x")


class MovingLedger:
    """A ledger in which another reset comes first."""

    def __init__(self, ledger: SessionLedger) -> None:
        self.ledger = ledger

    def find_session(self, agent_id: AgentId, session_key: SessionKey) -> MappedSession | None:
        """Find a session."""
        return self.ledger.find_session(agent_id, session_key)

    def remap(self, *_: object) -> bool:
        """Find the key moved."""
        return False


@pytest.mark.proves("case:ID-19", "session:rebound")
def test_of_two_resets_at_once_one_wins(house: House) -> None:
    """The other one is told that the session has moved on."""
    _, session = house.session("u1")
    workings = house.workings
    ledger = MovingLedger(house.stores.sessions)
    moving = Sessions(ledger, workings.resolver, workings.keys, house.clock, house.entropy)  # pyright: ignore[reportArgumentType]
    with pytest.raises(DeniedError) as denied:
        Session(replace(workings, sessions=moving), mapped_of(session)).reset()

    assert denied.value.reason is Reason.SESSION_REBOUND


@pytest.mark.proves("session:rebound")
def test_a_key_is_remapped_from_where_it_was_expected(house: House) -> None:
    """A second remapping from the same window changes nothing."""
    _, session = house.session("u1")
    record, window = mapped_of(session).record, mapped_of(session).window
    moved = replace(window, session_id=SessionId("win_x"))
    remap = house.stores.sessions.remap

    assert remap(record.agent_id, record.session_key, window.session_id, moved)
    assert not remap(record.agent_id, record.session_key, window.session_id, moved)
    assert not remap(record.agent_id, SessionKey("key_x"), window.session_id, moved)


@pytest.mark.proves("session:key:names-a-route")
def test_a_branch_answers_the_route_it_came_from(house: House) -> None:
    """An event of its person continues it; another person's does not."""
    event, session = house.session("u1")
    branch = session.branch()
    branch.run(event)
    resumed = house.agent.resume(branch.key)

    assert resumed.session_id == branch.session_id
    with pytest.raises(DeniedError) as denied:
        branch.run(house.hear("u2"))
    assert denied.value.reason is Reason.INVALID_CONTEXT


@pytest.mark.proves("session:key:names-a-route")
def test_a_key_that_nobody_has_opens_nothing(house: House) -> None:
    """Nor does a key of another agent."""
    _, session = house.session("u1")
    other = house.host.add_agent("other")
    for agent, key in ((house.agent, SessionKey("key_x")), (other, session.key)):
        with pytest.raises(InputError):
            agent.resume(key)


@pytest.mark.proves("session:key:names-a-route", "context:model-adds-nothing")
def test_an_event_of_another_route_does_not_run_in_a_session(house: House) -> None:
    """Neither another person's nor the same person's from elsewhere; and nobody's only where one acts for oneself."""
    _, session = house.session("u1")
    for event in (house.hear("u2"), house.hear("u1", room="c1"), house.hear("u1", account="strict"), None):
        with pytest.raises(DeniedError) as denied:
            session.run(event)
        assert denied.value.reason is Reason.INVALID_CONTEXT


@pytest.mark.proves("session:subject:unprovable-is-quarantined", "session:subject:import-is-reviewed")
def test_an_import_without_provable_lineage_sees_nothing(house: House) -> None:
    """No operation of it reaches the plugin, and no successor of it is better off."""
    imported = house.agent.imported_session()
    asked = len(house.plugin.contexts)
    for act in (imported.reset, imported.branch):
        with pytest.raises(DeniedError) as denied:
            act()
        assert denied.value.reason is Reason.INVALID_CONTEXT
    with pytest.raises(DeniedError):
        imported.run(house.hear("u1"))

    turn = turn_of(house.run("u2")[1])
    occasion = replace(turn.occasion(Operation.READ, turn.destination), session=mapped_of(imported))
    with pytest.raises(DeniedError) as refused:
        house.workings.issue(occasion)

    assert imported.standing is SessionStanding.QUARANTINED
    assert refused.value.reason is Reason.INVALID_CONTEXT
    assert len(house.plugin.contexts) == asked + 1


@pytest.mark.proves(
    "session:subject:kinds", "identity:service:explicit", "case:DLG-02", "session:service:no-old-session"
)
def test_a_service_acts_for_itself(house: House) -> None:
    """Its subject and its actor are the service; a person's session does not take its runs."""
    service = house.host.operator().identities.add_service("nightly")
    session = house.agent.service_session(service)
    with session.run(None) as run:
        run.remember("cleaned up")
    context = house.seen
    _, private = house.session("u1")

    assert session.subject == AutonomousSubject(kind=AutonomousKind.SERVICE, principal_id=service)
    assert isinstance(context.actor, PrincipalActor)
    assert (context.actor.actor_kind, context.actor.principal_id) == (ActorKind.SERVICE, service)
    with pytest.raises(DeniedError):
        private.run(None)
    with pytest.raises(DeniedError):
        session.run(house.hear("u1"))


@pytest.mark.proves("identity:service:explicit")
def test_only_a_service_has_a_service_session(house: House) -> None:
    """A person, or a name, is none."""
    for nobody in (house.person("u1"), PrincipalId("nightly")):
        with pytest.raises(InputError):
            house.agent.service_session(nobody)
    workings = house.workings
    lost = workings.sessions.open_autonomous(house.agent.agent_id, AutonomousKind.SERVICE, PrincipalId("svc_gone"))
    with pytest.raises(DeniedError) as denied:
        Session(workings, lost).run(None)
    assert denied.value.reason is Reason.IDENTITY_REVOKED


@pytest.mark.proves("session:subject:kinds")
def test_an_agent_acts_for_itself(house: House) -> None:
    """The agent bears the id of its cell."""
    session = house.agent.own_session()
    session.run(None)

    assert session.subject == AutonomousSubject(
        kind=AutonomousKind.AGENT, principal_id=PrincipalId(house.agent.agent_id)
    )
    assert session.visibility is Visibility.NORMAL


@pytest.mark.proves("session:subject:successors-copy", "egress:exposure:window")
def test_a_reset_that_was_interrupted_finishes_before_the_next_run(builder: Builder) -> None:
    """A window that has not yet taken over what it inherits begins no run without it."""
    house = builder.build()
    event, run = house.run("u1")
    run.remember("a secret")
    run.search("secret")
    house.plugin.fail["inherit_window"] = UnavailableError("the disk failed", remedy="mend it")
    with pytest.raises(UnavailableError):
        house.agent.session(event).reset()
    with pytest.raises(UnavailableError):
        house.agent.session(event).run(event)
    house.plugin.fail.clear()
    restarted = builder.build()
    again = restarted.hear("u1")
    session = restarted.agent.session(again)
    before = set(restarted.plugin.windows)
    session.run(again)

    assert mapped_of(session).window.succession is Succession.RESET
    assert session.session_id not in before
    assert len(restarted.plugin.windows[session.session_id]) == 1


@pytest.mark.proves("session:subject:successors-copy", "case:ID-19")
def test_an_interrupted_reset_is_finished_once_and_never_followed(builder: Builder) -> None:
    """Two runs of one face inherit once; a face of an older window does not move to the newer one."""
    house = builder.build()
    event, _ = house.run("u1")
    house.plugin.fail["inherit_window"] = UnavailableError("the disk failed", remedy="mend it")
    with pytest.raises(UnavailableError):
        house.agent.session(event).reset()
    unfinished = house.agent.session(event)
    house.plugin.fail.clear()
    unfinished.run(event)
    house.plugin.fail["inherit_window"] = UnavailableError("asked twice", remedy="ask once")
    unfinished.run(event)
    house.plugin.fail.clear()
    house.agent.session(event).reset()
    with pytest.raises(DeniedError) as denied:
        unfinished.run(event)

    assert denied.value.reason is Reason.SESSION_REBOUND


@pytest.mark.proves("session:subject:successors-copy")
def test_the_operator_who_gives_windows_is_somebody(house: House) -> None:
    """A home without its administrator hands nothing on."""
    _, session = house.session("u1")
    workings = house.workings
    lost = replace(workings, operator_id=PrincipalId("sys_gone"))
    with pytest.raises(NonconformingError):
        Session(lost, mapped_of(session)).reset()
