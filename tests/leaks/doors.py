"""The doors through which the matrix drives the product, and what it is told there."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol

from privity.model.audiences import Audience, AudienceKind
from privity.model.context import Visibility
from privity.model.decisions import Denied
from privity.model.ids import GroupId, PrincipalId, ResourceHandle, RunId, SessionId
from privity.model.mutations import Amendment, AmendmentKind
from privity.model.operations import Operation
from privity.model.passages import Forgotten, Passage, Remembered
from privity.model.policies import Effect
from privity.model.principals import Membership, VerifiedPrincipal
from privity.model.resources import Anonymity, Section
from privity.model.stores import StoreKind
from privity.model.subjects import AutonomousKind
from tests.engine.desk import (
    AGENT,
    EVIDENCE,
    NO_RUN,
    Desk,
    Seat,
    acting,
    autonomous,
    dm,
    nobody,
    person,
    room,
)
from tests.engine.roles import fill
from tests.leaks.oracle import Kind, Mode, Place, Sitting, Stay

EVIDENCE_LIFETIME = timedelta(hours=1)


@dataclass(frozen=True)
class Seen:
    """One passage as a caller gets it."""

    handle: str
    text: str


class Feature(StrEnum):
    """What a door can be asked that another cannot."""

    ROLES = "roles"
    OUTPUTS = "outputs"
    ALL_SINKS = "all-sinks"


class Door(Protocol):
    """What the matrix asks of the product. `None` and false are denials."""

    @property
    def features(self) -> frozenset[Feature]:
        """What this door can be asked."""
        ...

    def pass_by(self, span: timedelta) -> None:
        """Let time pass."""
        ...

    def join(self, stay: Stay) -> None:
        """Somebody belongs to a group for a time."""
        ...

    def leave(self, person: str, group: Place) -> None:
        """Somebody does not belong to a group any more."""
        ...

    def merge(self, person: str, head: str) -> None:
        """Two names are one person."""
        ...

    def revoke(self, person: str) -> None:
        """Somebody is nobody any more."""
        ...

    def needs_turn(self, sitting: Sitting) -> bool:
        """Whoever speaks has to begin a turn before anything else."""
        ...

    def begin(self, sitting: Sitting) -> bool:
        """Begin a turn."""
        ...

    def search(
        self, sitting: Sitting, query: str, limit: int, outputs: Collection[Place], pause: timedelta
    ) -> list[Seen] | None:
        """Search for an output that goes to `outputs`, some time after leave was given."""
        ...

    def read(self, sitting: Sitting, handle: str) -> Seen | None:
        """Read by handle."""
        ...

    def card(self, sitting: Sitting) -> list[str] | None:
        """Read the card."""
        ...

    def remember(self, sitting: Sitting, text: str, *, card: bool, lifetime: timedelta | None) -> str | None:
        """Remember a text and return its handle."""
        ...

    def forget(self, sitting: Sitting, handle: str) -> bool:
        """Forget by handle."""
        ...

    def publish(self, sitting: Sitting | None, text: str, *, anonymous_safe: bool) -> str | None:
        """Publish to everybody, as a session or as the operator; return the window it was done in."""
        ...

    def hand_to_role(self, role: Place, text: str) -> None:
        """Put a text into the store of a role."""
        ...

    def amend(self, person: str, *, deny: bool) -> bool:
        """Deny a person what is shared, or let them publish."""
        ...

    def egress(self, sitting: Sitting, outputs: Collection[Place]) -> set[Place]:
        """Return where an answer of the window may go now."""
        ...

    def record(self, sitting: Sitting, text: str) -> None:
        """Append an event to the transcript."""
        ...

    def succeed(self, sitting: Sitting, window: str) -> bool:
        """Give a session a new window that takes over the old one."""
        ...


AUDIENCES = {
    Kind.PERSON: (AudienceKind.USER, "usr_"),
    Kind.ROOM: (AudienceKind.CONVERSATION, "cnv_"),
    Kind.ROLE: (AudienceKind.ROLE, "rol_"),
    Kind.SERVICE: (AudienceKind.AGENT, "svc_"),
}


def audience(place: Place) -> Audience:
    """Return a place as an audience."""
    if place.kind is Kind.SHARED:
        return Audience(kind=AudienceKind.AGENT_SHARED, id=AGENT)
    if place.kind is Kind.INTERNAL:
        return Audience(kind=AudienceKind.INTERNAL, id=AGENT)
    kind, prefix = AUDIENCES[place.kind]
    return Audience(kind=kind, id=prefix + place.name)


class DeskDoor:
    """The engine behind a desk that states every fact as a host would."""

    features = frozenset(Feature)

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.stays: list[Stay] = []
        self.heads: dict[str, str] = {}
        self.runs: dict[str, RunId] = {}
        self.grant(operator().actor_id, Operation.PUBLISH, Effect.ALLOW)

    @property
    def now(self) -> datetime:
        """The time."""
        return self.desk.clock.now()

    def pass_by(self, span: timedelta) -> None:
        """Let time pass."""
        self.desk.clock.pass_by(span)

    def join(self, stay: Stay) -> None:
        """Somebody belongs to a group for a time."""
        self.stays.append(stay)

    def leave(self, person: str, group: Place) -> None:
        """Whoever leaves, left now."""
        self.stays = [
            replace(stay, until=min(stay.until, self.now)) if (stay.person, stay.group) == (person, group) else stay
            for stay in self.stays
        ]

    def merge(self, person: str, head: str) -> None:
        """Two names are one person from now on."""
        self.heads[person] = head

    def revoke(self, person: str) -> None:
        """Somebody is nobody any more."""
        self.desk.revoked |= {PrincipalId(f"usr_{person}")}

    def needs_turn(self, sitting: Sitting) -> bool:  # noqa: ARG002 - the door's own
        """Never: a desk states whoever speaks, in whichever run of the window."""
        return False

    def begin(self, sitting: Sitting) -> bool:
        """Begin a turn."""
        seat = replace(self.seat(sitting), run_id=RunId(self.desk.entropy.token("run")))
        context = self.desk.context(seat, Operation.READ)
        if isinstance(self.desk.engine.begin_run(context, self.desk.event(seat, "hello")), Denied):
            return False
        self.runs[sitting.window] = seat.run_id
        return True

    def search(
        self, sitting: Sitting, query: str, limit: int, outputs: Collection[Place], pause: timedelta
    ) -> list[Seen] | None:
        """Search under one plan, some time after it was made."""
        context = self.desk.context(self.seat(sitting), Operation.READ, [audience(place) for place in outputs])
        plan = self.desk.engine.authorize(context)
        self.desk.clock.pass_by(pause)
        if isinstance(plan, Denied):
            return None
        envelope = self.desk.engine.search(context, plan, query, about=None, limit=limit)
        return None if isinstance(envelope, Denied) else [seen(passage) for passage in envelope.value]

    def read(self, sitting: Sitting, handle: str) -> Seen | None:
        """Read by handle."""
        passage = self.desk.read(self.seat(sitting), ResourceHandle(handle))
        return None if isinstance(passage, Denied) else seen(passage)

    def card(self, sitting: Sitting) -> list[str] | None:
        """Read the card."""
        entries = self.desk.card(self.seat(sitting))
        return None if isinstance(entries, Denied) else entries

    def remember(self, sitting: Sitting, text: str, *, card: bool, lifetime: timedelta | None) -> str | None:
        """Remember a text and return its handle."""
        section = Section.CARD if card else Section.NOTE
        result = self.desk.remember(self.seat(sitting), text, section=section, lifetime=lifetime)
        return result.handle if isinstance(result, Remembered) else None

    def forget(self, sitting: Sitting, handle: str) -> bool:
        """Forget by handle."""
        return isinstance(self.desk.forget(self.seat(sitting), ResourceHandle(handle)), Forgotten)

    def publish(self, sitting: Sitting | None, text: str, *, anonymous_safe: bool) -> str | None:
        """Publish to everybody, as a session or as the operator."""
        anonymity = Anonymity.ANONYMOUS_SAFE if anonymous_safe else Anonymity.IDENTIFIED_ONLY
        seat = self.desk.begin(operator().seat) if sitting is None else self.seat(sitting)
        published = isinstance(self.desk.publish(seat, text, anonymity), Remembered)
        return seat.session_id if published else None

    def hand_to_role(self, role: Place, text: str) -> None:
        """Put a text into the store of a role."""
        fill(self.desk, StoreKind.ROLE, audience(role), text)

    def amend(self, person: str, *, deny: bool) -> bool:
        """Deny a person what is shared, or let them publish."""
        effect, capability = (Effect.DENY, Operation.READ) if deny else (Effect.ALLOW, Operation.PUBLISH)
        return self.grant(PrincipalId(f"usr_{person}"), capability, effect)

    def grant(self, grantee: PrincipalId, capability: Operation, effect: Effect) -> bool:
        """Put a rule over the shared store in force, as the operator."""
        seat = self.desk.begin(operator().seat)
        context = self.desk.context(seat, Operation.POLICY_ADMIN)
        plan = self.desk.engine.authorize(context)
        if isinstance(plan, Denied):
            return False
        amendment = Amendment(
            kind=AmendmentKind.GRANT, effect=effect, capability=capability, grantee_id=grantee, lifetime=None
        )
        return not isinstance(self.desk.engine.amend_rules(context, plan, amendment), Denied)

    def egress(self, sitting: Sitting, outputs: Collection[Place]) -> set[Place]:
        """Return where an answer of the window may go now."""
        seat = self.seat(sitting)
        run = self.desk.backend.runs.load_run(AGENT, seat.run_id)
        if run is None:
            return set()
        context = self.desk.context(seat, Operation.READ, [audience(place) for place in outputs])
        receipt = self.desk.engine.authorize_egress(context, run.exposure_revision)
        if isinstance(receipt, Denied):
            return set()
        return {place for place in outputs if audience(place) in receipt.allowed_audiences}

    def record(self, sitting: Sitting, text: str) -> None:
        """Append an event to the transcript."""
        seat = self.seat(sitting)
        self.desk.engine.append_event(self.desk.context(seat, Operation.APPEND), self.desk.event(seat, text))

    def succeed(self, sitting: Sitting, window: str) -> bool:
        """Give a session a new window that takes over the old one."""
        fresh = replace(self.seat(sitting), session_id=SessionId(window))
        context = self.desk.context(fresh, Operation.READ)
        return self.desk.engine.inherit_window(context, SessionId(sitting.window)) is None

    def seat(self, sitting: Sitting) -> Seat:
        """Return a sitting with every fact that a host would state of it now."""
        made = replace(
            SEATS[sitting.mode](sitting),
            session_id=SessionId(sitting.window),
            run_id=self.runs.get(sitting.window, NO_RUN),
        )
        if sitting.speaker is None or sitting.mode is Mode.SERVICE:
            return made
        head = self.heads.get(sitting.speaker, sitting.speaker)
        merged = tuple(sorted(old for old, new in self.heads.items() if new == head))
        actor = acting(head)
        return replace(
            made,
            actor=actor,
            audiences=made.audiences if sitting.mode is Mode.ROOM else (audience(Place(Kind.PERSON, head)),),
            memberships=self.memberships({head, *merged}),
            verified=(
                VerifiedPrincipal(
                    principal_id=actor.principal_id,
                    merged_ids=tuple(map(person, merged)),
                    assurance=actor.assurance,
                    strength=actor.strength,
                    evidence_revision=EVIDENCE,
                    expires_at=None,
                ),
            ),
        )

    def memberships(self, names: Collection[str]) -> tuple[Membership, ...]:
        """Return the evidence of where people belong, what has run out included."""
        return tuple(
            Membership(
                principal_id=person(stay.person),
                group_id=GroupId(audience(stay.group).id),
                provider="test",
                evidence_revision=EVIDENCE,
                observed_at=stay.since,
                expires_at=min(stay.until, self.now + EVIDENCE_LIFETIME),
            )
            for stay in self.stays
            if stay.person in names
        )


@dataclass(frozen=True)
class Operator:
    """The operator's seat."""

    seat: Seat
    actor_id: PrincipalId


def operator() -> Operator:
    """Return the operator, who acts for the system."""
    return Operator(seat=autonomous("operator", AutonomousKind.SYSTEM), actor_id=PrincipalId("sys_operator"))


SEATS: Final[Mapping[Mode, Callable[[Sitting], Seat]]] = {
    Mode.DIRECT: lambda sitting: dm(sitting.name),
    Mode.INCOGNITO: lambda sitting: replace(dm(sitting.name), visibility=Visibility.INCOGNITO),
    Mode.ROOM: lambda sitting: room(sitting.name, sitting.speaker, member=False),
    Mode.SERVICE: lambda sitting: autonomous(sitting.name),
    Mode.AMBIGUOUS: lambda sitting: nobody(sitting.name),
}


def seen(passage: Passage) -> Seen:
    """Return a passage as the matrix judges it."""
    return Seen(handle=passage.handle, text=passage.text)
