"""Who a sender is: evidence leads to a principal, or to nobody."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privity.backends.inmemory.host_identities import MemoryIdentities
from privity.backends.sqlite.host_identities import SqliteIdentities
from privity.host.keys import HostKeys, Purpose, joined
from privity.host.options import FirstContact, Mode
from privity.host.records import BindingMethod, HostAct, HostAuditRecord, PrincipalState
from privity.host.sessions import CONFLICTING, UNBOUND
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalActor, SenderStrength, UnattributedActor
from privity.model.reasons import Reason
from privity.model.subjects import UserSubject
from privity.sdk.errors import ConflictError, DeniedError, InputError, NonconformingError
from privity.sdk.identity import SenderClaim
from tests.host.house import Builder, House


@pytest.mark.proves("identity:first-contact", "identity:principal:opaque-id")
def test_a_verified_stranger_becomes_a_fresh_principal(house: House) -> None:
    """The id says nothing but its kind, and the same sender is the same principal ever after."""
    first, again, other = house.person("u1"), house.person("u1"), house.person("u2")

    assert first == again
    assert first != other
    assert first.startswith("usr_")
    assert "u1" not in first


@pytest.mark.proves("identity:first-contact")
def test_the_same_sender_of_another_account_is_somebody_else(builder: Builder) -> None:
    """A principal is bound to exactly one adapter, account and sender."""
    house = builder.build()
    _, here = house.session("u1")
    _, there = house.session("u1", account="strict")

    assert here.subject != there.subject


@pytest.mark.proves("identity:first-contact", "case:ID-16")
def test_where_linking_is_required_a_stranger_stays_nobody(builder: Builder) -> None:
    """First contact makes no principal, and the session is ambiguous."""
    house = builder.build(first_contact=FirstContact.REQUIRE_LINK)
    _, session = house.session("u1")

    assert session.subject == UNBOUND
    assert not [one for one in house.host.operator().identities.people() if one.kind == "usr"]


@pytest.mark.proves("identity:strength:order", "case:ID-16")
@pytest.mark.parametrize(
    ("claim", "minimum", "known"),
    [
        (SenderClaim.VERIFIED, SenderStrength.VERIFIED, True),
        (SenderClaim.ASSERTED, SenderStrength.ASSERTED, True),
        (SenderClaim.ASSERTED, SenderStrength.VERIFIED, False),
        (SenderClaim.UNVERIFIED, SenderStrength.ASSERTED, False),
        (SenderClaim.MUTABLE, SenderStrength.ASSERTED, False),
    ],
)
def test_private_memory_asks_for_strong_evidence(
    builder: Builder, claim: SenderClaim, minimum: SenderStrength, *, known: bool
) -> None:
    """A bound sender is a person only if this event establishes it strongly enough."""
    house = builder.build(minimum_strength=minimum)
    house.person("u1")
    _, session = house.session("u1", claim=claim)

    assert isinstance(session.subject, UserSubject) is known


@pytest.mark.proves("identity:first-contact", "identity:strength:order")
def test_only_a_verified_sender_is_introduced(house: House) -> None:
    """What an adapter merely asserts makes no principal."""
    _, session = house.session("u1", claim=SenderClaim.ASSERTED)

    assert session.subject == UNBOUND


@pytest.mark.proves("identity:strength:vouched")
@pytest.mark.parametrize("mode", [Mode.DEVELOPMENT, Mode.EVALUATION, Mode.PRODUCTION])
def test_a_vouched_sender_counts_outside_production_only(builder: Builder, mode: Mode) -> None:
    """The operator's word verifies nobody in a production home."""
    house = builder.build(mode=mode)
    _, session = house.session("u1", claim=SenderClaim.VOUCHED)

    assert isinstance(session.subject, UserSubject) is (mode is not Mode.PRODUCTION)


@pytest.mark.proves("identity:strength:vouched", "identity:binding:record")
def test_a_vouched_binding_says_so(house: House) -> None:
    """The record tells the operator's word from a transport's."""
    event, session = house.session("u1", claim=SenderClaim.VOUCHED)
    assert isinstance(session.subject, UserSubject)
    (binding,) = house.host.operator().identities.bindings(session.subject.principal_id)

    assert binding.method is BindingMethod.VOUCHED
    assert (binding.adapter, binding.account, binding.revoked_at) == (event.adapter, event.account, None)


@pytest.mark.proves("case:ID-16", "identity:unattributed:keeps-subject")
def test_a_sender_bound_twice_in_conflict_is_nobody(house: House) -> None:
    """Of two bindings that disagree neither counts, and no private session is made."""
    one, other = house.person("u1"), house.person("u2")
    mine = house.host.operator().identities.bindings(one)[0]
    house.stores.identities.add_binding(replace(mine, binding_id="bnd_x", principal_id=other))
    _, session = house.session("u1")

    assert session.subject == CONFLICTING


@pytest.mark.proves("case:ID-16")
def test_two_bindings_that_lead_to_one_merge_head_agree(house: House) -> None:
    """A conflict is about people, not about rows."""
    one, other = house.person("u1"), house.person("u2")
    mine = house.host.operator().identities.bindings(one)[0]
    house.stores.identities.add_binding(replace(mine, binding_id="bnd_x", principal_id=other))
    house.host.operator().identities.merge(one, other, "the same person")
    _, session = house.session("u1")

    assert isinstance(session.subject, UserSubject)
    assert session.subject.principal_id == one


@pytest.mark.proves("identity:binding:no-raw-ids")
def test_what_refers_to_nobody_is_not_guessed(house: House) -> None:
    """A binding without a principal is broken storage, not a person."""
    if not isinstance(house.stores.identities, MemoryIdentities):
        return  # the foreign key of the database forbids it
    one = house.person("u1")
    mine = house.host.operator().identities.bindings(one)[0]
    lost = replace(mine, binding_id="bnd_x", sender_key="key_x", principal_id=PrincipalId("usr_gone"))
    house.stores.identities.add_binding(lost)
    resolver = house.workings.resolver

    with pytest.raises(NonconformingError):
        resolver.find("key_x")


@pytest.mark.proves("case:ID-22", "identity:principal:labels-never-select")
def test_two_people_of_one_name_stay_two(house: House) -> None:
    """Both senders call themselves Sam; a name resolves nobody."""
    one, other = house.person("u1"), house.person("u2")
    identities = house.host.operator().identities

    assert one != other
    with pytest.raises(InputError):
        identities.known(PrincipalId("Sam"))
    with pytest.raises(InputError):
        identities.bind("chat", "acme", "u3", PrincipalId("Sam"))


@pytest.mark.proves("identity:binding:revocation", "case:REV-02")
def test_a_revoked_binding_leaves_its_sender_nobody(house: House) -> None:
    """The next event is nobody's, and no first contact brings the binding back."""
    person = house.person("u1")
    identities = house.host.operator().identities
    identities.revoke_binding(identities.bindings(person)[0].binding_id)
    _, session = house.session("u1")

    assert session.subject == UNBOUND
    assert identities.bindings(person)[0].revoked_at is not None


@pytest.mark.proves("identity:binding:revocation", "case:REV-02")
def test_a_revocation_stops_a_run_that_began_before(house: House) -> None:
    """A held run of a revoked sender is denied at its next operation, in private and in a room."""
    person = house.person("u1")
    _, private = house.run("u1")
    _, public = house.run("u1", room="c1")
    identities = house.host.operator().identities
    identities.revoke_binding(identities.bindings(person)[0].binding_id)

    for run in (private, public):
        with pytest.raises(DeniedError) as denied:
            run.search("anything")
        assert denied.value.reason is Reason.IDENTITY_REVOKED


@pytest.mark.proves("identity:binding:revocation", "case:REV-02")
def test_a_revoked_principal_is_nobody_everywhere(house: House) -> None:
    """Its bindings lead nowhere, its session is refused, and its service acts no more."""
    person = house.person("u1")
    event, session = house.session("u1")
    identities = house.host.operator().identities
    service = identities.add_service("nightly")
    nightly = house.agent.service_session(service)
    identities.revoke_principal(person)
    identities.revoke_principal(person)
    identities.revoke_principal(service)
    _, after = house.session("u1")

    assert after.subject == UNBOUND
    with pytest.raises(DeniedError):
        session.run(event)
    with pytest.raises(DeniedError) as denied:
        nightly.run(None)
    assert denied.value.reason is Reason.IDENTITY_REVOKED


@pytest.mark.proves("identity:binding:revocation")
def test_a_sender_bound_anew_does_not_enter_the_session_before(house: House) -> None:
    """Whoever takes over an account of a provider finds nothing of who had it."""
    old = house.person("u1")
    _, before = house.session("u1")
    identities = house.host.operator().identities
    identities.revoke_binding(identities.bindings(old)[0].binding_id)
    new = house.person("u2")
    identities.bind("chat", "acme", "u1", new)
    _, after = house.session("u1")

    assert isinstance(after.subject, UserSubject)
    assert after.subject.principal_id == new
    assert after.key != before.key


@pytest.mark.proves("identity:principal:merge-head", "identity:principal:merge-needs-proof")
def test_operations_follow_the_merge_head(house: House) -> None:
    """After a merge the context names the head and whom it took in; the subject stays as stamped."""
    one, other = house.person("u1"), house.person("u2")
    _, before = house.session("u1")
    identities = house.host.operator().identities
    identities.merge(one, other, "one person, two phones")
    event, session = house.session("u1")
    session.run(event).search("x")
    actor, verified = house.seen.actor, house.seen.verified_principals

    assert session.subject == before.subject
    assert isinstance(actor, PrincipalActor)
    assert actor.principal_id == other
    assert [(one.principal_id, one.merged_ids) for one in verified] == [(other, (one,))]


@pytest.mark.proves("identity:principal:merge-needs-proof")
def test_a_merge_takes_two_people_and_a_reason(house: House) -> None:
    """It is written down with the reason; a second one finds nothing to merge."""
    one, other = house.person("u1"), house.person("u2")
    identities = house.host.operator().identities
    for source, into, why in ((one, other, " "), (one, one, "why"), (one, other, "w" * 501)):
        with pytest.raises(InputError):
            identities.merge(source, into, why)
    identities.merge(one, other, "she showed both phones")
    with pytest.raises(InputError):
        identities.merge(one, other, "again")
    acts = [entry.record for entry in house.host.audit() if isinstance(entry.record, HostAuditRecord)]
    merges = [act for act in acts if act.act is HostAct.PRINCIPALS_MERGED]

    assert [(act.target_ids, act.justification) for act in merges] == [((one, other), "she showed both phones")]


def never(*_: object) -> bool:
    """Change nothing."""
    return False


@pytest.mark.proves("identity:principal:merge-needs-proof", "identity:principal:merge-head")
def test_of_two_merges_at_once_one_is_told(house: House) -> None:
    """Nobody is merged into two heads."""
    one, other = house.person("u1"), house.person("u2")
    identities = house.host.operator().identities
    withdrawals = type("Withdrawals", (), {"merge": never})()
    stores = type("Stores", (), {"identities": house.stores.identities, "withdrawals": withdrawals})()
    object.__setattr__(house.workings, "stores", stores)
    with pytest.raises(ConflictError):
        identities.merge(one, other, "the same")


@pytest.mark.proves("identity:principal:merge-head")
def test_chains_of_merges_have_one_head(house: House) -> None:
    """Whoever was merged before comes along, and a head is never merged into itself."""
    people = [house.person(f"u{number}") for number in range(4)]
    identities = house.host.operator().identities
    identities.merge(people[0], people[1], "why")
    identities.merge(people[1], people[2], "why")
    head = identities.known(people[0])

    assert head.principal.principal_id == people[2]
    assert head.merged_ids == tuple(sorted(people[:2]))
    assert not house.stores.withdrawals.merge(people[0], people[3])
    assert not house.stores.withdrawals.merge(people[3], people[3])
    assert not house.stores.withdrawals.merge(people[3], PrincipalId("usr_none"))


@pytest.mark.proves("identity:binding:record")
def test_a_bound_sender_is_not_bound_again(house: House) -> None:
    """The second binding is refused, the first stays, and only a live person can be bound."""
    one, other = house.person("u1"), house.person("u2")
    identities = house.host.operator().identities
    with pytest.raises(ConflictError):
        identities.bind("chat", "acme", "u1", other)
    service = identities.add_service("nightly")
    identities.revoke_principal(other)
    for nobody in (other, service):
        with pytest.raises(InputError):
            identities.bind("chat", "acme", "u9", nobody)

    assert house.person("u1") == one


@pytest.mark.proves("identity:principal:labels-never-select")
def test_a_local_name_is_taken_once(house: House) -> None:
    """The local adapter's sender is found by the name the operator gave; the label is for people."""
    identities = house.host.operator().identities
    alice = identities.add_local_person("alice")
    with pytest.raises(ConflictError):
        identities.add_local_person("alice")
    event = house.host.vouch("alice", "hello")
    subject = house.agent.session(event).subject
    live = [one for one in identities.people() if one.label == "alice" and identities.bindings(one.principal_id)]

    assert isinstance(subject, UserSubject)
    assert subject.principal_id == alice
    assert [one.principal_id for one in live] == [alice]
    assert live[0].state is PrincipalState.LIVE


@pytest.mark.proves("identity:unattributed:actor", "case:ID-20")
def test_nobody_in_particular_carries_a_reference_and_no_authority(house: House) -> None:
    """An unattributed event of a room has provenance, and not the provider's."""
    event = house.hear("u1", room="c1", claim=SenderClaim.MUTABLE)
    house.agent.session(event).run(event)
    actor = house.seen.actor

    assert isinstance(actor, UnattributedActor)
    assert house.seen.verified_principals == ()
    assert house.seen.verified_memberships == ()
    assert "u1" not in actor.transport_audit_ref


@pytest.mark.proves("identity:binding:revocation", "case:REV-02", "identity:unattributed:keeps-subject")
def test_to_be_revoked_gives_nothing_that_was_taken_before(house: House) -> None:
    """In a room a revoked or doubtful sender is no stranger who may look on; in private one is nobody."""
    one, other = house.person("u1"), house.person("u2")
    operator = house.host.operator()
    mine = operator.identities.bindings(one)[0]
    house.stores.identities.add_binding(replace(mine, binding_id="bnd_x", principal_id=other))
    event = house.hear("u1", room="c1")
    with pytest.raises(DeniedError) as conflicting:
        house.agent.session(event).run(event)
    for binding in ("bnd_x", mine.binding_id):
        operator.identities.revoke_binding(binding)
    with pytest.raises(DeniedError) as revoked:
        house.agent.session(event).run(event)
    private = house.hear("u1")
    house.agent.session(private).run(private)

    assert conflicting.value.reason is Reason.IDENTITY_REVOKED
    assert revoked.value.reason is Reason.IDENTITY_REVOKED


@pytest.mark.proves("identity:strength:order", "case:REV-02", "case:ID-20")
def test_weak_evidence_gives_nothing_that_was_taken_before(house: House) -> None:
    """Whoever may be a member who left looks on no more than that member; one who stayed, and a stranger, do."""
    house.person("u1")
    house.hear("u1", room="c1")
    weak = house.hear("u1", room="c1", claim=SenderClaim.MUTABLE)
    house.agent.session(weak).run(weak)
    house.clock.pass_by(timedelta(minutes=1))
    operator = house.host.operator()
    room = operator.conversations.add("chat", "acme", "c1")
    operator.conversations.remove_member(room, house.person("u1"))
    gone = house.hear("u1", room="c1", claim=SenderClaim.MUTABLE)
    with pytest.raises(DeniedError) as denied:
        house.agent.session(gone).run(gone)
    stranger = house.hear("u404", room="c1", claim=SenderClaim.MUTABLE)
    house.agent.session(stranger).run(stranger)

    assert denied.value.reason is Reason.MEMBERSHIP_STALE


IDS = st.one_of(
    st.sampled_from(["a", "a ", " a", "a:b", "a/b", "a%3Ab", "a\\", '{"id":"a"}', "A", "à", "à", "u1", "u10"]),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), min_size=1, max_size=8),
)


@pytest.mark.property
@pytest.mark.proves("case:ID-04", "identity:binding:keyed-lookup", "case:READ-16")
@given(one=st.tuples(IDS, IDS, IDS), other=st.tuples(IDS, IDS, IDS))
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_different_senders_have_different_keys(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """Prefixes, escapes, separators and spaces never make two tuples of ids one."""
    keys = HostKeys(bytes(32))

    assert (keys.digest(Purpose.SENDER, *one) == keys.digest(Purpose.SENDER, *other)) is (one == other)
    assert keys.digest(Purpose.SENDER, *one) != keys.digest(Purpose.CONVERSATION, *one)
    assert keys.digest(Purpose.SENDER, *one) != HostKeys(b"k" * 32).digest(Purpose.SENDER, *one)


@pytest.mark.property
@pytest.mark.proves("case:ID-04")
@given(parts=st.lists(IDS, max_size=4).map(tuple), others=st.lists(IDS, max_size=4).map(tuple))
def test_joined_parts_can_be_told_apart(parts: tuple[str, ...], others: tuple[str, ...]) -> None:
    """A length stands before each part, so that no part runs into the next."""
    assert (joined(parts) == joined(others)) is (parts == others)


@pytest.mark.proves("case:ID-04", "case:POL-13")
@pytest.mark.parametrize("pair", [("u1", "u10"), ("u1", "U1"), ("u1", "u1 "), ("u:1", "u%3A1"), ("a/b", "a\\/b")])
def test_ids_that_look_alike_share_no_session(house: House, pair: tuple[str, str]) -> None:
    """One person's session is never another one's, however alike their ids are."""
    for one, other in (pair, pair[::-1]):
        _, mine = house.session(one)
        _, theirs = house.session(other)
        assert mine.key != theirs.key
        assert mine.subject != theirs.subject


@pytest.mark.proves("identity:binding:no-raw-ids")
def test_no_identifier_of_a_provider_is_stored(house: House) -> None:
    """Neither sender nor conversation nor event id stands anywhere in what the host keeps."""
    canary = "raw-provider-id-7f3a"
    event = house.hear(canary, room=f"room-{canary}", event_id=f"event-{canary}")
    with house.agent.session(event).run(event) as run:
        run.remember("something")
    kept = everything(house)

    assert canary not in kept
    assert canary not in repr(house.host.audit())
    assert canary not in repr(house.plugin)


def everything(house: House) -> str:
    """Return all that the stores hold: the tables in memory, or the bytes of the database."""
    identities = house.stores.identities
    if isinstance(identities, MemoryIdentities):
        return repr(identities.memory)
    assert isinstance(identities, SqliteIdentities)
    files = sorted(identities.host.path.parent.glob("host.db*"))
    return repr([file.read_bytes() for file in files])
