"""The matrix: generated people, rooms, turns and operations, each answer judged by the oracle."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from tests.leaks.dice import Dice
from tests.leaks.doors import Door, Feature, Seen
from tests.leaks.oracle import INTERNAL, SHARED, Fact, Kind, Mode, Oracle, Place, Sitting, Stay

PEOPLE: Final = ("ann", "bob", "cem", "dot", "eve")
ROOMS: Final = tuple(Place(Kind.ROOM, name) for name in ("team", "board", "lunch"))
ROLES: Final = tuple(Place(Kind.ROLE, name) for name in ("finance", "legal"))
SERVICES: Final = ("cron", "mail")
TOPICS: Final = ("launch", "budget", "salary", "harbour", "password", "holiday", "contract", "review")
OUTPUTS: Final = (
    *(Place(Kind.PERSON, name) for name in PEOPLE),
    *ROOMS,
    *ROLES,
    *(Place(Kind.SERVICE, name) for name in SERVICES),
    SHARED,
    INTERNAL,
)
NOBODY: Final = Sitting(Mode.AMBIGUOUS, "operator", "operator", None)
"""Whoever writes beside all sessions, in a window that is shown nothing."""

LONG: Final = timedelta(days=300)
NOTHING: Final = timedelta(0)
A_MOMENT: Final = timedelta(seconds=1)


@dataclass
class Tally:
    """What came of the trials."""

    trials: int = 0
    non_empty: int = 0
    leaks: list[str] = field(default_factory=list[str])
    blocked: list[str] = field(default_factory=list[str])

    def add(self, other: "Tally") -> None:
        """Add another tally."""
        self.trials += other.trials
        self.non_empty += other.non_empty
        self.leaks += other.leaks
        self.blocked += other.blocked


class Episode:
    """One home, from its first message to its last."""

    def __init__(self, seed: int, door: Door, start: datetime) -> None:
        self.seed = seed
        self.dice = Dice(seed)
        self.door = door
        self.oracle = Oracle(now=start)
        self.tally = Tally()
        self.step = 0
        self.count = 0
        self.handles: list[tuple[str, str, int]] = []  # the window it was given in, the handle, the fact
        self.sittings: list[Sitting] = []
        self.begun: set[str] = set()
        self.roles = ROLES if Feature.ROLES in door.features else ()
        self.groups = (*ROOMS, *self.roles)
        self.settle()

    # The cast

    def settle(self) -> None:
        """Let people into rooms and roles, and open a session of every kind."""
        for group in self.groups:
            for name in PEOPLE:
                if self.dice.chance(55):
                    self.admit(name, group)
        for mode, name, window, speaker in self.cast():
            self.sit(mode, name, window, speaker)
        for role in self.roles:
            self.fill_role(role)
        self.publish_as_operator(is_safe=True)
        self.publish_as_operator(is_safe=False)

    def cast(self) -> Iterator[tuple[Mode, str, str, str | None]]:
        """Yield a session of every kind: its mode, its name, its window, and who speaks first."""
        for number, name in enumerate(PEOPLE):
            yield Mode.DIRECT, name, f"ses_dm_{number}", name
        for place in ROOMS:
            yield Mode.ROOM, place.name, f"ses_room_{place.name}", self.dice.pick(PEOPLE)
        for name in SERVICES:
            yield Mode.SERVICE, name, f"ses_svc_{name}", None
        yield Mode.AMBIGUOUS, "main" if Feature.OUTPUTS in self.door.features else "", "ses_any", None
        yield Mode.INCOGNITO, PEOPLE[0], "ses_hidden", PEOPLE[0]

    def sit(self, mode: Mode, name: str, window: str, speaker: str | None) -> None:
        """Open a session and begin its first turn."""
        sitting = Sitting(mode, name, window, speaker)
        self.sittings.append(sitting)
        self.turn(sitting)

    def admit(self, name: str, group: Place) -> None:
        """Let somebody into a group, for ever or until a time that is known from the start."""
        self.expel(name, group)
        length = timedelta(minutes=5 + self.dice.roll(240)) if self.dice.chance(40) else LONG
        stay = Stay(name, group, self.oracle.now, self.oracle.now + length)
        self.oracle.stays.append(stay)
        self.door.join(stay)

    def own(self, sitting: Sitting) -> Place:
        """Return where a session keeps what is said in it, and answers to."""
        return replace(sitting.place, name=self.oracle.head(sitting.place.name))

    # Steps

    def run(self, steps: int) -> Tally:
        """Take so many steps and return what came of them."""
        for self.step in range(steps):
            roll = self.dice.roll(TOTAL)
            for weight, take in STEPS:
                if roll < weight:
                    take(self)
                    break
                roll -= weight
        return self.tally

    def any_sitting(self) -> Sitting:
        """Return a session, in a room with anybody speaking."""
        sitting = self.dice.pick(self.sittings)
        if sitting.mode is Mode.ROOM:
            sitting = replace(sitting, speaker=None if self.dice.chance(8) else self.dice.pick(PEOPLE))
        if self.door.needs_turn(sitting):
            self.turn(sitting)
        return sitting

    def turn(self, sitting: Sitting) -> None:
        """Begin a turn."""
        if self.door.begin(sitting):
            self.oracle.note_begun(sitting)
            self.begun.add(sitting.window)

    def begin_turn(self) -> None:
        """Begin a turn somewhere."""
        self.turn(self.any_sitting())

    def text(self) -> tuple[str, frozenset[str]]:
        """Return a text that nobody else says, and the words it is found by."""
        self.count += 1
        topic, code = self.dice.pick(TOPICS), f"code{self.count}"
        return f"The {topic} note is {code}.", frozenset({topic, code})

    def keep(self, sitting: Sitting, fact: Fact) -> int:
        """Write a text into the oracle's books and return its number."""
        self.oracle.note_kept(sitting, fact)
        return len(self.oracle.facts) - 1

    def remember(self) -> None:
        """Remember a note, or an entry of the card."""
        sitting = self.any_sitting()
        text, words = self.text()
        is_card = self.dice.chance(12)
        lifetime = timedelta(minutes=1 + self.dice.roll(120)) if self.dice.chance(15) and not is_card else None
        handle = self.door.remember(sitting, text, card=is_card, lifetime=lifetime)
        if handle is None:
            return
        expires = None if lifetime is None else self.oracle.now + lifetime
        fact = Fact(text=text, home=self.own(sitting), words=words, is_card=is_card, expires=expires)
        number = self.keep(sitting, fact)
        self.handles.append((sitting.window, handle, number))

    def publish(self) -> None:
        """Publish as the operator, or as whoever may or may not."""
        if self.dice.chance(60):
            self.publish_as_operator(is_safe=self.dice.chance(50))
            return
        sitting = self.any_sitting()
        text, words = self.text()
        is_safe = self.dice.chance(50)
        window = self.door.publish(sitting, text, anonymous_safe=is_safe)
        if window is not None:
            fact = Fact(text=text, home=SHARED, words=words, is_anonymous_safe=is_safe)
            self.keep(replace(sitting, window=window), fact)

    def publish_as_operator(self, *, is_safe: bool) -> None:
        """Publish to everybody."""
        text, words = self.text()
        if self.door.publish(None, text, anonymous_safe=is_safe):
            self.keep(NOBODY, Fact(text=text, home=SHARED, words=words, is_anonymous_safe=is_safe))

    def fill_role(self, role: Place) -> None:
        """Put a text into a role."""
        text, words = self.text()
        self.door.hand_to_role(role, text)
        self.keep(NOBODY, Fact(text=text, home=role, words=words))

    def hand_out(self) -> None:
        """Put a text into some role."""
        if self.roles:
            self.fill_role(self.dice.pick(self.roles))

    def forget(self) -> None:
        """Forget by some handle, one's own or not."""
        if not self.handles:
            return
        sitting = self.any_sitting()
        own = [entry for entry in self.handles if entry[0] == sitting.window]
        window, handle, number = self.dice.pick(own if own and self.dice.chance(75) else self.handles)
        if not self.door.forget(sitting, handle):
            return
        if window != sitting.window:
            self.leak(f"{sitting} forgot by a handle of {window}")
        self.oracle.facts[number].is_forgotten = True

    def wait(self) -> None:
        """Let time pass."""
        self.pause(timedelta(minutes=1 + self.dice.roll(40)))

    def pause(self, span: timedelta) -> None:
        """Let a time pass for both."""
        self.door.pass_by(span)
        self.oracle.now += span

    def move_house(self) -> None:
        """Let somebody join or leave a group."""
        name, group = self.dice.pick(PEOPLE), self.dice.pick(self.groups)
        if self.dice.chance(50):
            self.admit(name, group)
        else:
            self.expel(name, group)

    def expel(self, name: str, group: Place) -> None:
        """Let somebody leave a group, under every name of theirs; a moment passes with it."""
        names = self.oracle.same(name)
        gone = {stay.person for stay in self.oracle.stays if stay.person in names and stay.group == group}
        for each in sorted(gone):
            self.door.leave(each, group)
        now = self.oracle.now
        self.oracle.stays = [
            replace(stay, until=min(stay.until, now)) if stay.person in gone and stay.group == group else stay
            for stay in self.oracle.stays
        ]
        if gone:
            self.pause(A_MOMENT)

    def merge(self) -> None:
        """Find that two names are one person, once an episode at most."""
        if self.oracle.heads or not self.dice.chance(30):
            return
        self.oracle.heads["eve"] = "dot"
        self.door.merge("eve", "dot")
        for group in self.groups:  # what one of the two left, the other may have joined: state it anew
            self.expel("eve", group)
            if self.dice.chance(60):
                self.admit("dot", group)

    def revoke(self) -> None:
        """Revoke one person, once an episode at most."""
        if self.oracle.revoked or not self.dice.chance(20):
            return
        self.oracle.revoked.add("cem")
        self.door.revoke("cem")

    def amend(self) -> None:
        """Keep from somebody what is shared, or let somebody publish."""
        name, is_denied = self.dice.pick(PEOPLE), self.dice.chance(40)
        if self.door.amend(name, deny=is_denied) and is_denied:
            self.oracle.denied.add(name)
            self.oracle.shared_revision += 1

    def record(self) -> None:
        """Append an event."""
        self.door.record(self.any_sitting(), "noted")

    def succeed(self) -> None:
        """Give a session a new window, in place of the old one or beside it."""
        sitting = self.any_sitting()
        window = f"{sitting.window}_{self.step}"
        if not self.door.succeed(sitting, window):
            return
        self.oracle.note_successor(sitting, window)
        fresh = replace(sitting, window=window)
        if self.dice.chance(60):
            self.sittings = [fresh if known.window == sitting.window else known for known in self.sittings]
        elif len(self.sittings) < 30:
            self.sittings.append(fresh)
        self.turn(fresh)

    # Trials

    def ask(self) -> None:
        """Search, for the session itself or for a wider delivery, at once or a while after leave was given."""
        sitting = self.any_sitting()
        outputs = [self.own(sitting)]
        is_bent = Feature.OUTPUTS in self.door.features
        if is_bent and self.dice.chance(10):
            outputs.append(self.dice.pick(OUTPUTS))
        pause = timedelta(seconds=self.dice.roll(90)) if is_bent and self.dice.chance(12) else NOTHING
        words = self.query()
        limit = self.dice.pick((1, 3, 6, 50))
        before = self.oracle.rightful(sitting, words, outputs)
        found = self.door.search(sitting, " ".join(words), limit, outputs, pause)
        self.oracle.now += pause
        self.count_trial(non_empty=bool(before))
        self.judge_search(sitting, words, outputs, limit, found)
        if not pause and len(outputs) == 1:  # of others' memberships a context holds no evidence
            self.judge_use(sitting, words, before, limit, found)

    def query(self) -> tuple[str, ...]:
        """Return what to ask for: a topic, somebody's exact words, or both."""
        topic, code = self.dice.pick(TOPICS), f"code{1 + self.dice.roll(max(self.count, 1))}"
        return ((topic,), (code,), (topic, code), (topic, self.dice.pick(TOPICS)))[self.dice.roll(4)]

    def judge_search(
        self, sitting: Sitting, words: Collection[str], outputs: Collection[Place], limit: int, found: list[Seen] | None
    ) -> None:
        """Judge every passage that was returned."""
        for one in found or ():
            self.judge(sitting, one, outputs, f"search for {words} to {outputs}")
            self.handles.append((sitting.window, one.handle, self.oracle.by_text.get(one.text, -1)))
        if found is not None and len(found) > limit:
            self.leak(f"{sitting} got more than {limit}")

    def judge(self, sitting: Sitting, one: Seen, outputs: Collection[Place], how: str) -> None:
        """Judge one text that was shown, and write down that it was."""
        number = self.oracle.by_text.get(one.text)
        if number is None:
            self.leak(f"{sitting}: a text that nobody wrote, by {how}")
            return
        if not self.oracle.may_see(number, sitting, outputs):
            self.leak(f"{sitting}: {self.oracle.facts[number]} by {how}")
        self.oracle.note_shown(sitting, number)

    def judge_use(
        self, sitting: Sitting, words: Collection[str], rightful: set[int], limit: int, found: list[Seen] | None
    ) -> None:
        """Judge whether what is rightful was returned, the best of it first."""
        if not self.has_run(sitting):
            return
        texts = [one.text for one in found or ()]
        if len(texts) < min(limit, len(rightful)):
            missing = [self.oracle.facts[number] for number in rightful if self.oracle.facts[number].text not in texts]
            self.blocked(f"{sitting} asked for {words} and missed {missing}")
        exact = [n for n in rightful if set(words) <= self.oracle.facts[n].words and any("code" in w for w in words)]
        if exact and texts[:1] != [self.oracle.facts[exact[0]].text]:
            self.blocked(f"{sitting} asked for {words} and got {texts[:1]} first")

    def has_run(self, sitting: Sitting) -> bool:
        """A turn has begun in the window."""
        return sitting.window in self.begun

    def read_own(self) -> None:
        """Read by a handle of the session's own."""
        sitting = self.any_sitting()
        own = [entry for entry in self.handles if entry[0] == sitting.window]
        if own:
            self.read_by(sitting, *self.dice.pick(own))

    def read_foreign(self) -> None:
        """Read by a handle of any session."""
        if self.handles:
            self.read_by(self.any_sitting(), *self.dice.pick(self.handles))

    def read_by(self, sitting: Sitting, window: str, handle: str, number: int) -> None:
        """Read by a handle and judge what comes back."""
        outputs = [self.own(sitting)]
        fact = self.oracle.facts[number]
        is_rightful = window == sitting.window and not fact.is_card and self.oracle.may_see(number, sitting, outputs)
        found = self.door.read(sitting, handle)
        self.count_trial(non_empty=is_rightful)
        if found is not None and window != sitting.window:
            self.leak(f"{sitting} read by a handle of {window}")
        if found is not None and fact.is_card:
            self.leak(f"{sitting} read an entry of the card by its handle")
        if found is not None:
            self.judge(sitting, found, outputs, "read")
        elif is_rightful and self.has_run(sitting):
            self.blocked(f"{sitting} could not read {fact}")

    def read_card(self) -> None:
        """Read the card."""
        sitting = self.any_sitting()
        outputs = [self.own(sitting)]
        own = self.own(sitting)
        rightful = [
            fact.text
            for number, fact in enumerate(self.oracle.facts)
            if fact.is_card and fact.home == own and self.oracle.may_see(number, sitting, outputs)
        ]
        found = self.door.card(sitting)
        self.count_trial(non_empty=bool(rightful))
        for text in found or ():
            if text not in rightful:
                self.leak(f"{sitting} was shown `{text}` on the card")
            else:
                self.oracle.note_shown(sitting, self.oracle.by_text[text])
        if self.has_run(sitting) and set(rightful) - set(found or ()):
            self.blocked(f"{sitting} missed {rightful} on the card")

    def answer(self) -> None:
        """Ask where an answer may go, of every place there is."""
        sitting = self.any_sitting()
        window = self.oracle.window(sitting)
        own = self.own(sitting)
        asked = self.sinks(own)
        allowed = self.door.egress(sitting, asked)
        rightful = {place for place in asked if window.places and self.oracle.may_go(window.places, [place])}
        self.count_trial(non_empty=bool(rightful))
        for place in sorted(allowed - rightful):
            self.leak(f"{sitting}, bound by {window.places}, may answer to {place}")
        if self.has_run(sitting) and own in rightful - allowed and self.oracle.mounted(sitting):
            self.blocked(f"{sitting}, bound by {window.places}, may not answer to {own}")

    def sinks(self, own: Place) -> tuple[Place, ...]:
        """Return where to ask to answer to: everywhere, or the own place and three others."""
        if Feature.ALL_SINKS in self.door.features:
            return (*OUTPUTS, own)
        return (own, *(self.dice.pick(OUTPUTS) for _ in range(3)))

    # Verdicts

    def count_trial(self, *, non_empty: bool) -> None:
        """Count a trial."""
        self.tally.trials += 1
        self.tally.non_empty += non_empty

    def leak(self, what: str) -> None:
        """Note a leak."""
        self.tally.leaks.append(f"seed {self.seed}, step {self.step}: {what}")

    def blocked(self, what: str) -> None:
        """Note something rightful that was kept back."""
        self.tally.blocked.append(f"seed {self.seed}, step {self.step}: {what}")


STEPS: Final[tuple[tuple[int, Callable[[Episode], None]], ...]] = (
    (22, Episode.remember),
    (34, Episode.ask),
    (9, Episode.read_own),
    (7, Episode.read_foreign),
    (5, Episode.read_card),
    (12, Episode.answer),
    (4, Episode.forget),
    (3, Episode.publish),
    (1, Episode.hand_out),
    (2, Episode.wait),
    (3, Episode.move_house),
    (7, Episode.begin_turn),
    (3, Episode.succeed),
    (1, Episode.merge),
    (1, Episode.revoke),
    (1, Episode.amend),
    (2, Episode.record),
)
TOTAL: Final = sum(weight for weight, _ in STEPS)
