"""Views in words, and the views that permitted sessions have."""

from typing import Final

from privity.model.operations import Operation
from tests.policy.samples import (
    ALICES,
    asks,
    cron_asks,
    nobody_asks,
    room_asks,
    world,
)
from tests.policy.world import World

OWN: Final = "append delete derive export read replace retrieve sync"
KEEP: Final = "append derive export read retrieve sync"
USE: Final = "derive read retrieve"
LOOK: Final = "read retrieve"
REVOKED: Final = "identity-revoked"
STALE: Final = "membership-stale"
OUTSIDE: Final = "outside-view"

IN_PRIVATE: Final = world(asks(Operation.READ), ALICES)
IN_ROOM: Final = world(room_asks(Operation.READ), ALICES)
ON_ITS_OWN: Final = world(cron_asks(Operation.READ), ALICES)
NOBODYS: Final = world(nobody_asks(Operation.READ), ALICES)


def said(here: World) -> dict[str, str]:
    """Return the view in words: what each mount gives, or why a store is withheld."""
    view = here.facts.view
    given = {store_id.removeprefix("sto_"): " ".join(sorted(words)) for store_id, words in view.mounts.items()}
    return given | {store_id.removeprefix("sto_"): str(reason) for store_id, reason in view.withheld.items()}


PRIVATE_VIEW: Final = {
    "alice": OWN,
    "alice_before": OWN,
    "shared": USE,
    "staff": USE,
    "projected_staff": USE,
    "projected_cell": USE,
}
ROOM_VIEW: Final = {"room": OWN, "projected_room": USE, "shared": USE, "projected_cell": USE}
SERVICE_VIEW: Final = {"cron": KEEP, "shared": USE, "projected_cell": USE, "staff": USE}
SHARED_VIEW: Final = {"shared": USE, "projected_cell": USE}
