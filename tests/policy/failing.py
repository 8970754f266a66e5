"""For each check of the evaluator a case in which it is the first that fails."""

from dataclasses import replace
from typing import Final

from privity.model.context import CollaborationMode, CollaborationRole
from privity.model.ids import AuthorityRevision, DeliveryRevision, Fingerprint, HostFactsRevision, StoreId
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.model.reasons import Reason
from privity.model.resources import Lineage, RevisionState
from privity.model.standing import Authenticity
from privity.policy.facts import Facts, View
from tests.policy.samples import (
    ALICE,
    ALICES,
    BOB,
    BOBS,
    FOREIGN,
    INSIDE,
    ROOMS,
    SHARED,
    STAFFS,
    TO_ALICE,
    TO_BOB,
    TO_CELL,
    asks,
    nobody_asks,
    person,
    room_asks,
    rule,
    verified,
    world,
)
from tests.policy.world import NOW, World, with_context
from tests.property.bend import with_actor, with_delegation, with_plan, with_policy, with_revision, with_standing
from tests.property.engine_steps import derived_from
from tests.property.people import lasting, sent_to, with_people
from tests.property.permitted import collaborating, new, on_card

READ: Final = world(asks(Operation.READ), ALICES)
APPEND: Final = new(world(asks(Operation.APPEND), ALICES))
ROOM: Final = world(room_asks(Operation.READ), ROOMS)
CARD: Final = on_card(new(world(room_asks(Operation.APPEND), ROOMS)))
NAMELESS: Final = rule(Effect.ALLOW, Operation.READ, None)


def withholding(here: World, reason: Reason) -> Facts:
    """Return facts whose view withholds the store."""
    return replace(here.facts, view=View(mounts={}, withheld={here.store.store_id: reason}))


FAILING: Final[dict[str, Facts]] = {
    "words_are_known": replace(READ.facts, section="note"),
    "context_is_genuine": with_standing(READ, authenticity=Authenticity.FORGED).facts,
    "context_is_in_time": with_context(READ, expires_at=NOW).facts,
    "merges_are_coherent": with_people(READ, verified(ALICE, BOB), verified(BOB)).facts,
    "session_is_current": with_standing(READ, subject_revision=None).facts,
    "delivery_is_current": with_standing(READ, delivery_revision=DeliveryRevision("der_2")).facts,
    "host_facts_are_current": with_standing(READ, host_facts_revision=HostFactsRevision(6)).facts,
    "identities_are_current": with_actor(READ, expires_at=NOW).facts,
    "delegation_permits": with_delegation(READ, depth=9).facts,
    "plan_is_bound": with_plan(READ, context_fingerprint=Fingerprint("0" * 64)).facts,
    "plan_delivers_there": with_plan(READ, delivery_revision=DeliveryRevision("der_2")).facts,
    "plan_is_current": with_plan(READ, authority_revision=AuthorityRevision(8)).facts,
    "identity_withholds_nothing": withholding(READ, Reason.IDENTITY_REVOKED),
    "membership_withholds_nothing": lasting(ROOM, NOW).facts,
    "nothing_withholds": with_context(READ, actor=person(BOB)).facts,
    "store_is_mounted": world(asks(Operation.READ), BOBS).facts,
    "store_is_inside": replace(READ.facts, agent_id=FOREIGN),
    "revision_is_inside": with_revision(READ, store_id=StoreId("sto_room")).facts,
    "somebody_is_known": world(nobody_asks(Operation.READ), SHARED).facts,
    "revision_is_readable": with_revision(READ, state=RevisionState.TOMBSTONED).facts,
    "session_is_visible": collaborating(READ, CollaborationMode.DRAFT, CollaborationRole.VIEWER).facts,
    "mutation_is_permitted": collaborating(APPEND, CollaborationMode.READ_ONLY, CollaborationRole.OWNER).facts,
    "card_is_its_owners": with_context(CARD, conversation=None).facts,
    "rules_are_understood": with_policy(READ, rules=(NAMELESS,)).facts,
    "nothing_denies": with_policy(READ, rules=(rule(Effect.DENY, Operation.RETRIEVE, ALICE),)).facts,
    "everything_is_granted": new(world(asks(Operation.APPEND), STAFFS)).facts,
    "audiences_are_covered": sent_to(READ, TO_ALICE, TO_BOB).facts,
    "lineage_is_intact": with_revision(READ, lineage=Lineage.BROKEN).facts,
    "requirements_are_live": derived_from(READ, TO_BOB).facts,
    "inherited_rules_are_understood": derived_from(READ, TO_CELL, NAMELESS).facts,
    "inherited_rules_deny_nothing": derived_from(READ, TO_CELL, rule(Effect.DENY, Operation.READ, ALICE)).facts,
    "derivation_has_an_audience": derived_from(
        sent_to(new(world(asks(Operation.DERIVE), ALICES)), INSIDE), TO_BOB
    ).facts,
}
"""For each check a case in which it is the first that fails."""
