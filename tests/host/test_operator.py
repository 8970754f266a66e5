"""Operators: publishing, granting and administering, each act under a run and in the audit."""

from datetime import timedelta

import pytest

from privity.host.host import Host
from privity.host.own import personal_turn
from privity.host.records import HostAct, HostAuditRecord
from privity.model.audit import AuditRecord
from privity.model.context import AccessContext
from privity.model.ids import DecisionId, PrincipalId
from privity.model.operations import Operation
from privity.model.principals import ActorKind, PrincipalActor
from privity.model.reasons import Reason
from privity.model.resources import Anonymity
from privity.model.subjects import AutonomousKind, AutonomousSubject, UserSubject
from privity.sdk.errors import ConflictError, DeniedError, InputError
from tests.fakes import outbox_row
from tests.host.house import Builder, House, mapped_of, reception_of


def acts(host: Host) -> list[HostAct]:
    """Return what the host itself did, in order."""
    return [entry.record.act for entry in host.audit() if isinstance(entry.record, HostAuditRecord)]


@pytest.mark.proves("context:issued-by-host-only", "context:run-id-always")
def test_the_administrator_publishes_as_the_system(house: House) -> None:
    """Actor and session subject are the home's administrator; the act has a run of its own."""
    operator = house.host.operator()
    operator.publish(house.agent, "The office is closed on Monday.", Anonymity.ANONYMOUS_SAFE)
    context = house.seen

    assert isinstance(context.actor, PrincipalActor)
    assert (context.actor.actor_kind, context.actor.principal_id) == (ActorKind.SYSTEM, operator.principal_id)
    assert context.session_subject == AutonomousSubject(kind=AutonomousKind.SYSTEM, principal_id=operator.principal_id)
    assert context.operation is Operation.PUBLISH
    assert context.run_id in house.plugin.runs
    assert [audience.kind for audience in context.delivery.audiences] == ["internal"]


@pytest.mark.proves("context:issued-by-host-only")
def test_a_person_publishes_only_with_the_right_to(house: House) -> None:
    """Granted, it works; taken back, it does not. The person acts in a session of their own."""
    person = house.person("u1")
    operator = house.host.operator(person)
    with pytest.raises(DeniedError):
        operator.publish(house.agent, "x")
    house.host.operator().grant(house.agent, Operation.PUBLISH, person, timedelta(days=1))
    operator.publish(house.agent, "x")
    context = house.seen
    house.host.operator().revoke(house.agent, Operation.PUBLISH, person)
    with pytest.raises(DeniedError):
        operator.publish(house.agent, "x")

    assert isinstance(context.session_subject, UserSubject)
    assert context.session_subject.creation_evidence.kind == "gateway-profile"
    assert isinstance(context.actor, PrincipalActor)
    assert (context.actor.actor_kind, context.actor.principal_id) == (ActorKind.HUMAN, person)


@pytest.mark.proves("context:issued-by-host-only")
def test_a_person_administers_nothing(house: House) -> None:
    """Identities, conversations and grants are the administrator's."""
    operator = house.host.operator(house.person("u1"))
    for act in (
        lambda: operator.identities,
        lambda: operator.conversations,
        lambda: operator.grant(house.agent, Operation.PUBLISH, operator.principal_id),
    ):
        with pytest.raises(DeniedError):
            act()


@pytest.mark.proves("identity:principal:labels-never-select")
@pytest.mark.parametrize("nobody", ["Sam", "usr_none", ""])
def test_a_stranger_operates_nothing(house: House, nobody: str) -> None:
    """Nor can anything be granted to one."""
    with pytest.raises(InputError):
        house.host.operator(PrincipalId(nobody))
    with pytest.raises(InputError):
        house.host.operator().grant(house.agent, Operation.PUBLISH, PrincipalId(nobody))


@pytest.mark.proves("audit:decisions:recorded", "identity:principal:merge-needs-proof")
def test_every_act_of_the_administrator_is_in_the_audit(house: House) -> None:
    """In order, by whom, and with ids only."""
    operator = house.host.operator()
    identities, conversations = operator.identities, operator.conversations
    alice, bob = identities.add_local_person("alice"), identities.add_local_person("bob")
    room = conversations.add("chat", "acme", "c1")
    conversations.add_member(room, alice)
    conversations.name_owner(room, alice)
    conversations.remove_member(room, alice)
    identities.merge(bob, alice, "nickname")
    operator.grant(house.agent, Operation.PUBLISH, alice)
    operator.revoke(house.agent, Operation.PUBLISH, alice)
    operator.publish(house.agent, "x")
    identities.revoke_binding(identities.bindings(alice)[0].binding_id)
    identities.revoke_principal(alice)

    assert acts(house.host) == [
        HostAct.AGENT_ADDED,
        *[HostAct.PRINCIPAL_ADDED, HostAct.BINDING_ADDED] * 2,
        HostAct.MEMBER_ADDED,
        HostAct.OWNER_NAMED,
        HostAct.MEMBER_LEFT,
        HostAct.PRINCIPALS_MERGED,
        HostAct.RIGHT_GRANTED,
        HostAct.RIGHT_REVOKED,
        HostAct.PUBLISHED,
        HostAct.BINDING_REVOKED,
        HostAct.PRINCIPAL_REVOKED,
    ]
    assert "alice" not in repr(house.host.audit())


@pytest.mark.proves("audit:decisions:recorded", "case:ID-19")
def test_what_the_host_refuses_by_itself_is_in_the_audit(house: House) -> None:
    """The plugin never heard of it, so the host says so."""
    event, run = house.run("u1")
    house.agent.session(event).reset()
    with pytest.raises(DeniedError):
        run.search("x")
    person = house.person("u2")
    _, other = house.run("u2")
    identities = house.host.operator().identities
    identities.revoke_binding(identities.bindings(person)[0].binding_id)
    with pytest.raises(DeniedError):
        other.search("x")
    rows = [entry.record for entry in house.host.audit() if isinstance(entry.record, HostAuditRecord)]
    reasons = [row.reason for row in rows if row.act is HostAct.CONTEXT_DENIED]

    assert reasons == [Reason.SESSION_REBOUND, Reason.IDENTITY_REVOKED]


@pytest.mark.proves("audit:trail:reading-is-recorded")
def test_looking_at_the_audit_is_in_the_audit(house: House) -> None:
    """Pages go on where the last one ended, and limits are limits."""
    first = house.host.audit(limit=1)
    second = house.host.audit(limit=5, after=first[-1].sequence)
    for limit, after in ((0, 0), (-1, 0), (1_001, 0), (5, -1)):
        with pytest.raises(InputError):
            house.host.audit(limit=limit, after=after)

    assert [entry.sequence for entry in (*first, *second)] == [1, 2]
    assert acts(house.host)[-1] is HostAct.AUDIT_SEEN


def context_of(house: House) -> AccessContext:
    """Return a context that a row of an outbox can be about."""
    house.run("u1")
    return house.seen


@pytest.mark.proves("audit:decisions:recorded", "audit:outbox:with-write")
def test_draining_writes_each_row_once(house: House) -> None:
    """However often it runs, of every agent, and past the length of one page."""
    other = house.host.add_agent("other")
    context = context_of(house)
    agents = (house.agent.agent_id, other.agent_id)
    house.plugin.outbox = [outbox_row(agent, number, context) for agent in agents for number in range(1, 602)]
    first, again = house.host.drain(), house.host.drain()
    late = outbox_row(agents[0], 602, context)
    house.plugin.outbox.append(late)
    third = house.host.drain()
    kept = house.stores.audit
    entries = [entry.record for entry in house.host.audit(limit=1_000) if isinstance(entry.record, AuditRecord)]

    assert (first, again, third) == (1_202, 0, 1)
    assert kept.append_drained(agents[0], [late]) == 0
    assert (kept.drained(agents[0]), kept.drained(agents[1])) == (602, 601)
    assert entries[0] == house.plugin.outbox[0]


@pytest.mark.proves("audit:explain:why")
def test_a_decision_is_explained_whoever_made_it(house: House) -> None:
    """All agents are asked; a decision that nobody made has no explanation."""
    other = house.host.add_agent("other")
    row = outbox_row(other.agent_id, 7, context_of(house))
    house.plugin.outbox = [row]
    found = house.host.explain(DecisionId("dcs_7"))

    assert found is not None
    assert found.record == row
    assert house.host.explain(DecisionId("dcs_8")) is None


@pytest.mark.proves("plugin:ownership:host-states-facts")
def test_agents_are_found_by_their_names(house: House) -> None:
    """A name is taken once; an unknown or unreadable one is an error."""
    robin = house.agent
    house.host.add_agent("kay")
    with pytest.raises(ConflictError):
        house.host.add_agent("kay")
    for bad in ("nobody", "", "a\nb", " x", "x" * 129, "a\x00"):
        with pytest.raises(InputError):
            house.host.agent(bad)

    assert [agent.name for agent in house.host.agents()] == ["robin", "kay"]
    assert robin.agent_id.startswith("agt_")
    assert house.host.health(robin).host_facts_revision == house.plugin.epochs[robin.agent_id]


@pytest.mark.proves("plugin:ownership:host-states-facts")
def test_of_two_agents_of_one_name_the_first_stays(house: House) -> None:
    """Also where both are made at the same moment."""
    record = house.stores.agents.list_agents()[0]
    find_agent, load_agent = house.stores.agents.find_agent, house.stores.agents.load_agent

    class Racing:
        """A registry that another one was faster in."""

        def find_agent(self, name: str) -> None:
            """Find nothing yet."""

        def add_agent(self, _agent: object) -> object:
            """Find that somebody else was first."""
            return record

    stores = house.workings.stores
    workings = house.workings
    racing = type("Stores", (), {"agents": Racing(), "identities": stores.identities})()
    object.__setattr__(workings, "stores", racing)
    with pytest.raises(ConflictError):
        house.host.add_agent("robin")

    assert find_agent("robin") == record
    assert load_agent(record.agent_id) == record


@pytest.mark.proves("identity:principal:no-synthesis")
def test_a_person_acts_only_in_a_persons_session(house: House) -> None:
    """A service's session is none."""
    session = house.agent.own_session()
    with pytest.raises(DeniedError):
        personal_turn(house.workings, mapped_of(session))


@pytest.mark.proves("identity:principal:opaque-id")
def test_principals_are_listed_in_pages(house: House) -> None:
    """In the order of their ids, and a page has a length."""
    identities = house.host.operator().identities
    for name in ("alice", "bob"):
        identities.add_local_person(name)
    everybody = identities.people()
    rest = identities.people(after=everybody[0].principal_id, limit=1)
    for limit in (0, 1_001):
        with pytest.raises(InputError):
            identities.people(limit=limit)

    assert rest == (everybody[1],)
    assert {one.kind for one in everybody} == {"usr", "agt", "sys"}


@pytest.mark.proves("plugin:ownership:host-states-facts")
def test_a_host_is_closed_once_its_block_ends(builder: Builder) -> None:
    """Whoever made it says how."""
    house = builder.build()
    closed: list[str] = []
    with Host(house.workings, reception_of(house), None, lambda: closed.append("closed")) as host:
        assert host.mode == "development"

    assert closed == ["closed"]
