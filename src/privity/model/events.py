"""Transcript events as the host states them; the engine labels them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from privity.model.audiences import Audience
from privity.model.ids import EventId, PolicySetId, RunExposureRevision


class EventKind(StrEnum):
    """What a transcript event is."""

    MESSAGE = "message"
    REPLY = "reply"
    TOOL_RESULT = "tool-result"
    SUMMARY = "summary"
    CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEvent:
    """One event of a session, before it has a label.

    `delivery_audiences` is where it went or is about to go. The actor, the session and its
    revisions come from the context it is appended under, never from here.
    """

    event_id: EventId
    kind: EventKind
    text: str
    occurred_at: datetime
    delivery_audiences: tuple[Audience, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventReceipt:
    """That an event and its label were committed together; `sequence` counts within the session."""

    event_id: EventId
    sequence: int
    policy_set_id: PolicySetId
    run_exposure_revision: RunExposureRevision
