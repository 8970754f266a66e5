"""Small chats in each format, as JSON values that a test may bend."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Final

from privity.migrate.chat import ChatFormat, conversations
from privity.migrate.conversation import Conversation

LOCOMO: Final[Mapping[str, object]] = {
    "sample_id": "conv-1",
    "qa": [],
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_10_date_time": "1:14 pm on 25 May, 2023",
        "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Later."}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Ada", "dia_id": "D2:1", "text": "Hello."},
            {"speaker": "Bo", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a red kite"},
        ],
        "session_11_date_time": "1:00 pm on 1 June, 2023",
    },
}
EVEROS: Final[Mapping[str, object]] = {
    "version": "1.0.0",
    "session_meta": {
        "name": "Pair",
        "user_details": {
            "u1": {"full_name": "Ada", "role": "user"},
            "a1": {"full_name": "Helper", "role": "assistant"},
        },
    },
    "conversation_list": [
        {"message_id": "m2", "create_time": "2025-02-01T02:01:00Z", "sender": "a1", "content": "Hi."},
        {"message_id": "m1", "create_time": "2025-02-01T02:00:00Z", "sender": "u1", "content": "你好"},
        {"message_id": "m2", "create_time": "2025-02-01T02:02:00Z", "sender": "u1", "content": "Again."},
    ],
}
GATEMEM: Final[Mapping[str, object]] = {
    "episode_id": "e1",
    "domain": "household",
    "entities": {
        "principals": [
            {"principal_id": "ada", "role": "resident", "display_name": "Ada"},
            {"principal_id": "bo", "role": "guest", "display_name": "Bo"},
            {"principal_id": "hub", "role": "agent", "display_name": "Hub"},
        ]
    },
    "turns": [
        {
            "turn_id": "t001",
            "timestamp": "2026-03-03T08:00",
            "speaker": {"principal_id": "ada"},
            "text": "The code is 1.",
        },
        {"turn_id": "t002", "timestamp": "2026-03-03T08:01", "speaker": {"principal_id": "hub"}, "text": "Noted."},
        {"turn_id": "t003", "speaker": {"principal_id": "bo"}, "text": "Hello."},
        {"turn_id": "t004", "speaker": {"principal_id": "ada"}, "text": "Forget the code."},
    ],
}
ROOMS: Final[Mapping[str, object]] = {
    "episode_id": "e1",
    "rooms": [
        {
            "id": "all",
            "kind": "group",
            "members": [
                {"principal": "ada", "from": "t001", "until": None},
                {"principal": "bo", "from": "t002", "until": "t004"},
            ],
        },
        {"id": "own", "kind": "dm", "members": [{"principal": "ada", "from": "t001", "until": None}]},
    ],
    "turns": {"t001": "own", "t002": "own", "t003": "all", "t004": "all"},
    "deletes": [{"by": "t004", "targets": ["t001", "t004"]}],
}
SAMPLES: Final[Mapping[ChatFormat, Mapping[str, object]]] = {
    ChatFormat.LOCOMO: LOCOMO,
    ChatFormat.EVEROS: EVEROS,
    ChatFormat.GATEMEM: GATEMEM,
}


def bent(value: object, path: Sequence[str | int], replacement: object) -> object:
    """Return a copy of `value` with another value at `path`."""
    copy = deepcopy(value)
    at: object = copy
    for step in path[:-1]:
        at = at[step]  # type: ignore[index] # a test knows its sample
    at[path[-1]] = replacement  # type: ignore[index] # a test knows its sample
    return copy


def lacking(value: object, path: Sequence[str | int]) -> object:
    """Return a copy of `value` without the field at `path`."""
    copy = deepcopy(value)
    at: object = copy
    for step in path[:-1]:
        at = at[step]  # type: ignore[index] # a test knows its sample
    del at[path[-1]]  # type: ignore[attr-defined] # a test knows its sample
    return copy


def written(folder: Path, name: str, value: object) -> Path:
    """Write a value as a JSON file."""
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def written_lines(folder: Path, name: str, records: Sequence[object]) -> Path:
    """Write records as a file that holds one in each line."""
    path = folder / name
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def parsed(path: Path, chat_format: ChatFormat, rooms: Path | None = None) -> list[Conversation]:
    """Return the conversations of a file."""
    return list(conversations(path, chat_format, rooms=rooms))
