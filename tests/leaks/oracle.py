"""An oracle of who may see which text when, kept beside the product from the specification alone.

It imports nothing of privity. Sources: seed, "Session mapping", "Scope kinds", "Derivation",
"Egress"; decisions 18, 39 to 41, 48 and 50.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """Where content lies, or where an output goes."""

    PERSON = "person"
    ROOM = "room"
    ROLE = "role"
    SERVICE = "service"
    SHARED = "shared"
    INTERNAL = "internal"


@dataclass(frozen=True, order=True)
class Place:
    """A place that holds content, or that an output reaches."""

    kind: Kind
    name: str = ""


SHARED: Final = Place(Kind.SHARED)
INTERNAL: Final = Place(Kind.INTERNAL)


class Mode(StrEnum):
    """What kind of session it is."""

    DIRECT = "direct"
    ROOM = "room"
    SERVICE = "service"
    AMBIGUOUS = "ambiguous"
    INCOGNITO = "incognito"


@dataclass(frozen=True)
class Sitting:
    """One window of one session, and who speaks in it. `name` is the person, the room or the service."""

    mode: Mode
    name: str
    window: str
    speaker: str | None

    @property
    def place(self) -> Place:
        """Where what is said in it lies and goes."""
        if self.mode is Mode.AMBIGUOUS and not self.name:
            return SHARED
        kinds = {Mode.DIRECT: Kind.PERSON, Mode.INCOGNITO: Kind.PERSON, Mode.SERVICE: Kind.SERVICE}
        return Place(kinds.get(self.mode, Kind.ROOM), self.name)


@dataclass(frozen=True)
class Stay:
    """That somebody belongs to a room or a role for a time."""

    person: str
    group: Place
    since: datetime
    until: datetime


@dataclass
class Fact:
    """One text, where it lies, and everything that it was made from."""

    text: str
    home: Place
    words: frozenset[str]
    needs: dict[Place, int] = field(default_factory=dict[Place, int])
    parents: frozenset[int] = frozenset()
    is_card: bool = False
    is_anonymous_safe: bool = False
    expires: datetime | None = None
    is_forgotten: bool = False


@dataclass
class Shown:
    """What a window was shown: texts, and the places that bind it, each as it was captured first."""

    facts: set[int] = field(default_factory=set[int])
    places: dict[Place, int] = field(default_factory=dict[Place, int])

    def bind(self, places: Iterable[tuple[Place, int]]) -> None:
        """Be bound by more places; of one that is captured twice the older capture stays."""
        for place, revision in places:
            self.places[place] = min(revision, self.places.get(place, revision))


@dataclass
class Oracle:
    """The books."""

    now: datetime
    stays: list[Stay] = field(default_factory=list[Stay])
    heads: dict[str, str] = field(default_factory=dict[str, str])
    revoked: set[str] = field(default_factory=set[str])
    denied: set[str] = field(default_factory=set[str])
    shared_revision: int = 0
    facts: list[Fact] = field(default_factory=list[Fact])
    by_text: dict[str, int] = field(default_factory=dict[str, int])
    windows: dict[str, Shown] = field(default_factory=dict[str, Shown])

    # People

    def head(self, person: str) -> str:
        """Return whom a person was found to be."""
        return self.heads.get(person, person)

    def same(self, person: str) -> frozenset[str]:
        """Return all names of one person."""
        head = self.head(person)
        return frozenset({person, head, *(old for old, new in self.heads.items() if new == head)})

    def belongs(self, person: str, group: Place) -> bool:
        """The person belongs to the group now."""
        names = self.same(person)
        return any(s.person in names and s.group == group and s.since <= self.now < s.until for s in self.stays)

    def is_revoked(self, person: str | None) -> bool:
        """The person, under any name, was revoked."""
        return person is not None and bool(self.same(person) & self.revoked)

    # Places

    def current(self, place: Place) -> int:
        """Return the revision of the rules of a place."""
        return self.shared_revision if place == SHARED else 0

    def covers(self, place: Place, output: Place) -> bool:
        """Whatever lies in `place` may go to `output`."""
        if place == SHARED or output == INTERNAL:
            return True
        if place.kind is Kind.PERSON and output.kind is Kind.PERSON:
            return self.head(place.name) == self.head(output.name)
        if place.kind is Kind.ROLE and output.kind is Kind.PERSON:
            return self.belongs(output.name, place)
        return place == output

    def mounted(self, sitting: Sitting) -> frozenset[Place]:
        """Return the places that a session reaches now."""
        if sitting.mode in {Mode.AMBIGUOUS, Mode.INCOGNITO}:
            return frozenset({SHARED})
        if self.is_revoked(sitting.speaker):
            return frozenset()
        if sitting.mode is Mode.ROOM:
            is_inside = sitting.speaker is None or self.belongs(sitting.speaker, sitting.place)
            return frozenset({SHARED, sitting.place}) if is_inside else frozenset()
        if sitting.mode is Mode.SERVICE:
            return frozenset({SHARED, sitting.place})
        own = {Place(Kind.PERSON, name) for name in self.same(sitting.name)}
        roles = {s.group for s in self.stays if s.group.kind is Kind.ROLE and self.belongs(sitting.name, s.group)}
        return frozenset({SHARED, *own, *roles})

    # Facts

    def stands(self, number: int) -> bool:
        """Neither the fact nor anything that it was made from was taken back."""
        fact = self.facts[number]
        return not fact.is_forgotten and all(self.stands(parent) for parent in fact.parents)

    def binding(self, number: int) -> dict[Place, int]:
        """Return every place that binds a fact, as it was captured."""
        fact = self.facts[number]
        return {fact.home: self.current(fact.home)} | {
            place: revision for place, revision in fact.needs.items() if place != fact.home
        }

    def may_see(self, number: int, sitting: Sitting, outputs: Collection[Place]) -> bool:
        """A session whose output goes to `outputs` may be shown the fact now."""
        fact = self.facts[number]
        is_expired = fact.expires is not None and fact.expires <= self.now
        if is_expired or not self.stands(number) or fact.home not in self.mounted(sitting):
            return False
        if sitting.mode is Mode.AMBIGUOUS and not fact.is_anonymous_safe:
            return False
        places = self.binding(number)
        if SHARED in places and sitting.speaker is not None and self.same(sitting.speaker) & self.denied:
            return False
        return self.may_go(places, outputs)

    def may_go(self, places: dict[Place, int], outputs: Collection[Place]) -> bool:
        """What is bound by `places` may go to every one of `outputs` now."""
        return all(
            revision == self.current(place) and self.covers(place, output)
            for place, revision in places.items()
            for output in outputs
        )

    def rightful(self, sitting: Sitting, words: Collection[str], outputs: Collection[Place]) -> set[int]:
        """Return the notes that hold one of `words` and that the session may be shown."""
        return {
            number
            for number, fact in enumerate(self.facts)
            if not fact.is_card and fact.words & set(words) and self.may_see(number, sitting, outputs)
        }

    # Books

    def window(self, sitting: Sitting) -> Shown:
        """Return what a window was shown."""
        return self.windows.setdefault(sitting.window, Shown())

    def note_begun(self, sitting: Sitting) -> None:
        """A message came in: it is of its place."""
        place = sitting.place
        self.window(sitting).bind([(place, self.current(place))])

    def note_shown(self, sitting: Sitting, number: int) -> None:
        """A text was shown in a window."""
        window = self.window(sitting)
        window.facts.add(number)
        window.bind(self.binding(number).items())

    def note_kept(self, sitting: Sitting, fact: Fact) -> None:
        """A text was kept: made from everything that its window was shown, if that was anything."""
        window = self.window(sitting)
        if window.facts:
            fact.needs = {place: revision for place, revision in window.places.items() if place != fact.home}
            fact.parents = frozenset(number for number in window.facts if self.stands(number))
        self.by_text[fact.text] = len(self.facts)
        self.facts.append(fact)

    def note_successor(self, sitting: Sitting, window: str) -> None:
        """A new window takes over what the old one was shown, exactly."""
        old = self.window(sitting)
        self.windows[window] = Shown(facts=set(old.facts), places=dict(old.places))
