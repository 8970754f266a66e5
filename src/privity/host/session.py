"""A session: one route of an agent, its subject stamped once, and the window it has now."""

from privity.host.events import Admission, VerifiedEvent
from privity.host.own import own_turn
from privity.host.records import HostAct, MappedSession, SessionStanding, Succession
from privity.host.run import Run
from privity.host.turns import Acting, Turn
from privity.host.windows import inherit
from privity.host.workings import Workings
from privity.model.context import Visibility
from privity.model.events import EventKind, TranscriptEvent
from privity.model.ids import SessionId, SessionKey, SubjectRevision
from privity.model.reasons import Reason
from privity.model.subjects import SessionSubject
from privity.sdk.errors import DeniedError
from privity.sdk.strict import strict


@strict
class Session:
    """One window of one session. When the session moves on to another window, this one is over."""

    def __init__(self, workings: Workings, mapped: MappedSession) -> None:
        self._workings = workings
        self._mapped = mapped

    @property
    def key(self) -> SessionKey:
        """The opaque name of the route."""
        return self._mapped.record.session_key

    @property
    def session_id(self) -> SessionId:
        """The window."""
        return self._mapped.window.session_id

    @property
    def subject(self) -> SessionSubject:
        """Whose view the session has."""
        return self._mapped.record.subject

    @property
    def subject_revision(self) -> SubjectRevision:
        """The revision of the subject, copied to every successor."""
        return self._mapped.record.subject_revision

    @property
    def visibility(self) -> Visibility:
        """Whether the session may leave durable traces."""
        return self._mapped.record.visibility

    @property
    def standing(self) -> SessionStanding:
        """Whether the session has a memory view at all."""
        return self._mapped.record.standing

    def run(self, event: VerifiedEvent | None) -> Run:
        """Begin one turn, caused by `event`, or by nobody in a session that acts for itself.

        Raises:
            DeniedError: the event is not one of this session's route, or the session moved on.
        """
        mapped = settled(self._workings, self._mapped)
        if event is None:
            return self._begin(own_turn(self._workings, mapped), None)
        admission = self._workings.events.admission(event)
        if not self._workings.sessions.answers(mapped, admission):
            raise self._refusal()
        return self._begin(event_turn(self._workings, mapped, admission), event)

    def reset(self) -> "Session":
        """Give the session a new window. Whoever holds the old one holds nothing."""
        return self._succeed(Succession.RESET)

    def branch(self) -> "Session":
        """Return a session of its own that continues from here."""
        return self._succeed(Succession.BRANCH)

    def fork(self) -> "Session":
        """Return a session of its own that continues from here beside this one."""
        return self._succeed(Succession.FORK)

    def restore(self) -> "Session":
        """Return a session of its own that continues from a checkpoint of this one."""
        return self._succeed(Succession.RESTORE)

    def rewind(self) -> "Session":
        """Return a session of its own that continues from an earlier point of this one."""
        return self._succeed(Succession.REWIND)

    def _succeed(self, succession: Succession) -> "Session":
        """Return a successor with the exact subject and exposure of this window."""
        workings = self._workings
        successor = workings.sessions.succeed(self._mapped, succession, inherit(workings))
        workings.trail.note(
            HostAct.SESSION_SUCCEEDED,
            agent_id=successor.record.agent_id,
            target_ids=(self.session_id, successor.window.session_id),
        )
        return Session(workings, successor)

    def _refusal(self) -> DeniedError:
        """Write down that an event of another route was refused, and return the denial."""
        self._workings.trail.note(
            HostAct.CONTEXT_DENIED,
            agent_id=self._mapped.record.agent_id,
            target_ids=(self.session_id,),
            reason=Reason.INVALID_CONTEXT,
        )
        return DeniedError(Reason.INVALID_CONTEXT, 1)

    def _begin(self, turn: Turn, event: VerifiedEvent | None) -> Run:
        """Begin a turn; the event goes into the transcript once, however many runs it begins."""
        events, agent_id = self._workings.events, self._mapped.record.agent_id
        if event is None or not event.text or events.is_appended(event, agent_id):
            turn.begin(None)
            return Run(turn)
        turn.begin(incoming(turn, event))
        events.note_appended(event, agent_id)
        return Run(turn)


def settled(workings: Workings, mapped: MappedSession) -> MappedSession:
    """Return a session whose window has taken over what it inherits."""
    return workings.sessions.settle(mapped, inherit(workings))


def event_turn(workings: Workings, mapped: MappedSession, admission: Admission) -> Turn:
    """Return a turn that acts for an event's sender and answers where the event came from."""
    parties = workings.parties
    acting = Acting(look=lambda: parties.of_event(admission), began_as=parties.of_event(admission))
    return Turn(workings, mapped, acting, admission.destination, None)


def incoming(turn: Turn, event: VerifiedEvent) -> TranscriptEvent:
    """Return the event as the transcript has it."""
    recipients = turn.destination.recipients()
    return TranscriptEvent(
        event_id=event.event_id,
        kind=EventKind.MESSAGE,
        text=event.text,
        occurred_at=event.occurred_at,
        delivery_audiences=tuple(one.audience(turn.session.record.agent_id) for one in recipients),
    )
