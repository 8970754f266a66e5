"""An act of an administrator that finds nothing to act on is an error, and never acknowledged."""

from collections.abc import Callable

import pytest

from privity.host.records import HostAct, HostAuditRecord
from privity.host.turns import WITHDRAWALS_MET
from privity.model.ids import PrincipalId
from privity.model.subjects import UserSubject
from privity.sdk.errors import ConflictError, DeniedError, InputError
from tests.host.house import House

NOBODY = PrincipalId("usr_nobody")


def acts(house: House) -> list[HostAct]:
    """Return what the host wrote down of acts."""
    rows = [entry.record for entry in house.host.audit(1000)]
    return [row.act for row in rows if isinstance(row, HostAuditRecord) and row.act is not HostAct.AUDIT_SEEN]


@pytest.mark.proves("identity:binding:revocation")
def test_an_act_on_what_is_not_there_is_refused_and_written_down_nowhere(house: House) -> None:
    """Misspelt bindings, people, accounts, rooms and members: nothing happened, and nothing says so."""
    operator = house.host.operator()
    identities, conversations = operator.identities, operator.conversations
    person = house.person("u1")
    room = conversations.add("chat", "acme", "c1")
    before, epochs = acts(house), dict(house.plugin.epochs)
    refused: tuple[Callable[[], object], ...] = (
        lambda: identities.revoke_binding("bnd_none"),
        lambda: identities.revoke_binding(""),
        lambda: identities.revoke_principal(NOBODY),
        lambda: identities.bind("chat", "acmee", "u9", person),
        lambda: identities.bind("chats", "acme", "u9", person),
        lambda: identities.bind("chat", "acme", "u9", NOBODY),
        lambda: identities.merge(person, NOBODY, "one person"),
        lambda: conversations.find("chat", "acme", "c2"),
        lambda: conversations.find("chat", "acmee", "c1"),
        lambda: conversations.remove_member(room, person),
        lambda: conversations.remove_member(NOBODY, person),
        lambda: conversations.name_owner(NOBODY, person),
    )
    for act in refused:
        with pytest.raises(InputError):
            act()

    assert acts(house) == before
    assert house.plugin.epochs == epochs
    assert [room_.conversation_id for room_ in conversations.list()] == [room]


@pytest.mark.proves("identity:binding:revocation")
def test_the_administrator_and_an_agent_are_not_withdrawn(house: House) -> None:
    """Without them nobody could mend anything; people and services can be."""
    operator = house.host.operator()
    for needed in (operator.principal_id, PrincipalId(house.agent.agent_id)):
        with pytest.raises(InputError):
            operator.identities.revoke_principal(needed)
    service = operator.identities.add_service("nightly")
    operator.identities.revoke_principal(service)
    operator.identities.revoke_principal(service)

    assert acts(house).count(HostAct.PRINCIPAL_REVOKED) == 1
    assert house.host.operator().identities.add_service("another")


@pytest.mark.proves("identity:binding:revocation", "case:ID-22")
def test_somebody_revoked_comes_back_as_somebody_new_and_only_by_the_operators_act(house: House) -> None:
    """A name that was revoked is free again; its next bearer has none of the former one's memory."""
    identities = house.host.operator().identities
    first = identities.add_local_person("alice")
    identities.revoke_principal(first)
    event = house.host.vouch("alice", "hello")
    refused = house.agent.session(event).subject
    second = identities.add_local_person("alice")
    event = house.host.vouch("alice", "hello again")
    subject = house.agent.session(event).subject

    assert not isinstance(refused, UserSubject)
    assert isinstance(subject, UserSubject)
    assert subject.principal_id == second != first
    with pytest.raises(ConflictError):
        identities.add_local_person("alice")


@pytest.mark.proves("context:host-facts-revalidated", "case:REV-04")
def test_a_reader_outlasts_the_withdrawals_of_others(house: House) -> None:
    """However many there are in a row, right in the midst of the read; their own ends it at once."""
    others = [house.person(f"u{number}") for number in range(2, 12)]
    reader = house.person("u1")
    _, run = house.run("u1")
    identities = house.host.operator().identities

    def revoke() -> None:
        if others:
            identities.revoke_principal(others.pop())
            house.plugin.between["authorize"] = revoke

    house.plugin.between["authorize"] = revoke
    run.search("x")
    assert others == []
    house.plugin.between["authorize"] = lambda: identities.revoke_principal(reader)
    with pytest.raises(DeniedError):
        run.search("x")


@pytest.mark.proves("context:host-facts-revalidated", "policy:deny:default")
def test_a_reader_who_meets_withdrawals_without_end_is_denied(house: House) -> None:
    """It asks again so often and no more; what it cannot decide under facts that hold it does not answer."""
    others = [house.person(f"u{number}") for number in range(2, WITHDRAWALS_MET + 5)]
    house.person("u1")
    _, run = house.run("u1")
    identities = house.host.operator().identities
    house.plugin.between["authorize"] = lambda: identities.revoke_principal(others.pop())

    with pytest.raises(DeniedError):
        run.search("x")
    assert len(others) == 2
