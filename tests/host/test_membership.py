"""Membership of conversations: evidence that runs out, and that a departure ends."""

from dataclasses import replace
from datetime import timedelta

import pytest

from privity.model.ids import PrincipalId
from privity.model.subjects import UserSubject
from privity.sdk.errors import InputError
from privity.sdk.identity import ChangeKind, MembershipChange, SenderClaim
from tests.host.house import House


def groups(house: House, sender: str, room: str = "c1") -> list[str]:
    """Return the groups that the next context of `sender` in `room` belongs to, without new evidence."""
    event = house.hear(sender, room=room, account="strict")
    house.agent.session(event).run(event)
    return [membership.group_id for membership in house.seen.verified_memberships]


def members(house: House, room: str = "c1", account: str = "acme") -> list[PrincipalId]:
    """Return who belongs to a room now."""
    conversations = house.host.operator().conversations
    return [one.principal_id for one in conversations.members(conversations.add("chat", account, room))]


@pytest.mark.proves("session:membership:conversation-expires")
def test_speaking_in_a_room_is_evidence_for_a_day(house: House) -> None:
    """The context names the room; after twenty-four hours of silence it does not."""
    person = house.person("u1")
    event, run = house.run("u1", room="c1")
    run.search("x")
    (membership,) = house.seen.verified_memberships

    assert (membership.principal_id, membership.provider) == (person, "chat")
    assert membership.expires_at - membership.observed_at == timedelta(hours=24)
    house.clock.pass_by(timedelta(hours=24))
    run.search("x")
    assert house.seen.verified_memberships == ()
    assert event.occurred_at == membership.observed_at


@pytest.mark.proves("session:membership:conversation-expires", "case:REV-01")
def test_reading_extends_nothing(house: House) -> None:
    """Only another event does."""
    _, run = house.run("u1", room="c1")
    for _ in range(3):
        house.clock.pass_by(timedelta(hours=9))
        run.search("x")

    assert house.seen.verified_memberships == ()
    house.run("u1", room="c1")
    assert len(house.seen.verified_memberships) == 1


@pytest.mark.proves("session:membership:conversation-expires")
def test_where_the_roster_rules_speaking_proves_nothing(house: House) -> None:
    """Only who the operator names belongs, for as long as the operator says."""
    person = house.person("u1")
    alone = groups(house, "u1")
    conversations = house.host.operator().conversations
    room = conversations.add("chat", "strict", "c1")
    subject = house.agent.session(house.hear("u1", account="strict")).subject
    assert isinstance(subject, UserSubject)
    stranger = subject.principal_id
    conversations.add_member(room, stranger, timedelta(hours=1))
    named = groups(house, "u1")
    house.clock.pass_by(timedelta(hours=1))

    assert (alone, named, groups(house, "u1")) == ([], [room], [])
    assert person != stranger


@pytest.mark.proves("session:membership:conversation-expires")
def test_a_roster_entry_holds_thirty_days_unless_named(house: House) -> None:
    """The operator's word is evidence with an end as well."""
    person = house.person("u1")
    conversations = house.host.operator().conversations
    room = conversations.add("chat", "acme", "c1")
    conversations.add_member(room, person)
    (row,) = conversations.members(room)

    assert row.expires_at - row.observed_at == timedelta(days=30)
    with pytest.raises(InputError):
        conversations.add_member(room, person, timedelta(0))


def departing(house: House, person: str, **more: object) -> None:
    """Let in the news that somebody left the room."""
    stated = house.state("u9", "", room="c1", **more)  # pyright: ignore[reportArgumentType]
    house.admit(replace(stated, changes=(MembershipChange(kind=ChangeKind.LEFT, sender_id=person),)))


@pytest.mark.proves("case:REV-02", "session:membership:conversation-expires", "proof:step-6")
def test_whoever_leaves_is_out_at_once(house: House) -> None:
    """A run that began before has lost its evidence, and every cell learned a higher epoch."""
    person = house.person("u1")
    _, run = house.run("u1", room="c1")
    before = house.plugin.epochs[house.agent.agent_id]
    house.clock.pass_by(timedelta(minutes=1))
    departing(house, "u1")
    run.search("x")

    assert house.seen.verified_memberships == ()
    assert person not in members(house)
    assert house.plugin.epochs[house.agent.agent_id] == before + 1


@pytest.mark.proves("case:REV-02")
def test_an_older_event_does_not_revive_who_left(house: House) -> None:
    """Late news from before the departure changes nothing, nor does news of the same instant; a new one does."""
    person = house.person("u1")
    left_at = house.clock.now()
    departing(house, "u1")
    for moment in (left_at - timedelta(hours=1), left_at):
        house.hear("u1", room="c1", at=moment)
        assert person not in members(house)
    house.clock.pass_by(timedelta(minutes=1))
    house.hear("u1", room="c1")

    assert person in members(house)


@pytest.mark.proves("case:REV-02")
def test_an_event_from_the_future_outlives_no_departure(house: House) -> None:
    """What claims to occur later than now occurred now."""
    person = house.person("u1")
    event = house.hear("u1", room="c1", at=house.clock.now() + timedelta(days=300))
    house.clock.pass_by(timedelta(minutes=1))
    departing(house, "u1")

    assert event.occurred_at < house.clock.now()
    assert person not in members(house)


@pytest.mark.proves("case:REV-02")
def test_an_older_departure_does_not_shadow_a_later_one(house: House) -> None:
    """The latest departure stands, whatever the order of the news; a repeated one raises no epoch."""
    person = house.person("u1")
    house.run("u1", room="c1")
    house.clock.pass_by(timedelta(minutes=2))
    departing(house, "u1")
    epoch = house.plugin.epochs[house.agent.agent_id]
    departing(house, "u1", at=house.clock.now() - timedelta(minutes=1))
    departing(house, "u1")

    assert person not in members(house)
    assert house.plugin.epochs[house.agent.agent_id] == epoch


@pytest.mark.proves("case:REV-02")
def test_a_departure_counts_under_every_rule_and_for_every_binding(house: House) -> None:
    """A roster does not keep who left, nor does a revoked binding hide who it was."""
    person = house.person("u1")
    operator = house.host.operator()
    room = operator.conversations.add("chat", "acme", "c1")
    operator.conversations.add_member(room, person)
    operator.identities.revoke_binding(operator.identities.bindings(person)[0].binding_id)
    house.clock.pass_by(timedelta(minutes=1))
    departing(house, "u1")

    assert person not in members(house)


@pytest.mark.proves("case:REV-02", "identity:principal:merge-head")
def test_a_departure_outweighs_what_a_merged_person_was_seen_doing(house: House) -> None:
    """After a merge the person left, whichever of their ids was observed."""
    one, other = house.person("u1"), house.person("u2")
    house.run("u1", room="c1")
    operator = house.host.operator()
    operator.identities.merge(one, other, "the same")
    house.clock.pass_by(timedelta(minutes=1))
    departing(house, "u2")
    _, run = house.run("u1")
    run.search("x")

    assert house.seen.verified_memberships == ()
    house.clock.pass_by(timedelta(minutes=1))
    house.run("u2", room="c1")
    (membership,) = house.seen.verified_memberships
    assert membership.principal_id == other


@pytest.mark.proves("session:membership:conversation-expires")
def test_news_of_who_joined_counts_for_people_who_are_known(house: House) -> None:
    """A name that nobody is bound to joins nothing; a roster is not extended by news."""
    person = house.person("u1")
    stated = house.state("u9", "", room="c1")
    joined = tuple(MembershipChange(kind=ChangeKind.JOINED, sender_id=one) for one in ("u1", "u404"))
    house.admit(replace(stated, changes=joined))
    house.admit(replace(stated, changes=joined, account="strict"))

    assert person in members(house)
    assert len(members(house)) == 2
    assert members(house, account="strict") == []


@pytest.mark.proves("identity:unattributed:actor", "session:membership:conversation-expires")
def test_nobody_in_particular_becomes_no_member(house: House) -> None:
    """An event of a sender too weak to be anybody is evidence of nobody."""
    house.hear("u1", room="c1", claim=SenderClaim.MUTABLE)

    assert members(house) == []


@pytest.mark.proves("session:membership:conversation-expires")
def test_the_operator_names_members_and_owner(house: House) -> None:
    """Removing and renaming raise the epoch; a stranger, a room that is none and an account of nobody are errors."""
    person, other = house.person("u1"), house.person("u2")
    conversations = house.host.operator().conversations
    room = conversations.add("chat", "acme", "c1")
    conversations.name_owner(room, person)
    _, run = house.run("u1", room="c1")
    assert house.seen.conversation is not None
    owner = house.seen.conversation.owner_id
    before = house.plugin.epochs[house.agent.agent_id]
    conversations.name_owner(room, other)
    conversations.name_owner(room, other)
    conversations.add_member(room, person)
    house.clock.pass_by(timedelta(minutes=1))
    conversations.remove_member(room, person)
    conversations.name_owner(room, None)
    run.search("x")

    assert (owner, house.seen.conversation.owner_id) == (person, None)
    assert house.plugin.epochs[house.agent.agent_id] == before + 3
    assert [one.conversation_id for one in conversations.list()] == [room]
    assert conversations.list(after=room) == ()
    with pytest.raises(InputError):
        conversations.add("chat", "nobody", "c1")
    with pytest.raises(InputError):
        conversations.members(PrincipalId("cnv_none"))
    with pytest.raises(InputError):
        conversations.name_owner(room, PrincipalId("usr_none"))
