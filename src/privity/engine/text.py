"""What text memory takes: any Unicode that can be stored exactly, within bounds, or an error."""

from typing import Final

from privity.sdk.errors import InputError

NOTE_BYTES: Final = 256 * 1024
CARD_CHARACTERS: Final = 4_000
CARD_ENTRIES: Final = 40
QUERY_CHARACTERS: Final = 4_096
EVENT_BYTES: Final = 1024 * 1024
LARGEST_LIMIT: Final = 50


def encode_text(text: str, *, where: str, most: int) -> bytes:
    """Return `text` in UTF-8.

    Raises:
        InputError: it is empty, too long, or holds what cannot be stored exactly.
    """
    if not text.strip():
        raise InputError("the text is empty", where=where, remedy="give it some text")
    if "\x00" in text:
        raise InputError("the text holds a NUL character", where=where, remedy="remove it")
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the text holds a lone surrogate at character {error.start}",
            where=where,
            remedy="send valid Unicode",
        ) from error
    if len(encoded) > most:
        raise InputError(
            f"the text has {len(encoded)} bytes, at most {most} fit",
            where=where,
            remedy="split it into several",
        )
    return encoded


def parse_query(query: str) -> str:
    """Return `query` if it can be searched for.

    Raises:
        InputError: as for text, with the bound of queries.
    """
    if len(query) > QUERY_CHARACTERS:
        raise InputError(
            f"the query has {len(query)} characters, at most {QUERY_CHARACTERS} fit",
            where="query",
            remedy="ask for less at once",
        )
    encode_text(query, where="query", most=QUERY_CHARACTERS * 4)
    return query


def parse_limit(limit: object) -> int:
    """Return `limit` if it is a sensible number of passages.

    Raises:
        InputError: it is no whole number from 1 to 50.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LARGEST_LIMIT:
        raise InputError(
            f"the limit is `{str(limit)[:20]}`",
            where="limit",
            remedy=f"use a whole number from 1 to {LARGEST_LIMIT}",
        )
    return limit
