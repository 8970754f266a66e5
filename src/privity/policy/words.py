"""Whether a value is really a word of a closed set, whatever its annotation promised."""

from enum import StrEnum


def is_word_of(words: type[StrEnum], value: object) -> bool:
    """The value is a member of `words`, not merely a string that looks like one."""
    return isinstance(value, words)
