"""The JSON body that the webhook and the local adapter share.

    {
      "sender": {"id": "U1", "label": "Alice"},
      "conversation": {"kind": "group", "id": "C1"},
      "text": "When is stand-up?",
      "mentions": ["U2"],
      "changes": [{"kind": "left", "id": "U3"}],
      "occurred_at": "2026-03-02T09:00:00+00:00"
    }

`sender.id` and `conversation.kind` are required; `conversation.kind` is `direct`, `group` or
`shared-main`, and any other word counts as unknown, which has no private memory.
`conversation.id` is required unless the kind is `direct`. `text` may be missing where
`changes` are not; an event without words, `"text": ""`, begins runs and leaves no message.
An unknown field is an error.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from privity.sdk.errors import InputError
from privity.sdk.identity import (
    AdmittedEvent,
    ChangeKind,
    ConversationEvidence,
    ConversationKind,
    MembershipChange,
    SenderClaim,
    SenderEvidence,
)

Object = Mapping[str, object]

KNOWN: Final = frozenset({"sender", "conversation", "text", "mentions", "changes", "occurred_at"})
OMIT: Final = "leave it out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """What an adapter knows of an event besides its body."""

    adapter: str
    account: str
    event_id: str
    claim: SenderClaim


def parse_document(body: bytes, fields: Fields, now: datetime) -> AdmittedEvent:
    """Return the event that `body` describes.

    Raises:
        InputError: the body is not such a document.
    """
    document = known_fields(parse_json(body), KNOWN, "body")
    sender = known_fields(required(document, "sender", "body"), frozenset({"id", "label"}), "sender")
    place = known_fields(required(document, "conversation", "body"), frozenset({"kind", "id"}), "conversation")
    changes = tuple(parse_change(one) for one in listed(document, "changes"))
    if "text" not in document and not changes:
        raise InputError("is missing", where="body field `text`", remedy="send it, or a membership change")
    return AdmittedEvent(
        adapter=fields.adapter,
        account=fields.account,
        event_id=fields.event_id,
        sender=SenderEvidence(
            sender_id=string(sender, "id", "sender"), claim=fields.claim, label=string(sender, "label", "sender")
        ),
        conversation=ConversationEvidence(
            kind=conversation_kind(string(place, "kind", "conversation")),
            conversation_id=string(place, "id", "conversation"),
        ),
        mentions=tuple(parse_mention(one) for one in listed(document, "mentions")),
        changes=changes,
        text=string(document, "text", "body"),
        occurred_at=moment(document, now),
    )


def parse_json(body: bytes) -> object:
    """Return what the body holds, each name once.

    Raises:
        InputError: it is not JSON in UTF-8.
    """
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=once, parse_constant=no_constant)
    except RecursionError as error:
        raise InputError("is nested too deeply", where="body", remedy="send one flat JSON object") from error
    except ValueError as error:
        raise InputError("is not JSON in UTF-8", where="body", remedy="send one JSON object") from error


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object whose names are all different: of two values nobody can say which was meant.

    Raises:
        InputError: one stands twice.
    """
    made = dict(pairs)
    if len(made) != len(pairs):
        raise InputError("names a field twice", where="body", remedy="send each field once")
    return made


def no_constant(name: str) -> object:
    """Refuse numbers that are none."""
    raise ValueError(name)


def known_fields(value: object, known: frozenset[str], where: str) -> Object:
    """Return an object that has only fields of `known`."""
    if not isinstance(value, dict):
        raise InputError("is not an object", where=where, remedy="send a JSON object")
    made = cast("dict[str, object]", value)
    unknown = sorted(made.keys() - known)
    if unknown:
        raise InputError(f"is unknown: `{unknown[0][:64]!a}`", where=f"{where} field", remedy=OMIT)
    return made


def required(document: Object, name: str, where: str) -> object:
    """Return a field that must be there."""
    if name not in document:
        raise InputError("is missing", where=f"{where} field `{name}`", remedy="send it")
    return document[name]


def string(document: Object, name: str, where: str) -> str:
    """Return a field of text, empty where it is missing."""
    value = document.get(name, "")
    if not isinstance(value, str):
        raise InputError("is not a string", where=f"{where} field `{name}`", remedy="send a string")
    return value


def listed(document: Object, name: str) -> list[object]:
    """Return a field that is a list, empty where it is missing."""
    value = document.get(name, [])
    if not isinstance(value, list):
        raise InputError("is not a list", where=name, remedy="send a list")
    return cast("list[object]", value)


def parse_mention(value: object) -> str:
    """Return the identifier of somebody mentioned."""
    if not isinstance(value, str):
        raise InputError("holds something else than strings", where="mentions", remedy="send identifiers")
    return value


def parse_change(value: object) -> MembershipChange:
    """Return a membership change."""
    change = known_fields(value, frozenset({"kind", "id"}), "changes")
    kind = string(change, "kind", "changes")
    if kind not in set(ChangeKind):
        raise InputError("is neither `joined` nor `left`", where="changes field `kind`", remedy="send one of them")
    return MembershipChange(kind=ChangeKind(kind), sender_id=string(change, "id", "changes"))


def conversation_kind(word: str) -> ConversationKind:
    """Return the form of a conversation; a word we do not know is no guess."""
    return ConversationKind(word) if word in set(ConversationKind) else ConversationKind.UNKNOWN


def moment(document: Object, now: datetime) -> datetime:
    """Return when the event occurred: as stated, or now."""
    stated = string(document, "occurred_at", "body")
    if not stated:
        return now
    try:
        parsed = datetime.fromisoformat(stated)
    except ValueError as error:
        raise InputError("is no time", where="occurred_at", remedy="send ISO 8601 with a zone") from error
    if parsed.tzinfo is None:
        raise InputError("has no zone", where="occurred_at", remedy="send ISO 8601 with a zone")
    return parsed
