"""Play a parsed conversation through the host's own doors into an evaluation home.

People become principals, rooms become conversations with members who come and go, each turn
becomes a labelled transcript event and a note, and what a turn takes back is forgotten.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from privity.host.agent import Agent
from privity.host.events import VerifiedEvent
from privity.host.host import Host
from privity.host.identities import LOCAL
from privity.host.options import Mode
from privity.host.sinks import Sink
from privity.migrate.cast import Cast, cast_of
from privity.migrate.conversation import Conversation, SpeakerKind, note_text
from privity.migrate.cues import Cue, Passing, Withdrawal, cues
from privity.migrate.journal import Counts, Journal, open_journal
from privity.model.context import SinkKind
from privity.model.ids import EgressCapabilityId, ResourceHandle, SinkId
from privity.sdk.errors import DeniedError, InputError
from privity.sdk.identity import ChangeKind, MembershipChange

PROGRESS: Final = "imports"
SILENCE: Final = EgressCapabilityId("import.silence")

Watch = Callable[[Cue], None]
"""Told of every turn once it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where conversations are played: a home and one of its agents."""

    host: Host
    agent: Agent
    home: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What became of one conversation: how many turns it has, were in before, and are in now."""

    conversation_id: str
    turns: int
    before: int
    now: int


def play(stage: Stage, conversation: Conversation, *, until: str | None, watch: Watch) -> Played:
    """Play a conversation from where it was left, to its end or to the turn `until`.

    Raises:
        InputError: the home is no evaluation home, or the conversation has no such turn.
        ConflictError: another conversation of this name was imported before.
    """
    refuse_other_homes(stage.host)
    due = tuple(cues(conversation))[: stop_after(conversation, until)]
    with open_journal(stage.home / PROGRESS, stage.agent.agent_id, conversation) as journal:
        found = counts(stage)
        position = journal.position(found)
        player = Player(stage, cast_of(stage.host, conversation), journal)
        journal.begin(position, found)
        player.make_up(due[: position.turns])
        try:
            player.play(due[position.turns :], event_is_in=position.event_is_in, watch=watch)
        except KeyboardInterrupt:
            journal.end(counts(stage))
            raise
        journal.end(counts(stage))
    return Played(
        conversation_id=conversation.conversation_id,
        turns=len(conversation.turns),
        before=position.turns,
        now=max(position.turns, len(due)),
    )


def refuse_other_homes(host: Host) -> None:
    """Refuse what nobody can prove, except where an operator's word stands for proof."""
    if host.mode is not Mode.EVALUATION:
        raise InputError(
            f"this is a {host.mode} home, and imported chat has no provable subject",
            where="home",
            remedy="make a home with `privity init --evaluation` and import into that",
        )


def stop_after(conversation: Conversation, until: str | None) -> int:
    """Return how many turns are to be in."""
    if until is None:
        return len(conversation.turns)
    numbers = {turn.turn_id: number for number, turn in enumerate(conversation.turns, start=1)}
    if until not in numbers:
        raise InputError(
            f"`{conversation.conversation_id}` has no turn `{until}`", where="until", remedy="name one of its turns"
        )
    return numbers[until]


def counts(stage: Stage) -> Counts:
    """Return what the agent's cell holds now."""
    health = stage.host.health(stage.agent)
    return Counts(events=health.events, revisions=sum(health.revisions.values()))


class Player:
    """Plays the turns of one conversation, one after the other."""

    def __init__(self, stage: Stage, cast: Cast, journal: Journal) -> None:
        self._stage = stage
        self._cast = cast
        self._journal = journal
        self._ingress = stage.host.ingress(LOCAL[0])
        self._rooms = stage.host.operator().conversations
        register_silence(stage.host)

    def play(self, due: Sequence[Cue], *, event_is_in: bool, watch: Watch) -> None:
        """Play what is due; the first turn's event may be in already."""
        for cue in due:
            self._turn(cue, event_is_in=event_is_in)
            event_is_in = False
            watch(cue)

    def make_up(self, done: Sequence[Cue]) -> None:
        """Forget what turns that are in take back, where they were killed before they did."""
        for cue in done:
            for withdrawal in cue.withdrawals:
                if not self._journal.is_forgotten(withdrawal.turn_id):
                    self._forget_again(withdrawal, cue)

    def _turn(self, cue: Cue, *, event_is_in: bool) -> None:
        """Play one turn: who comes and goes, what is said and remembered, what is forgotten."""
        self._let_in(cue)
        handle = self._say(cue, event_is_in=event_is_in)
        self._journal.note(cue.turn.turn_id, handle)
        for withdrawal in cue.withdrawals:
            self._forget(withdrawal, cue)
        if cue.guest is not None:
            self._let_out(cue.guest)

    def _let_in(self, cue: Cue) -> None:
        """Let people leave and come before a turn."""
        for passing in cue.departures:
            self._let_out(passing)
        guests = () if cue.guest is None else (cue.guest,)
        for passing in (*cue.arrivals, *guests):
            self._rooms.add_member(self._cast.groups[passing.room_id], self._cast.principals[passing.sender_id])

    def _let_out(self, passing: Passing) -> None:
        """Let somebody leave a group."""
        self._rooms.remove_member(self._cast.groups[passing.room_id], self._cast.principals[passing.sender_id])

    def _say(self, cue: Cue, *, event_is_in: bool) -> ResourceHandle:
        """Say one turn and remember it: a person's by an event, the agent's by a released reply."""
        is_reply = cue.speaker.kind is SpeakerKind.AGENT
        said = "" if is_reply or event_is_in else cue.turn.text
        event = self._event(cue.actor_id, cue.room.room_id, said, cue.turn.at)
        with self._stage.agent.session(event).run(event) as run:
            if is_reply and not event_is_in:
                run.release(cue.turn.text, to=event.delivery)
            return run.remember(note_text(cue.speaker, cue.turn)).handle

    def _forget(self, withdrawal: Withdrawal, cue: Cue) -> None:
        """Forget the note of a turn, on the word of somebody who is in its room."""
        handle = self._journal.load_handle(withdrawal.turn_id)
        event = self._event(withdrawal.actor_id, withdrawal.room_id, "", cue.turn.at)
        with self._stage.agent.session(event).run(event) as run:
            run.forget(handle)
        self._journal.note_forgotten(withdrawal.turn_id)

    def _forget_again(self, withdrawal: Withdrawal, cue: Cue) -> None:
        """Forget the note of a turn that may be forgotten already: then it is denied, like all that is gone."""
        try:
            self._forget(withdrawal, cue)
        except DeniedError:
            self._journal.note_forgotten(withdrawal.turn_id)

    def _event(self, actor_id: str, room_id: str, text: str, at: datetime | None) -> VerifiedEvent:
        """Return a verified event on the operator's word; one without text leaves no trace."""
        sender = self._cast.names[actor_id]
        present = (MembershipChange(kind=ChangeKind.JOINED, sender_id=sender),)
        request = self._stage.host.local.event(
            sender=sender,
            conversation=self._cast.room_names.get(room_id),
            text=text,
            occurred_at=at,
            changes=() if text else present,
        )
        return self._ingress.verify(request.headers, request.body)


def register_silence(host: Host) -> None:
    """Let replies go nowhere, unless there is a place for them: what the agent said was said long ago."""
    if host.sinks.find(SinkId(LOCAL[0])) is None:
        host.sinks.register(
            Sink(
                sink_id=SinkId(LOCAL[0]),
                capability_id=SILENCE,
                kind=SinkKind.CHANNEL,
                resolve=lambda _: (),
                deliver=lambda _: None,
            )
        )
