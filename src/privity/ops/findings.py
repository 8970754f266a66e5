"""What a doctor finds: one line for each thing looked at, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    NOTICE = "notice"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at. `remedy` is empty where nothing needs doing."""

    topic: str
    severity: Severity
    text: str
    remedy: str


def fine(topic: str, text: str) -> Finding:
    """Return a finding that nothing needs doing about."""
    return Finding(topic=topic, severity=Severity.OK, text=text, remedy="")


def notice(topic: str, text: str, remedy: str) -> Finding:
    """Return a finding to look at when there is time."""
    return Finding(topic=topic, severity=Severity.NOTICE, text=text, remedy=remedy)


def problem(topic: str, text: str, remedy: str) -> Finding:
    """Return a finding that needs doing something about."""
    return Finding(topic=topic, severity=Severity.PROBLEM, text=text, remedy=remedy)
