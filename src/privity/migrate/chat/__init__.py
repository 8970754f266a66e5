"""Published chats in the formats they come in, parsed whole before any of them is used."""

from collections.abc import Iterator
from pathlib import Path

from privity.migrate.chat.everos import everos_conversations
from privity.migrate.chat.gatemem import gatemem_conversations
from privity.migrate.chat.locomo import locomo_conversations
from privity.migrate.conversation import Conversation
from privity.migrate.formats import ChatFormat
from privity.sdk.errors import InputError

__all__ = ["ChatFormat", "conversations"]


def conversations(path: Path, chat_format: ChatFormat, *, rooms: Path | None) -> Iterator[Conversation]:
    """Yield the conversations of a file one by one.

    Raises:
        InputError: the file is malformed; it says where and what to do.
    """
    if rooms is not None and chat_format is not ChatFormat.GATEMEM:
        raise InputError("only `gatemem` has rooms files", where="--rooms", remedy="leave it out")
    match chat_format:
        case ChatFormat.LOCOMO:
            yield from locomo_conversations(path)
        case ChatFormat.EVEROS:
            yield from everos_conversations(path)
        case ChatFormat.GATEMEM:
            yield from gatemem_conversations(path, rooms)
