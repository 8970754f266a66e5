"""The host's ports: what must hold of any store, whichever family it is."""

from dataclasses import replace
from datetime import timedelta

import pytest

from privity.host.ports import HostStores
from privity.host.records import (
    AgentRecord,
    BindingMethod,
    BindingRecord,
    ConversationRecord,
    Freshness,
    Observation,
    PrincipalRecord,
    PrincipalState,
)
from privity.model.ids import AgentId, EvidenceRevision, GroupId, HostFactsRevision, PrincipalId, SessionKey
from privity.model.principals import Assurance, PrincipalKind
from tests.fakes import START
from tests.host.house import House, mapped_of


def principal(name: str) -> PrincipalRecord:
    """Return a person."""
    return PrincipalRecord(
        principal_id=PrincipalId(name),
        kind=PrincipalKind.USER,
        label="",
        state=PrincipalState.LIVE,
        merged_into=None,
        created_at=START,
    )


def agent(name: str) -> AgentRecord:
    """Return an agent."""
    return AgentRecord(
        agent_id=AgentId(f"agt_{name}"),
        name=name,
        owner_id=PrincipalId("sys_1"),
        host_facts_epoch=HostFactsRevision(1),
        settled_epoch=HostFactsRevision(0),
        created_at=START,
    )


def bound(person: str) -> BindingRecord:
    """Return a binding of one sender to a person."""
    return BindingRecord(
        binding_id=f"bnd_{person}",
        sender_key="sender",
        principal_id=PrincipalId(person),
        adapter="chat",
        account="acme",
        assurance=Assurance.ADAPTER_ATTESTED,
        method=BindingMethod.FIRST_CONTACT,
        evidence_revision=EvidenceRevision("evr_1"),
        created_by=None,
        created_at=START,
        revoked_at=None,
    )


def observed(person: str, minutes: int, provider: str = "chat") -> Observation:
    """Return evidence of some minute."""
    at = START + timedelta(minutes=minutes)
    return Observation(
        principal_id=PrincipalId(person),
        group_id=GroupId("cnv_1"),
        provider=provider,
        evidence_revision=EvidenceRevision(f"evr_{minutes}"),
        observed_at=at,
        expires_at=at + timedelta(hours=1),
        left_at=None,
    )


@pytest.mark.proves("case:POL-13")
def test_ids_that_differ_only_in_case_are_different(stores: HostStores) -> None:
    """In every table text compares byte by byte."""
    stores.identities.add_principal(principal("usr_a"))
    stores.agents.add_agent(agent("robin"))

    assert stores.identities.find_head(PrincipalId("usr_A")) is None
    assert stores.agents.find_agent("ROBIN") is None
    assert stores.agents.load_agent(AgentId("AGT_robin")) is None
    assert stores.sessions.find_session(AgentId("agt_robin"), SessionKey("key_a")) is None


@pytest.mark.proves("identity:principal:opaque-id")
def test_what_is_added_twice_stays_as_it_was(stores: HostStores) -> None:
    """Principals, agents and conversations are written once."""
    stores.identities.add_principal(principal("usr_a"))
    stores.identities.add_principal(principal("usr_a"))
    first, second = agent("robin"), agent("robin")
    conversation = ConversationRecord(
        conversation_id=PrincipalId("cnv_1"),
        conversation_key="k",
        adapter="chat",
        account="acme",
        owner_id=None,
        evidence_revision=EvidenceRevision("evr_1"),
        created_at=START,
    )

    assert stores.agents.add_agent(first) == first
    assert stores.agents.add_agent(second) == first
    assert stores.roster.add_conversation(conversation) == conversation
    assert stores.roster.add_conversation(conversation) == conversation
    assert len(stores.identities.list_principals(None, 10)) == 1


@pytest.mark.proves("identity:first-contact")
def test_of_two_first_contacts_one_binds(stores: HostStores) -> None:
    """The other finds what was bound, and leaves no principal behind; a revoked binding counts as one."""
    first, second = bound("usr_a"), bound("usr_b")
    stores.identities.bind_first(principal("usr_a"), first)
    found = stores.identities.bind_first(principal("usr_b"), second)
    stores.withdrawals.revoke_binding(first.binding_id, START)
    later = stores.identities.bind_first(principal("usr_b"), second)

    assert found == (first,)
    assert later == (replace(first, revoked_at=START),)
    assert stores.identities.find_head(PrincipalId("usr_b")) is None


@pytest.mark.proves("session:membership:conversation-expires")
def test_of_one_provider_the_latest_observation_stands(stores: HostStores) -> None:
    """An older one arriving late changes nothing; another provider's stands beside it."""
    for row in (observed("usr_a", 5), observed("usr_a", 3), observed("usr_a", 1, "roster")):
        stores.roster.observe(row)
    rows = stores.roster.list_memberships([PrincipalId("usr_a")])

    assert rows == (observed("usr_a", 5), observed("usr_a", 1, "roster"))
    assert stores.roster.list_members(GroupId("cnv_1")) == rows
    assert stores.roster.list_memberships([]) == ()


@pytest.mark.proves("case:REV-02")
def test_a_departure_stands_without_an_observation(stores: HostStores) -> None:
    """Whoever left before being seen has left; the epoch rises with each departure that says something new."""
    stores.agents.add_agent(agent("robin"))
    left_at = START + timedelta(minutes=5)
    people = [PrincipalId("usr_a"), PrincipalId("usr_b")]
    first = stores.withdrawals.depart(GroupId("cnv_1"), people, left_at)
    again = stores.withdrawals.depart(GroupId("cnv_1"), people, left_at)
    older = stores.withdrawals.depart(GroupId("cnv_1"), people, START)
    stores.roster.observe(observed("usr_a", 3))
    (row,) = stores.roster.list_members(GroupId("cnv_1"))

    assert (first, again, older) == (True, False, False)
    assert row.left_at == left_at
    assert stores.agents.list_agents()[0].host_facts_epoch == 2


@pytest.mark.proves("case:REV-07")
def test_withdrawing_what_is_not_there_changes_nothing(stores: HostStores) -> None:
    """Nothing is revoked twice, and no epoch rises for it."""
    stores.agents.add_agent(agent("robin"))
    withdrawals = stores.withdrawals

    assert not withdrawals.revoke_principal(PrincipalId("usr_none"))
    assert not withdrawals.revoke_binding("bnd_none", START)
    assert not withdrawals.name_owner(PrincipalId("cnv_none"), None)
    assert not withdrawals.name_owner(PrincipalId("cnv_none"), PrincipalId("usr_a"))
    assert not withdrawals.merge(PrincipalId("usr_a"), PrincipalId("usr_b"))
    assert stores.agents.list_agents()[0].host_facts_epoch == 1


@pytest.mark.proves("identity:ingress:after-admission")
def test_an_admission_is_remembered_until_its_end(stores: HostStores) -> None:
    """At the very end it is forgotten."""
    until = START + timedelta(minutes=10)
    admit = stores.admissions.admit

    assert admit("k", START, until) is Freshness.FRESH
    assert admit("k", START, until) is Freshness.REPLAYED
    assert admit("K", START, until) is Freshness.FRESH
    assert admit("k", until - timedelta(seconds=1), until) is Freshness.REPLAYED
    assert admit("k", until, until + timedelta(minutes=10)) is Freshness.FRESH


@pytest.mark.proves("session:subject:write-once")
def test_sessions_are_listed_in_pages_of_one_agent(house: House) -> None:
    """In the order of their keys, each with its current window."""
    other = house.host.add_agent("other")
    for sender in ("u1", "u2", "u3"):
        house.session(sender)
    foreign = other.session(house.hear("u1"))
    sessions = house.stores.sessions
    everything = sessions.list_sessions(house.agent.agent_id, None, 10)
    first = sessions.list_sessions(house.agent.agent_id, None, 1)
    rest = sessions.list_sessions(house.agent.agent_id, first[0].record.session_key, 10)
    sessions.settle_window(house.agent.agent_id, mapped_of(foreign).window.session_id)

    assert (*first, *rest) == everything
    assert len(everything) == 3
    assert foreign.key not in {one.record.session_key for one in everything}


@pytest.mark.proves("context:host-facts-revalidated")
def test_a_fact_read_before_a_write_is_read_anew_after_it(stores: HostStores) -> None:
    """Each kind of fact that is looked up at every operation, however often it was read before."""
    ada, bo, sender = principal("usr_ada"), principal("usr_bo"), bound("usr_ada")
    stores.identities.add_principal(ada)
    stores.identities.add_principal(bo)
    stores.agents.add_agent(agent("support"))
    before = facts_of(stores)
    stores.identities.add_binding(sender)
    stores.roster.observe(observed("usr_ada", 1))
    stores.withdrawals.merge(PrincipalId("usr_bo"), PrincipalId("usr_ada"))
    between = facts_of(stores)
    stores.withdrawals.revoke_principal(PrincipalId("usr_ada"))
    after = facts_of(stores)

    assert before == (PrincipalState.LIVE, (), 0, 0, HostFactsRevision(1))
    assert between == (PrincipalState.LIVE, (PrincipalId("usr_bo"),), 1, 1, HostFactsRevision(2))
    assert after == (PrincipalState.REVOKED, (PrincipalId("usr_bo"),), 1, 1, HostFactsRevision(3))


def facts_of(stores: HostStores) -> tuple[PrincipalState, tuple[PrincipalId, ...], int, int, HostFactsRevision]:
    """Return a person's state, who was merged into them, their bindings, their memberships, and the agent's epoch."""
    ada = PrincipalId("usr_ada")
    head, held = stores.identities.find_head(ada), stores.agents.load_agent(AgentId("agt_support"))
    assert head is not None
    assert held is not None
    return (
        head.principal.state,
        head.merged_ids,
        len(stores.identities.find_bindings(bound("usr_ada").sender_key)),
        len(stores.roster.list_memberships([ada])),
        held.host_facts_epoch,
    )
