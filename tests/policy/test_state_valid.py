"""Only an active, unexpired revision that is intact and in its place is readable, whatever else permits it."""

from datetime import timedelta
from typing import Final

import pytest

from privity.model.decisions import Allow, Deny
from privity.model.operations import Operation
from privity.model.reasons import Reason
from privity.model.resources import Integrity, RevisionState
from privity.policy.evaluator import decide
from tests.policy.samples import ALICES, asks, world
from tests.policy.world import NOW
from tests.property.bend import with_revision

READS: Final = (Operation.RETRIEVE, Operation.READ, Operation.EXPORT)
UNREADABLE: Final = frozenset(RevisionState) - {RevisionState.ACTIVE}
DAMAGED: Final = frozenset(Integrity) - {Integrity.VERIFIED}


@pytest.mark.proves("policy:order:state-valid")
@pytest.mark.parametrize("operation", READS)
def test_only_a_sound_revision_is_readable(operation: Operation) -> None:
    """Every other state, every damage, and the very instant of expiry are denied at step 5 for that reason."""
    sound = world(asks(operation), ALICES)
    unsound = [
        *(with_revision(sound, state=state) for state in sorted(UNREADABLE)),
        *(with_revision(sound, integrity=integrity) for integrity in sorted(DAMAGED)),
        with_revision(sound, expires_at=NOW),
        with_revision(sound, expires_at=NOW - timedelta(microseconds=1)),
    ]
    decisions = [decide(one.facts) for one in unsound]

    assert isinstance(decide(sound.facts), Allow)
    assert isinstance(decide(with_revision(sound, expires_at=NOW + timedelta(microseconds=1)).facts), Allow)
    assert {(one.reason, one.step) for one in decisions if isinstance(one, Deny)} == {(Reason.REVISION_STALE, 5)}
    assert len([one for one in decisions if isinstance(one, Deny)]) == 11
