"""Steps on what the engine knows: the plan, the place, the revision, the rules, the sources."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from privity.model.audiences import Audience
from privity.model.ids import (
    AgentId,
    AuthorityRevision,
    DeliveryRevision,
    Fingerprint,
    PolicyRevision,
    PrincipalId,
    RevocationEpoch,
    StoreId,
)
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy, PolicyState, Rule
from privity.model.resources import Anonymity, Integrity, Lineage, RevisionState
from privity.model.stores import StoreFacts, StoreState
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    AUDIENCES,
    BOB,
    CHILD,
    CRON,
    FOREIGN,
    STORES,
    TO_ALICE,
    TO_CELL,
    captured,
    policy,
    revision,
    rule,
)
from tests.policy.world import NOW, World
from tests.property.bend import with_own, with_plan, with_policy, with_revision, with_rule
from tests.property.permitted import depending_on, new, on_card
from tests.property.step import Step, bending, each, given

MOMENT: Final = timedelta(microseconds=1)


def decided(here: World, operation: Operation) -> World:
    """Return the world in which something else is decided than was asked."""
    return replace(here, operation=operation)


def at(here: World, now: Any) -> World:  # noqa: ANN401 - garbage is welcome
    """Return the world at another time."""
    return replace(here, now=now)


def celled(here: World, agent_id: AgentId) -> World:
    """Return the world of another cell, which context and plan do not know of."""
    return replace(here, agent_id=agent_id)


def marked(here: World, fingerprint: Fingerprint) -> World:
    """Return the world with another context fingerprint."""
    return replace(here, fingerprint=fingerprint)


def governed(here: World, authority_revision: AuthorityRevision) -> World:
    """Return the world whose policies have changed."""
    return replace(here, authority_revision=authority_revision)


def placed(here: World, target: StoreFacts) -> World:
    """Return the world about another store, under that store's placement."""
    there = revision(target) if here.revision is None else here.revision
    moved = replace(there, store_id=target.store_id, agent_id=target.agent_id)
    return with_policy(
        replace(here, store=target, revision=None if here.revision is None else moved), audience=target.audience
    )


def misplaced(here: World, target: StoreFacts) -> World:
    """Return the world about another store, the revision staying where it was."""
    return replace(here, store=target)


def with_store(here: World, **changes: Any) -> World:  # noqa: ANN401 - `replace` says which field takes what
    """Return the world with another word about the store, in the catalog too."""
    bent = replace(here.store, **changes)
    rest = (store for store in here.stores if store.store_id != here.store.store_id)
    return replace(here, store=bent, stores=(*rest, bent))


def missing(here: World) -> World:
    """Return the world in which the catalog does not hold the store."""
    return replace(here, stores=tuple(s for s in here.stores if s.store_id != here.store.store_id))


def ruled(here: World, effect: Any, capability: Any, grantee_id: Any) -> World:  # noqa: ANN401 - garbage is welcome
    """Return the world with one rule more."""
    return with_rule(here, rule(effect, capability, grantee_id, name=f"step_{effect}"))


def ruled_until(here: World, effect: Effect, capability: Operation, until: Any) -> World:  # noqa: ANN401
    """Return the world with one rule about Alice more, which ends at another time."""
    return with_rule(here, replace(rule(effect, capability, ALICE, name="until"), expires_at=until))


def ruled_only_until(here: World, effect: Effect, capability: Operation, until: datetime) -> World:
    """Return the world with one rule about Alice alone, which ends at a time."""
    return with_policy(here, rules=(replace(rule(effect, capability, ALICE, name="only"), expires_at=until),))


def also_under(here: World, audience: Audience) -> World:
    """Return the world whose resource has a second policy."""
    return with_own(here, *here.own_policies, policy("second", audience))


def source(audience: Audience, *rules: Rule) -> Policy:
    """Return the policy of a source."""
    return policy("source", audience, *rules)


def derived_from(here: World, audience: Audience, *rules: Rule) -> World:
    """Return the world whose text was derived under one policy more."""
    return depending_on(here, source(audience, *rules))


def captured_then(here: World, **changes: Any) -> World:  # noqa: ANN401 - `replace` says which field takes what
    """Return the world whose text was derived under a policy that was another then."""
    bound = depending_on(here, source(TO_CELL))
    return replace(bound, requirements=(*here.requirements, replace(captured(source(TO_CELL)), **changes)))


def became(here: World, **changes: Any) -> World:  # noqa: ANN401 - `replace` says which field takes what
    """Return the world in which the policy of a source has changed since."""
    bound, was = depending_on(here, source(TO_CELL)), source(TO_CELL)
    return replace(bound, policies={**bound.policies, was.policy_id: replace(was, **changes)})


def forgot(here: World) -> World:
    """Return the world in which the policy of a source cannot be found."""
    bound = depending_on(here, source(TO_CELL))
    return replace(bound, policies={k: v for k, v in bound.policies.items() if k != source(TO_CELL).policy_id})


NAIVE: Final = NOW.replace(tzinfo=None)
WORDS: Final = (Operation.READ, Operation.RETRIEVE, Operation.DERIVE, Operation.APPEND, Operation.DELETE)
GRANTEES: Final[tuple[PrincipalId | None, ...]] = (None, ALICE, ALICE_BEFORE, BOB, CRON, CHILD)

PLACE_STEPS: Final[tuple[Step, ...]] = (
    *each(at, NOW + MOMENT, NOW + timedelta(minutes=59), NOW + timedelta(hours=1), NOW - timedelta(hours=1)),
    *each(celled, FOREIGN),
    *each(marked, Fingerprint("0" * 64)),
    *each(governed, AuthorityRevision(8), AuthorityRevision(10)),
    *each(decided, *Operation),
    *(bending(with_plan, operation=word) for word in (Operation.READ, Operation.APPEND)),
    bending(with_plan, agent_id=FOREIGN),
    bending(with_plan, context_fingerprint=Fingerprint("0" * 64)),
    bending(with_plan, delivery_revision=DeliveryRevision("der_2")),
    bending(with_plan, expires_at=NOW),
    bending(with_plan, expires_at=NOW + MOMENT),
    *each(placed, *STORES),
    *each(misplaced, *STORES[:4]),
    bending(with_store, agent_id=FOREIGN),
    bending(with_store, state=StoreState.RETIRED),
    given(missing),
    given(new),
    given(on_card),
    *(bending(with_revision, state=state) for state in RevisionState),
    *(bending(with_revision, integrity=integrity) for integrity in Integrity),
    *(bending(with_revision, expires_at=end) for end in (None, NOW, NOW + MOMENT)),
    *(bending(with_revision, anonymity=anonymity) for anonymity in Anonymity),
    bending(with_revision, lineage=Lineage.BROKEN),
    bending(with_revision, agent_id=FOREIGN),
    bending(with_revision, store_id=StoreId("sto_nowhere")),
)

RULE_STEPS: Final[tuple[Step, ...]] = (
    *(given(ruled, effect, word, who) for effect in Effect for word in WORDS for who in GRANTEES),
    *(given(ruled, Effect.ALLOW, word, ALICE) for word in Operation),
    *(given(ruled, Effect.DENY, word, ALICE) for word in Operation),
    *(given(ruled_until, effect, word, NOW) for effect in Effect for word in (Operation.READ, Operation.PUBLISH)),
    *(given(ruled_only_until, Effect.ALLOW, Operation.PUBLISH, end) for end in (NOW, NOW + MOMENT)),
    *(given(ruled_until, effect, Operation.READ, end) for effect in Effect for end in (None, NOW + MOMENT)),
    given(ruled, "deny", Operation.READ, ALICE),
    given(ruled, "perhaps", Operation.READ, BOB),
    given(ruled, Effect.ALLOW, "peek", ALICE),
    given(ruled, Effect.ALLOW, "read", BOB),
    given(ruled_until, Effect.ALLOW, Operation.READ, NAIVE),
    given(ruled_until, Effect.DENY, Operation.SYNC, NAIVE),
    bending(with_policy, state=PolicyState.REVOKED),
    *(bending(with_policy, audience=audience) for audience in AUDIENCES),
    *each(also_under, *AUDIENCES),
    given(with_own),
)

SOURCE_STEPS: Final[tuple[Step, ...]] = (
    *each(derived_from, *AUDIENCES),
    *(given(derived_from, TO_CELL, rule(Effect.DENY, word, who)) for word in Operation for who in (None, ALICE)),
    given(derived_from, TO_CELL, rule(Effect.DENY, Operation.READ, BOB)),
    given(derived_from, TO_ALICE, replace(rule(Effect.DENY, Operation.READ, ALICE), expires_at=NOW)),
    given(derived_from, TO_CELL, rule(Effect.ALLOW, Operation.READ, None)),
    bending(captured_then, expected_revision=PolicyRevision(2)),
    bending(captured_then, expected_revision=PolicyRevision(4)),
    bending(captured_then, expected_epoch=RevocationEpoch(0)),
    bending(became, policy_revision=PolicyRevision(4)),
    bending(became, revocation_epoch=RevocationEpoch(2)),
    bending(became, state=PolicyState.REVOKED),
    bending(became, audience=TO_ALICE),
    given(forgot),
)

ENGINE_STEPS: Final = (*PLACE_STEPS, *RULE_STEPS, *SOURCE_STEPS)
