"""Steps on what the host states: the context, the people, the delivery, the delegation."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from privity.model.audiences import Audience
from privity.model.context import CollaborationMode, CollaborationRole, Visibility
from privity.model.ids import (
    DeliveryRevision,
    EgressRegistryRevision,
    HostFactsRevision,
    SessionIdentityRevision,
    SubjectRevision,
)
from privity.model.operations import Operation
from privity.model.principals import SenderStrength
from privity.model.standing import Authenticity
from privity.model.subjects import AutonomousKind, SessionSubject
from tests.policy.samples import (
    ALICE,
    ALICE_BEFORE,
    AMBIGUOUS,
    AUDIENCES,
    BOARD,
    BOB,
    CHILD,
    CONVERSATION,
    CRON,
    FOREIGN,
    INSIDE,
    LOBBY,
    ROOM,
    SERVICE,
    SOMEBODY,
    STAFF,
    TO_ALICE_BEFORE,
    TO_CELL,
    TO_STAFF,
    USER,
    person,
    verified,
)
from tests.policy.world import NOW, with_context
from tests.property.bend import (
    with_actor,
    with_delegation,
    with_delivery,
    with_operation,
    with_room,
    with_standing,
)
from tests.property.people import (
    also_sent_to,
    joined,
    lasting,
    left,
    outdated,
    seen,
    sent_to,
    with_members,
    with_people,
)
from tests.property.permitted import collaborating, delegated
from tests.property.step import Step, bending, each, given

MOMENT: Final = timedelta(microseconds=1)
EVERYBODY: Final = (ALICE, ALICE_BEFORE, BOB, CRON, CHILD, ROOM)
SUBJECTS: Final[tuple[SessionSubject, ...]] = (
    USER,
    replace(USER, principal_id=BOB),
    replace(USER, principal_id=ALICE_BEFORE),
    CONVERSATION,
    replace(CONVERSATION, conversation_id=LOBBY),
    SERVICE,
    replace(SERVICE, kind=AutonomousKind.SYSTEM),
    replace(SERVICE, kind=AutonomousKind.AGENT, principal_id=CHILD),
    AMBIGUOUS,
)

CONTEXT_STEPS: Final[tuple[Step, ...]] = (
    bending(with_standing, authenticity=Authenticity.FORGED),
    bending(with_standing, authenticity=Authenticity.CLOSED),
    bending(with_context, version=2),
    bending(with_context, agent_id=FOREIGN),
    bending(with_context, issued_at=NOW),
    bending(with_context, issued_at=NOW + MOMENT),
    bending(with_context, expires_at=NOW),
    bending(with_context, expires_at=NOW + MOMENT),
    bending(with_context, visibility=Visibility.INCOGNITO),
    bending(with_standing, session_identity_revision=None),
    bending(with_standing, session_identity_revision=SessionIdentityRevision("sir_2")),
    bending(with_standing, subject_revision=None),
    bending(with_standing, subject_revision=SubjectRevision("sur_2")),
    bending(with_standing, delivery_revision=DeliveryRevision("der_2")),
    bending(with_standing, egress_registry_revision=EgressRegistryRevision("err_2")),
    bending(with_standing, host_facts_revision=HostFactsRevision(6)),
    bending(with_delivery, delivery_revision=DeliveryRevision("der_3")),
    *(bending(with_standing, revoked_ids=frozenset({gone})) for gone in EVERYBODY),
    *(bending(with_operation, operation=word) for word in Operation),
    *(bending(with_context, session_subject=subject) for subject in SUBJECTS),
)

PEOPLE_STEPS: Final[tuple[Step, ...]] = (
    *(bending(with_context, actor=person(who)) for who in EVERYBODY),
    bending(with_context, actor=SOMEBODY),
    *(bending(with_actor, strength=strength) for strength in SenderStrength),
    bending(with_actor, expires_at=None),
    bending(with_actor, expires_at=NOW),
    bending(with_actor, expires_at=NOW + MOMENT),
    *each(outdated, None, NOW, NOW + MOMENT),
    given(with_people),
    given(with_people, verified(ALICE)),
    given(with_people, verified(ALICE), verified(ALICE, ALICE_BEFORE)),
    given(with_people, verified(ALICE_BEFORE, ALICE)),
    given(with_people, verified(ALICE, ALICE_BEFORE, BOB)),
    given(with_people, verified(ALICE, ALICE_BEFORE), verified(BOB, ALICE_BEFORE)),
    given(with_people, verified(ALICE, ALICE_BEFORE), verified(ALICE_BEFORE, BOB)),
    given(with_people, verified(ALICE, ALICE_BEFORE), verified(BOB)),
    given(with_members),
    *each(left, *range(5)),
    *each(seen, NOW, NOW + MOMENT),
    *each(lasting, NOW, NOW + MOMENT),
    *(given(joined, who, group) for who in (ALICE, ALICE_BEFORE, BOB, CRON, CHILD) for group in (STAFF, BOARD, ROOM)),
    bending(with_context, conversation=None),
    *(bending(with_room, owner_id=who) for who in (None, ALICE_BEFORE, BOB)),
    bending(with_room, conversation_id=LOBBY),
)

DELIVERY_STEPS: Final[tuple[Step, ...]] = (
    given(sent_to),
    *each(sent_to, *AUDIENCES),
    *each(also_sent_to, *AUDIENCES),
    *(given(sent_to, INSIDE, output) for output in AUDIENCES),
)

HANDED_ON: Final = (
    frozenset[Audience](),
    frozenset({TO_CELL}),
    frozenset({TO_ALICE_BEFORE}),
    frozenset({TO_STAFF, INSIDE}),
)
ALLOWED: Final = (
    frozenset[Operation](),
    frozenset({Operation.READ}),
    frozenset({Operation.RETRIEVE}),
    frozenset({Operation.RETRIEVE, Operation.READ}),
    frozenset({Operation.APPEND, Operation.PUBLISH, Operation.SYNC}),
)

SESSION_STEPS: Final[tuple[Step, ...]] = (
    *each(delegated, ALICE, ALICE_BEFORE, BOB, CRON),
    *(bending(with_delegation, depth=depth) for depth in (-1, 0, 1, 8, 9)),
    *(bending(with_delegation, root_principal_id=root) for root in (BOB, CRON)),
    *(bending(with_delegation, maximum_audiences=audiences) for audiences in HANDED_ON),
    *(bending(with_delegation, allowed_operations=words) for words in ALLOWED),
    *(given(collaborating, mode, role) for mode in CollaborationMode for role in CollaborationRole),
)

HOST_STEPS: Final = (*CONTEXT_STEPS, *PEOPLE_STEPS, *DELIVERY_STEPS, *SESSION_STEPS)
