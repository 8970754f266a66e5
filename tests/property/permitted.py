"""Worlds in which the evaluator permits: one for each kind of thing that is meant to work."""

from dataclasses import replace
from typing import Final

from privity.model.audiences import Audience
from privity.model.context import (
    CollaborationMode,
    CollaborationRole,
    Delegation,
    SharedSession,
    Visibility,
)
from privity.model.ids import CollaborationRevision, ContextId, PlanId, PrincipalId
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy
from privity.model.principals import ActorKind
from privity.model.resources import Anonymity, Section
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    ALICES,
    ALICES_BEFORE,
    AUDIENCES,
    BOB,
    CHILD,
    CONVERSATION,
    CRONS,
    INSIDE,
    PROJECTED_TO_CELL,
    PROJECTED_TO_ROOM,
    PROJECTED_TO_STAFF,
    ROOMS,
    SERVICE,
    SHARED,
    SOMEBODY,
    STAFFS,
    TO_ALICE,
    TO_CELL,
    TO_ROOM,
    TO_STAFF,
    USER,
    asks,
    captured,
    context,
    cron_asks,
    nobody_asks,
    person,
    policy,
    room_asks,
    rule,
    world,
)
from tests.policy.world import NOW, World, with_context

ADDS: Final = frozenset(
    {
        Operation.APPEND,
        Operation.SYNC,
        Operation.PUBLISH,
        Operation.POLICY_ADMIN,
        Operation.DEPOSIT,
        Operation.IMPORT,
    }
)
OWNERS_WORDS: Final = (
    Operation.RETRIEVE,
    Operation.READ,
    Operation.DERIVE,
    Operation.APPEND,
    Operation.REPLACE,
    Operation.DELETE,
    Operation.EXPORT,
    Operation.SYNC,
)
SERVICE_WORDS: Final = (
    Operation.RETRIEVE,
    Operation.READ,
    Operation.DERIVE,
    Operation.APPEND,
    Operation.EXPORT,
    Operation.SYNC,
)
READERS_WORDS: Final = (Operation.RETRIEVE, Operation.READ, Operation.DERIVE)
GRANTED_WORDS: Final = (
    Operation.PUBLISH,
    Operation.POLICY_ADMIN,
    Operation.DEPOSIT,
    Operation.PROJECT,
    Operation.IMPORT,
    Operation.DELETE,
)


def new(here: World) -> World:
    """Return the world in which something new is added."""
    return replace(here, revision=None)


def fitting(here: World) -> World:
    """Return the world with a revision exactly where the operation is about one."""
    return new(here) if here.operation in ADDS else here


def anonymous(here: World) -> World:
    """Return the world whose revision may be seen where nobody is known."""
    assert here.revision is not None
    return replace(here, revision=replace(here.revision, anonymity=Anonymity.ANONYMOUS_SAFE))


def depending_on(here: World, *sources: Policy) -> World:
    """Return the world whose text was derived under other policies."""
    return replace(
        here,
        requirements=(*here.requirements, *(captured(source) for source in sources)),
        policies={**here.policies, **{source.policy_id: source for source in sources}},
    )


def delegated(here: World, root: PrincipalId) -> World:
    """Return the world in which a child agent acts with everything handed on."""
    return with_context(
        here,
        actor=person(CHILD, ActorKind.AGENT),
        delegation=Delegation(
            root_principal_id=root,
            root_context_id=ContextId("ctx_root"),
            parent_context_id=ContextId("ctx_parent"),
            parent_plan_id=PlanId("pln_parent"),
            capability_snapshot_id="cap_1",
            allowed_operations=frozenset(Operation),
            maximum_audiences=frozenset[Audience](AUDIENCES),
            store_cap_token="token",
            depth=2,
        ),
    )


def collaborating(here: World, mode: CollaborationMode, role: CollaborationRole) -> World:
    """Return the world with a decision about a collaborative session."""
    decided = SharedSession(mode=mode, role=role, decision_revision=CollaborationRevision("clr_1"))
    return with_context(here, collaboration=decided)


def on_card(here: World) -> World:
    """Return the world in which the front card is written."""
    return replace(here, section=Section.CARD)


def granted(capability: Operation) -> World:
    """Return the world in which Alice has by a rule what placement does not give."""
    allow = rule(Effect.ALLOW, capability, ALICE, name="allow")
    return fitting(world(asks(capability), SHARED, allow))


SOURCES: Final = (
    policy("source_cell", TO_CELL),
    policy("source_staff", TO_STAFF, rule(Effect.DENY, Operation.READ, BOB, name="bob")),
    policy("source_alice", TO_ALICE),
)
ENDED: Final = replace(rule(Effect.DENY, Operation.READ, ALICE, name="ended"), expires_at=NOW)
OTHERS: Final = rule(Effect.DENY, Operation.READ, BOB, name="others")
ELSE: Final = rule(Effect.DENY, Operation.DELETE, None, name="else")
BY_OLD_NAME: Final = rule(Effect.ALLOW, Operation.PUBLISH, ALICE_BEFORE, name="old")

OWN: Final = tuple(fitting(world(asks(word), ALICES)) for word in OWNERS_WORDS)
ROOM: Final = tuple(fitting(world(room_asks(word), ROOMS)) for word in OWNERS_WORDS)
CRON: Final = tuple(fitting(world(cron_asks(word), CRONS)) for word in SERVICE_WORDS)

PERMITTED: Final[tuple[World, ...]] = (
    *OWN,
    *ROOM,
    *CRON,
    *(
        world(asks(word), where)
        for word in READERS_WORDS
        for where in (SHARED, STAFFS, PROJECTED_TO_STAFF, PROJECTED_TO_CELL, ALICES_BEFORE)
    ),
    *(
        world(room_asks(word), where)
        for word in READERS_WORDS
        for where in (SHARED, PROJECTED_TO_ROOM, PROJECTED_TO_CELL)
    ),
    *(world(cron_asks(word), where) for word in READERS_WORDS for where in (SHARED, STAFFS, PROJECTED_TO_CELL)),
    *(anonymous(world(nobody_asks(word), SHARED)) for word in (Operation.RETRIEVE, Operation.READ)),
    *(
        world(context(CONVERSATION, SOMEBODY, Operation.READ, TO_ROOM), where)
        for where in (ROOMS, SHARED, PROJECTED_TO_ROOM)
    ),
    anonymous(world(context(USER, SOMEBODY, Operation.READ, TO_ALICE), SHARED)),
    with_context(world(asks(Operation.READ), SHARED), visibility=Visibility.INCOGNITO),
    with_context(world(room_asks(Operation.READ), SHARED), visibility=Visibility.INCOGNITO),
    *(granted(word) for word in GRANTED_WORDS),
    new(world(asks(Operation.PUBLISH), SHARED, BY_OLD_NAME)),
    world(asks(Operation.READ), ALICES, ENDED, OTHERS, ELSE),
    depending_on(world(asks(Operation.READ), ALICES), *SOURCES),
    depending_on(world(asks(Operation.DELETE), ALICES), *SOURCES),
    depending_on(new(world(asks(Operation.DERIVE), ALICES)), *SOURCES),
    replace(depending_on(new(world(asks(Operation.APPEND), ALICES)), *SOURCES), operation=Operation.DERIVE),
    replace(new(world(room_asks(Operation.APPEND), ROOMS)), operation=Operation.DERIVE),
    replace(new(granted(Operation.PUBLISH)), operation=Operation.DERIVE),
    on_card(new(world(asks(Operation.APPEND), ALICES))),
    on_card(new(world(room_asks(Operation.APPEND), ROOMS))),
    on_card(world(asks(Operation.READ), ALICES)),
    delegated(world(asks(Operation.READ), ALICES), ALICE),
    delegated(world(asks(Operation.READ), STAFFS), ALICE_BEFORE),
    delegated(new(world(asks(Operation.APPEND), ALICES)), ALICE),
    delegated(world(cron_asks(Operation.READ), CRONS), SERVICE.principal_id),
    delegated(world(asks(Operation.READ), SHARED), BOB),
    *(collaborating(here, CollaborationMode.SHARED, role) for here in (ROOM[0], ROOM[1]) for role in CollaborationRole),
    collaborating(ROOM[3], CollaborationMode.SUGGEST, CollaborationRole.OWNER),
    world(context(USER, person(ALICE), Operation.READ, TO_ALICE, INSIDE), STAFFS),
)
