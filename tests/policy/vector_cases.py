"""The cases of the decision vectors: what is meant to work, each check's own denial, and the exact instants."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.policy.facts import Facts
from tests.policy.failing import FAILING, READ
from tests.policy.ruled import publish_under, read_under, until
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    ALICES,
    ALICES_BEFORE,
    BOB,
    CRONS,
    PROJECTED_TO_ROOM,
    ROOMS,
    SHARED,
    SOMEBODY,
    STAFFS,
    TO_BOB,
    TO_CELL,
    asks,
    cron_asks,
    nobody_asks,
    policy,
    room_asks,
    rule,
    world,
)
from tests.policy.world import NOW, World, with_context
from tests.property.bend import with_own, with_revision
from tests.property.people import lasting, sent_to
from tests.property.permitted import SOURCES, anonymous, delegated, depending_on, new, on_card

MOMENT: Final = timedelta(microseconds=1)
IN_CAPITALS: Final = replace(rule(Effect.ALLOW, Operation.PUBLISH, ALICE), grantee_id="USR_ALICE")
ENDED_THEN: Final = replace(policy("source", TO_CELL), policy_revision=4)

PERMITTED: Final[dict[str, World]] = {
    "a person reads their own note": world(asks(Operation.READ), ALICES),
    "a person derives from their own note": world(asks(Operation.DERIVE), ALICES),
    "a person exports their own note": world(asks(Operation.EXPORT), ALICES),
    "a person replaces their own note": world(asks(Operation.REPLACE), ALICES),
    "a person deletes their own note": world(asks(Operation.DELETE), ALICES),
    "a person adds a note": new(world(asks(Operation.APPEND), ALICES)),
    "a person adds to their card": on_card(new(world(asks(Operation.APPEND), ALICES))),
    "a person reads what they wrote under an id that was merged": world(asks(Operation.READ), ALICES_BEFORE),
    "a person reads their role's note": world(asks(Operation.READ), STAFFS),
    "a person reads the shared note": world(asks(Operation.READ), SHARED),
    "a person publishes by a rule": publish_under(rule(Effect.ALLOW, Operation.PUBLISH, ALICE)),
    "a person publishes by a rule for an id that was merged": publish_under(
        rule(Effect.ALLOW, Operation.PUBLISH, ALICE_BEFORE)
    ),
    "a person reads what was derived from three sources": depending_on(read_under(), *SOURCES),
    "a run that was shown memory derives what it appends": replace(
        new(depending_on(world(asks(Operation.APPEND), ALICES), *SOURCES)), operation=Operation.DERIVE
    ),
    "a room reads its own note": world(room_asks(Operation.READ), ROOMS),
    "a room reads what was projected to it": world(room_asks(Operation.READ), PROJECTED_TO_ROOM),
    "a room adds a note": new(world(room_asks(Operation.APPEND), ROOMS)),
    "an unattributed speaker looks on in a room": with_context(world(room_asks(Operation.READ), ROOMS), actor=SOMEBODY),
    "a service reads its own note": world(cron_asks(Operation.READ), CRONS),
    "a service adds a note": new(world(cron_asks(Operation.APPEND), CRONS)),
    "nobody in particular reads what is safe for that": anonymous(world(nobody_asks(Operation.READ), SHARED)),
    "a child reads for its root": delegated(world(asks(Operation.READ), ALICES), ALICE),
    "a deny that ends now no longer denies": read_under(until(NOW, Effect.DENY, Operation.READ)),
    "a deny for somebody else does not deny": read_under(rule(Effect.DENY, Operation.READ, BOB)),
}

DENIED: Final[dict[str, World]] = {
    "deny beats allow": read_under(
        rule(Effect.ALLOW, Operation.READ, ALICE), rule(Effect.DENY, Operation.READ, ALICE, name="deny")
    ),
    "deny for everybody": read_under(rule(Effect.DENY, Operation.RETRIEVE, None)),
    "deny for an id that was merged": read_under(rule(Effect.DENY, Operation.READ, ALICE_BEFORE)),
    "a deny that ends in a moment denies": read_under(until(NOW + MOMENT, Effect.DENY, Operation.READ)),
    "an allow that ends now has ended": publish_under(until(NOW, Effect.ALLOW, Operation.PUBLISH)),
    "an allow for an id in capitals is for somebody else": publish_under(IN_CAPITALS),
    "an allow for everybody is nonconforming": read_under(rule(Effect.ALLOW, Operation.READ, None)),
    "a revision that expires now has expired": with_revision(READ, expires_at=NOW),
    "a role whose membership ends now is withheld": lasting(world(asks(Operation.READ), STAFFS), NOW),
    "an output to nowhere": sent_to(READ),
    "one output too many": sent_to(READ, *READ.context.delivery.audiences, TO_BOB),
    "a second policy that reaches somebody else": with_own(READ, *READ.own_policies, policy("second", TO_BOB)),
    "a resource without a policy": with_own(READ),
    "a source that was amended since": replace(
        depending_on(read_under(), policy("source", TO_CELL)), policies={ENDED_THEN.policy_id: ENDED_THEN}
    ),
    "a service deletes nothing": world(cron_asks(Operation.DELETE), CRONS),
    "a service replaces nothing": world(cron_asks(Operation.REPLACE), CRONS),
    "an unattributed speaker adds nothing": with_context(
        new(world(room_asks(Operation.APPEND), ROOMS)), actor=SOMEBODY
    ),
    "publishing is not placed": publish_under(),
}

UNWRITABLE: Final = frozenset({"words_are_known"})
"""Checks whose failure is about what the wire form cannot say."""

CASES: Final[dict[str, Facts]] = {
    **{f"permitted: {name}": here.facts for name, here in PERMITTED.items()},
    **{f"denied: {name}": here.facts for name, here in DENIED.items()},
    **{f"failing: {name}": facts for name, facts in FAILING.items() if name not in UNWRITABLE},
}
