"""The people and groups of a conversation, as principals and conversations of a home."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from privity.host.host import Host
from privity.host.identities import LOCAL, Identities
from privity.host.records import PrincipalRecord
from privity.migrate.conversation import Conversation, RoomKind, SpeakerKind
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalKind

LONGEST: Final = 100
PAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who is who: by the file's ids, the name the local adapter knows and the principal."""

    names: Mapping[str, str]
    principals: Mapping[str, PrincipalId]
    room_names: Mapping[str, str]
    groups: Mapping[str, PrincipalId]


def cast_of(host: Host, conversation: Conversation) -> Cast:
    """Return the people and groups of a conversation, each made if it is new.

    People of different conversations are different people, whatever they are called.
    """
    operator = host.operator()
    humans = [one.sender_id for one in conversation.people.values() if one.kind is SpeakerKind.HUMAN]
    names = {sender_id: local_name(conversation, sender_id) for sender_id in humans}
    groups = [room.room_id for room in conversation.rooms.values() if room.kind is RoomKind.GROUP]
    room_names = {room_id: local_name(conversation, room_id) for room_id in groups}
    return Cast(
        names=names,
        principals=people(operator.identities, names),
        room_names=room_names,
        groups={room_id: operator.conversations.add(*LOCAL, name) for room_id, name in room_names.items()},
    )


def people(identities: Identities, names: Mapping[str, str]) -> Mapping[str, PrincipalId]:
    """Return the principals that the local adapter knows by these names, each made if it is new."""
    known = {record.label: record.principal_id for record in everybody(identities)}
    return {
        sender_id: bound(identities, known[name], name) if name in known else identities.add_local_person(name)
        for sender_id, name in names.items()
    }


def bound(identities: Identities, principal_id: PrincipalId, name: str) -> PrincipalId:
    """Return a principal that the local adapter knows by `name`, tied to it if that was left undone."""
    if not identities.bindings(principal_id):
        identities.bind(*LOCAL, name, principal_id)
    return principal_id


def everybody(identities: Identities) -> tuple[PrincipalRecord, ...]:
    """Return every person of the home."""
    found: list[PrincipalRecord] = []
    page = identities.people(limit=PAGE)
    while page:
        found.extend(record for record in page if record.kind is PrincipalKind.USER)
        page = identities.people(after=page[-1].principal_id, limit=PAGE)
    return tuple(found)


def local_name(conversation: Conversation, name: str) -> str:
    """Return what the local adapter knows a person or a room of a conversation by."""
    whole = f"{conversation.conversation_id}/{name}"
    printable = "".join(letter if letter.isprintable() else "_" for letter in whole).strip()
    if len(printable) <= LONGEST and printable == whole:
        return whole
    return f"{printable[:LONGEST]}~{sha256(whole.encode()).hexdigest()[:12]}"
