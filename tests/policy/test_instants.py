"""The exact instants at which things begin and end."""

from dataclasses import replace
from datetime import timedelta, timezone
from typing import Final

import pytest

from privity.model.decisions import Allow
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.policy.evaluator import decide
from tests.policy.ruled import outcome
from tests.policy.samples import ALICES, asks, world
from tests.policy.world import NOW, World, with_context
from tests.property.bend import with_actor, with_plan, with_revision
from tests.property.people import outdated

MOMENT: Final = timedelta(microseconds=1)
READ: Final = world(asks(Operation.READ), ALICES)

ENDS: Final[dict[str, Reason]] = {
    "context": Reason.INVALID_CONTEXT,
    "actor": Reason.IDENTITY_REVOKED,
    "people": Reason.IDENTITY_REVOKED,
    "plan": Reason.PLAN_EXPIRED,
    "revision": Reason.REVISION_STALE,
}


def ending(what: str, instant: timedelta) -> World:
    """Return the world in which something ends so long after now."""
    end = NOW + instant
    return {
        "context": with_context(READ, expires_at=end),
        "actor": with_actor(READ, expires_at=end),
        "people": outdated(READ, end),
        "plan": with_plan(READ, expires_at=end),
        "revision": with_revision(READ, expires_at=end),
    }[what]


@pytest.mark.proves("case:POL-02", "lifecycle:expire:on-read", "policy:order:context-first")
@pytest.mark.parametrize("what", ENDS)
def test_POL_02_at_the_very_end_it_is_over(what: str) -> None:
    """A moment before it holds; at the instant and after it does not."""
    assert outcome(ending(what, MOMENT)) is None
    assert outcome(ending(what, timedelta())) is ENDS[what]
    assert outcome(ending(what, -MOMENT)) is ENDS[what]


@pytest.mark.proves("case:POL-02", "policy:order:context-first")
def test_POL_02_a_context_begins_at_the_instant_it_was_issued() -> None:
    """Not a moment earlier."""
    assert outcome(with_context(READ, issued_at=NOW)) is None
    assert outcome(with_context(READ, issued_at=NOW + MOMENT)) is Reason.INVALID_CONTEXT


@pytest.mark.proves("case:POL-02")
def test_POL_02_the_same_instant_in_another_zone_is_the_same() -> None:
    """Zones change nothing; a time without one is none."""
    elsewhere = NOW.astimezone(timezone(timedelta(hours=-7)))
    nowhere = NOW.replace(tzinfo=None)
    facts = READ.facts

    assert isinstance(decide(replace(facts, now=elsewhere)), Allow)
    assert outcome(with_context(READ, expires_at=elsewhere)) is Reason.INVALID_CONTEXT
    assert decide(replace(facts, now=nowhere)).trace[-1].check == "context_is_in_time"


@pytest.mark.proves("case:POL-02", "policy:deny:on-error")
def test_POL_02_times_without_any_zone_do_not_agree_among_themselves_either() -> None:
    """Facts that are consistently without a zone are denied, not compared."""
    naive = NOW.replace(tzinfo=None)
    without = with_context(READ, issued_at=naive, expires_at=naive + MOMENT)

    assert decide(replace(without.facts, now=naive)).trace[-1].check == "context_is_in_time"


@pytest.mark.proves("case:POL-11")
def test_POL_11_what_has_ended_stays_ended_for_every_later_instant() -> None:
    """The evaluator knows no instant but the stated one; the host states none before the last."""
    ended = ending("revision", timedelta())

    for later in (timedelta(), MOMENT, timedelta(minutes=30)):
        assert outcome(replace(ended, now=NOW + later)) is Reason.REVISION_STALE
