"""Withdrawals: acknowledged only when every cell durably knows, and finished after a crash."""

import pytest

from privity.host.records import PrincipalState
from privity.model.decisions import Denied
from privity.model.reasons import Reason
from privity.model.subjects import UserSubject
from privity.sdk.errors import DeniedError, NonconformingError, StorageFailedError
from tests.host.house import Builder, House


@pytest.mark.proves("context:host-facts-revalidated", "case:REV-02", "case:REV-07")
def test_every_cell_learns_of_a_withdrawal_before_it_is_acknowledged(house: House) -> None:
    """Each agent's epoch is higher, in the plugin and in every context issued from then on."""
    other = house.host.add_agent("other")
    person = house.person("u1")
    before = dict(house.plugin.epochs)
    house.host.operator().identities.revoke_principal(person)
    house.run("u2")

    assert house.plugin.epochs == {agent: epoch + 1 for agent, epoch in before.items()}
    assert set(before) == {house.agent.agent_id, other.agent_id}
    assert house.seen.host_facts_revision == house.plugin.epochs[house.agent.agent_id]


@pytest.mark.proves("case:REV-07", "case:REV-04")
def test_a_withdrawal_that_no_cell_was_told_holds_and_is_not_acknowledged(builder: Builder) -> None:
    """The caller hears of the failure; reads act on it at once; the next start tells the cells."""
    house = builder.build()
    person = house.person("u1")
    _, run = house.run("u1", room="c1")
    told = dict(house.plugin.epochs)
    house.plugin.fail["advance_host_facts"] = StorageFailedError("the disk is full", remedy="free it")
    with pytest.raises(StorageFailedError):
        house.host.operator().identities.revoke_principal(person)
    with pytest.raises(DeniedError) as denied:
        run.search("x")

    assert denied.value.reason is Reason.IDENTITY_REVOKED
    assert house.plugin.epochs == told
    assert house.host.operator().identities.known(person).principal.state is PrincipalState.REVOKED
    house.plugin.fail.clear()
    restarted = builder.build()
    assert restarted.plugin.epochs == {agent: epoch + 1 for agent, epoch in told.items()}
    restarted.host.operator().identities.revoke_principal(person)
    assert restarted.plugin.epochs == {agent: epoch + 1 for agent, epoch in told.items()}


@pytest.mark.proves("case:REV-07")
def test_a_host_does_not_open_over_a_withdrawal_it_cannot_finish(builder: Builder) -> None:
    """The start fails rather than serve a cell that does not know."""
    house = builder.build()
    person = house.person("u1")
    house.plugin.fail["advance_host_facts"] = ZeroDivisionError()
    with pytest.raises(NonconformingError):
        house.host.operator().identities.revoke_principal(person)
    with pytest.raises(NonconformingError):
        builder.build()


@pytest.mark.proves("case:REV-07")
def test_a_crash_between_telling_and_noting_tells_again(builder: Builder) -> None:
    """Telling twice is telling once."""
    house = builder.build()
    agent = house.stores.agents.list_agents()[0]
    person = house.person("u1")
    house.host.operator().identities.revoke_principal(person)
    settled = house.stores.agents.load_agent(agent.agent_id)
    house.stores.agents.settle_epoch(agent.agent_id, agent.host_facts_epoch)
    again = house.stores.agents.load_agent(agent.agent_id)

    assert settled == again
    assert settled is not None
    assert settled.settled_epoch == settled.host_facts_epoch == agent.host_facts_epoch + 1


@pytest.mark.proves("case:REV-07", "identity:binding:revocation")
def test_a_withdrawal_holds_after_a_restart(builder: Builder) -> None:
    """What was acknowledged is durable."""
    house = builder.build()
    person = house.person("u1")
    identities = house.host.operator().identities
    for _ in range(2):
        identities.revoke_binding(identities.bindings(person)[0].binding_id)
    restarted = builder.build()
    _, session = restarted.session("u1")

    assert not isinstance(session.subject, UserSubject)


@pytest.mark.proves("context:host-facts-revalidated", "operation:priorities")
@pytest.mark.parametrize("call", ["authorize", "search"])
def test_a_withdrawal_of_somebody_else_does_not_deny_this_one(house: House, call: str) -> None:
    """What met one is asked again, and then the answer stands."""
    stranger = house.person("u2")
    _, run = house.run("u1", room="c1")
    run.remember("a note")
    identities = house.host.operator().identities

    def revoke() -> None:
        house.plugin.between.clear()
        identities.revoke_principal(stranger)

    def refuse_once(_: object) -> object:
        house.plugin.tamper.clear()
        return Denied(reason=Reason.IDENTITY_REVOKED, step=1, decision_id=None)

    house.plugin.between[call] = revoke
    if call == "search":
        house.plugin.tamper["search"] = refuse_once

    assert [passage.text for passage in run.search("note")] == ["a note"]
