"""Commands about principals, rooms, rights and sessions. None of them reaches content."""

from datetime import timedelta
from typing import Final

from privity.cli.output import Answer, visible
from privity.cli.work.homes import Place, agent_of, open_host
from privity.host.agent import Agent
from privity.host.identities import LOCAL
from privity.host.records import BindingRecord, PrincipalRecord
from privity.model.ids import PrincipalId
from privity.model.operations import Operation
from privity.ops.people import add_person, is_name, list_everybody, load_anybody, load_person

BINDING: Final = "bnd_"


def add_identity(place: Place, name: str, *, service: bool) -> Answer:
    """Make a person whom the local adapter knows, or a service."""
    with open_host(place) as host:
        identities = host.operator().identities
        principal_id = identities.add_service(name) if service else add_person(identities, name)
    return Answer(
        fields={"principal_id": principal_id, "name": name}, lines=(f"added {visible(name)} as {principal_id}",)
    )


def list_identities(place: Place) -> Answer:
    """Return every principal of the home with its bindings."""
    with open_host(place) as host:
        identities = host.operator().identities
        listed = [(one, identities.bindings(one.principal_id)) for one in list_everybody(identities)]
    lines = tuple(identity_line(record, bindings) for record, bindings in listed)
    return Answer(fields={"identities": [identity_fields(one, bindings) for one, bindings in listed]}, lines=lines)


def identity_line(record: PrincipalRecord, bindings: tuple[BindingRecord, ...]) -> str:
    """Return one principal for a person."""
    live = sum(1 for binding in bindings if binding.revoked_at is None)
    merged = f"  merged into {record.merged_into}" if record.merged_into else ""
    return f"{record.principal_id:<38}  {record.state:<7}  {live:>2} bound  {visible(record.label)}{merged}"


def identity_fields(record: PrincipalRecord, bindings: tuple[BindingRecord, ...]) -> dict[str, object]:
    """Return one principal for a program. What a sender is called by its provider is kept nowhere."""
    return {
        "principal_id": record.principal_id,
        "kind": record.kind,
        "label": record.label,
        "state": record.state,
        "merged_into": record.merged_into,
        "created_at": record.created_at.isoformat(),
        "bindings": [binding_fields(binding) for binding in bindings],
    }


def binding_fields(binding: BindingRecord) -> dict[str, object]:
    """Return one binding for a program."""
    return {
        "binding_id": binding.binding_id,
        "adapter": binding.adapter,
        "account": binding.account,
        "method": binding.method,
        "assurance": binding.assurance,
        "revoked_at": None if binding.revoked_at is None else binding.revoked_at.isoformat(),
    }


def bind_identity(place: Place, who: str, adapter: str, account: str, sender: str) -> Answer:
    """Tie a sender of an account to a person."""
    with open_host(place) as host:
        identities = host.operator().identities
        binding_id = identities.bind(adapter, account, sender, load_person(identities, who).principal_id)
    return Answer(fields={"binding_id": binding_id}, lines=(f"bound as {binding_id}",))


def merge_identities(place: Place, who: str, into: str, reason: str) -> Answer:
    """Make one person the merge head of another, for a reason."""
    with open_host(place) as host:
        identities = host.operator().identities
        one, head = load_person(identities, who), load_person(identities, into)
        identities.merge(one.principal_id, head.principal_id, reason)
    return Answer(
        fields={"principal_id": one.principal_id, "merged_into": head.principal_id},
        lines=(f"{one.principal_id} is {head.principal_id} from now on",),
    )


def revoke_identity(place: Place, who: str) -> Answer:
    """Withdraw a binding by its id, or a principal with whoever was merged into it."""
    with open_host(place) as host:
        identities = host.operator().identities
        if who.startswith(BINDING) and not is_name(identities, who):
            identities.revoke_binding(who)
            return Answer(fields={"binding_id": who}, lines=(f"revoked {who}",))
        principal_id = load_anybody(identities, who).principal_id
        identities.revoke_principal(principal_id)
    return Answer(fields={"principal_id": principal_id}, lines=(f"revoked {principal_id}",))


def join_room(place: Place, room: str, who: list[str]) -> Answer:
    """State that people belong to a room of the local adapter."""
    with open_host(place) as host:
        operator = host.operator()
        people = [load_person(operator.identities, one).principal_id for one in who]
        conversation_id = operator.conversations.add(*LOCAL, room)
        for person in people:
            operator.conversations.add_member(conversation_id, person)
    return Answer(
        fields={"conversation_id": conversation_id, "members": people},
        lines=(f"{', '.join(map(visible, who))} in `{visible(room)}` ({conversation_id})",),
    )


def leave_room(place: Place, room: str, who: str) -> Answer:
    """End somebody's membership of a room."""
    with open_host(place) as host:
        operator = host.operator()
        person = load_person(operator.identities, who).principal_id
        conversation_id = operator.conversations.find(*LOCAL, room)
        operator.conversations.remove_member(conversation_id, person)
    return Answer(
        fields={"conversation_id": conversation_id, "principal_id": person},
        lines=(f"{visible(who)} left `{visible(room)}`",),
    )


def own_room(place: Place, room: str, who: str) -> Answer:
    """Name who owns a room: its owner writes its front card."""
    with open_host(place) as host:
        operator = host.operator()
        person = load_person(operator.identities, who).principal_id
        conversation_id = operator.conversations.find(*LOCAL, room)
        operator.conversations.name_owner(conversation_id, person)
    return Answer(
        fields={"conversation_id": conversation_id, "owner_id": person},
        lines=(f"{visible(who)} owns `{visible(room)}`",),
    )


def allow(place: Place, who: str, capability: Operation, lifetime: timedelta | None) -> Answer:
    """Grant a capability over what an agent shares with everybody to one principal."""
    with open_host(place) as host:
        agent, operator = agent_of(host, place.agent), host.operator()
        person = load_anybody(operator.identities, who).principal_id
        revision = operator.grant(agent, capability, person, lifetime)
    return granted(agent, person, capability, revision, f"{visible(who)} may {capability} for {agent.name}")


def revoke(place: Place, who: str, capability: Operation) -> Answer:
    """Take a granted capability back."""
    with open_host(place) as host:
        agent, operator = agent_of(host, place.agent), host.operator()
        person = load_anybody(operator.identities, who).principal_id
        revision = operator.revoke(agent, capability, person)
    return granted(agent, person, capability, revision, f"{visible(who)} may not {capability} for {agent.name}")


def deny(place: Place, who: str | None, capability: Operation, lifetime: timedelta | None) -> Answer:
    """Deny a capability over what an agent shares to one principal, or to everybody."""
    with open_host(place) as host:
        agent, operator = agent_of(host, place.agent), host.operator()
        person = None if who is None else load_anybody(operator.identities, who).principal_id
        revision = operator.deny(agent, capability, person, lifetime)
    return granted(agent, person, capability, revision, f"{whom(who)} may not {capability} for {agent.name}")


def lift(place: Place, who: str | None, capability: Operation) -> Answer:
    """Take a denial back."""
    with open_host(place) as host:
        agent, operator = agent_of(host, place.agent), host.operator()
        person = None if who is None else load_anybody(operator.identities, who).principal_id
        revision = operator.lift(agent, capability, person)
    return granted(agent, person, capability, revision, f"{whom(who)}: the denial of {capability} is lifted")


def whom(who: str | None) -> str:
    """Return the name of somebody, or of everybody."""
    return "everybody" if who is None else visible(who)


def granted(agent: Agent, person: PrincipalId | None, capability: Operation, revision: int, line: str) -> Answer:
    """Return the answer of a changed rule."""
    fields = {
        "agent": agent.name,
        "principal_id": person,
        "capability": capability,
        "authority_revision": revision,
    }
    return Answer(fields=fields, lines=(line,))
