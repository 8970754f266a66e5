"""Parse what comes from outside: text, queries, limits and names, or say what is wrong with them."""

from typing import Final

from privity.sdk.errors import InputError

MAX_TEXT_BYTES: Final = 256 * 1024
MAX_QUERY_CHARACTERS: Final = 4_096
MAX_IDENTIFIER_CHARACTERS: Final = 512
MAX_NAME_CHARACTERS: Final = 128
MAX_LIMIT: Final = 50
MAX_ABOUT: Final = 32
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
    if type(value) is not int or not 1 <= value <= MAX_LIMIT:
        raise InputError("is out of range", where="limit", remedy=f"pass a whole number from 1 to {MAX_LIMIT}")
    return value


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
