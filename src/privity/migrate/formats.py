"""The formats of chat files, by their names."""

from enum import StrEnum


class ChatFormat(StrEnum):
    """The formats of chat files."""

    LOCOMO = "locomo"
    EVEROS = "everos"
    GATEMEM = "gatemem"
