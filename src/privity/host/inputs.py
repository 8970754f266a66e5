"""Parse what comes from outside: text, queries, limits and names, or say what is wrong with them."""

from datetime import UTC, datetime, timedelta
from typing import Final

from privity.sdk.errors import InputError

MAX_TEXT_BYTES: Final = 256 * 1024
MAX_QUERY_CHARACTERS: Final = 4_096
MAX_IDENTIFIER_CHARACTERS: Final = 512
MAX_NAME_CHARACTERS: Final = 128
MAX_LIMIT: Final = 50
MAX_ABOUT: Final = 32
MAX_PAGE: Final = 1_000
MAX_LIFETIME_DAYS: Final = 36_500
SHORTEST_LIFETIME: Final = timedelta(seconds=1)
LAST_ROW: Final = 2**63 - 1
"""No row has a higher number."""

WILDCARDS: Final = frozenset({"*", "%", "?"})


def parse_text(value: str, *, where: str) -> str:
    """Return `value` as text that can be stored exactly.

    Raises:
        InputError: it is empty, too long, or holds what no encoding can carry.
    """
    text = parse_characters(value, where=where)
    if not text.strip():
        raise InputError("is empty", where=where, remedy="pass some text")
    return text


def parse_characters(value: str, *, where: str) -> str:
    """Return `value`, which may be empty, as text that can be stored exactly.

    Raises:
        InputError: it is too long, holds a NUL, or a surrogate without its other half.
    """
    if type(value) is not str:
        raise InputError(f"is `{type(value).__name__}`", where=where, remedy="pass a str")
    if len(value) > MAX_TEXT_BYTES:
        raise InputError("is too long", where=where, remedy=f"keep it under {MAX_TEXT_BYTES} bytes")
    if "\x00" in value:
        raise InputError("holds a NUL character", where=where, remedy="remove it")
    if len(encoded(value, where=where)) > MAX_TEXT_BYTES:
        raise InputError("is too long", where=where, remedy=f"keep it under {MAX_TEXT_BYTES} bytes")
    return value


def encoded(value: str, *, where: str) -> bytes:
    """Return `value` in UTF-8.

    Raises:
        InputError: it holds a lone surrogate.
    """
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError("is not valid Unicode", where=where, remedy="remove lone surrogates") from error


def parse_query(value: str) -> str:
    """Return a query that may be looked up.

    Raises:
        InputError: it is empty, over 4,096 characters, or no text.
    """
    query = parse_text(value, where="query")
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InputError("is too long", where="query", remedy=f"keep it under {MAX_QUERY_CHARACTERS} characters")
    return query


def parse_limit(value: int) -> int:
    """Return a page length from 1 to 50.

    Raises:
        InputError: it is anything else.
    """
    return parse_number(value, 1, MAX_LIMIT, where="limit")


def parse_page(value: int) -> int:
    """Return the page length of an administrator's list, from 1 to 1,000.

    Raises:
        InputError: it is anything else.
    """
    return parse_number(value, 1, MAX_PAGE, where="limit")


def parse_position(value: int) -> int:
    """Return the number of a row, 0 for none.

    Raises:
        InputError: no row can have this number.
    """
    return parse_number(value, 0, LAST_ROW, where="after")


def parse_number(value: int, least: int, most: int, *, where: str) -> int:
    """Return a whole number within its bounds.

    Raises:
        InputError: it is none.
    """
    if type(value) is not int or not least <= value <= most:
        raise InputError("is out of range", where=where, remedy=f"pass a whole number from {least} to {most}")
    return value


def parse_moment(value: datetime, *, where: str) -> datetime:
    """Return a time in UTC.

    Raises:
        InputError: it has no zone, or lies outside the years that there are in UTC.
    """
    if value.tzinfo is None:
        raise InputError("has no time zone", where=where, remedy="state it in UTC")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InputError("is no time", where=where, remedy="state it in UTC") from error


def parse_lifetime(lifetime: timedelta | None) -> timedelta | None:
    """Return a lifetime from a second to a hundred years; `None` is for good.

    Raises:
        InputError: it is as good as over before it begins, or ends on no day that there is.
    """
    if lifetime is not None and lifetime < SHORTEST_LIFETIME:
        raise InputError("is under a second", where="lifetime", remedy="pass a longer one")
    if lifetime is not None and lifetime > timedelta(days=MAX_LIFETIME_DAYS):
        raise InputError("is too long", where="lifetime", remedy=f"pass at most {MAX_LIFETIME_DAYS} days, or none")
    return lifetime


def parse_identifier(value: str, *, where: str) -> str:
    """Return a provider's identifier, exactly as it is.

    Raises:
        InputError: it is blank, a wildcard, too long, or no text: nobody is everybody.
    """
    identifier = parse_text(value, where=where)
    if identifier.strip() in WILDCARDS:
        raise InputError("is a wildcard", where=where, remedy="pass the provider's stable identifier")
    if len(identifier) > MAX_IDENTIFIER_CHARACTERS:
        raise InputError("is too long", where=where, remedy=f"keep it under {MAX_IDENTIFIER_CHARACTERS} characters")
    return identifier


def parse_name(value: str, *, where: str) -> str:
    """Return a name that people read: printable, on one line, without spaces around it.

    Raises:
        InputError: it is blank, too long or unprintable.
    """
    name = parse_text(value, where=where)
    if len(name) > MAX_NAME_CHARACTERS or not name.isprintable() or name != name.strip():
        raise InputError("is no name", where=where, remedy=f"use up to {MAX_NAME_CHARACTERS} printable characters")
    return name
