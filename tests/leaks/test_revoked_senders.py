"""Withdrawing somebody takes away, and never gives."""

from datetime import timedelta

import pytest

from privity.backends.inmemory.backend import open_memory
from tests.engine.desk import START, CountingEntropy, StoppedClock
from tests.leaks.host_door import HostDoor
from tests.leaks.oracle import Kind, Mode, Place, Sitting, Stay

TEAM = Place(Kind.ROOM, "team")


@pytest.mark.proves("identity:binding:revocation")
def test_revoking_somebody_who_left_a_room_does_not_let_them_in_again() -> None:
    """A revoked sender is not a stranger who may look on: less is known of strangers than of them."""
    clock, entropy = StoppedClock(), CountingEntropy()
    door = HostDoor(open_memory(entropy=entropy), clock, entropy)
    for name in ("ann", "bob"):
        door.join(Stay(name, TEAM, START, START + timedelta(days=1)))
    ann = Sitting(Mode.ROOM, "team", "room", "ann")
    bob = Sitting(Mode.ROOM, "team", "room", "bob")
    assert door.begin(ann)
    assert door.remember(ann, "The launch is on Monday.", card=False, lifetime=None)
    clock.pass_by(timedelta(minutes=1))
    door.leave("bob", TEAM)
    after_leaving = door.begin(bob)
    door.revoke("bob")
    after_revocation = door.begin(bob)

    assert not after_leaving
    assert not after_revocation
