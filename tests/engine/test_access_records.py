"""The access record: one for each act on rows, with who, whose, what, how many and when, and no word of the query."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import pytest

from privity.engine.seals import Seals
from privity.model.audit import AuditKind, AuditRecord, SearchTier
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import ResourceHandle
from privity.model.mutations import Forget, Publish, Remember
from privity.model.operations import Operation
from privity.model.plans import Plan
from privity.model.policies import Effect
from privity.model.principals import PrincipalActor
from privity.model.resources import Anonymity, Section
from privity.model.stores import StoreKind
from tests.engine.desk import AGENT, Desk, dm
from tests.isolation.homes import Amended, amend, operator

Ask = Callable[[Desk, AccessContext, Plan, ResourceHandle], object]
QUERY: Final = "harbour zanzibar"
CALLS: Final[dict[str, tuple[Operation, Ask]]] = {
    "search": (Operation.READ, lambda d, c, p, _: d.engine.search(c, p, QUERY, about=None, limit=6)),
    "read": (Operation.READ, lambda d, c, p, h: d.engine.read(c, p, h, lines=None)),
    "bootstrap": (Operation.READ, lambda d, c, p, _: d.engine.bootstrap(c, p)),
    "export": (Operation.EXPORT, lambda d, c, p, h: d.engine.export(c, p, [h])),
    "remember": (Operation.APPEND, lambda d, c, p, _: d.engine.write(c, p, NOTE)),
    "forget": (Operation.DELETE, lambda d, c, p, h: d.engine.write(c, p, Forget(handle=h))),
    "publish": (Operation.PUBLISH, lambda d, c, p, _: d.engine.write(c, p, SHARED)),
}
NOTE: Final = Remember(text="A new one.", section=Section.NOTE, about=(), lifetime=None)
SHARED: Final = Publish(text="For all.", anonymity=Anonymity.IDENTIFIED_ONLY)
OWN: Final = (StoreKind.USER,)
SAID: Final = {
    "search": (AuditKind.ACCESS, Operation.READ, (*OWN, StoreKind.AGENT_SHARED), SearchTier.FTS),
    "read": (AuditKind.ACCESS, Operation.READ, OWN, SearchTier.EXACT),
    "bootstrap": (AuditKind.ACCESS, Operation.READ, OWN, SearchTier.EXACT),
    "export": (AuditKind.ACCESS, Operation.EXPORT, OWN, SearchTier.EXACT),
    "remember": (AuditKind.WRITE, Operation.APPEND, OWN, None),
    "forget": (AuditKind.WRITE, Operation.DELETE, OWN, None),
    "publish": (AuditKind.WRITE, Operation.PUBLISH, (StoreKind.AGENT_SHARED,), None),
}
"""What the record of each call says it is, of which kinds of store, and by which tier; a search looks into all that are mounted."""


def recorded(desk: Desk, name: str) -> tuple[list[AuditRecord], str]:
    """Do one thing with rows of one's own; return what the audit gained, and who did it."""
    amend(desk, Amended(effect=Effect.ALLOW, capability=Operation.PUBLISH))
    seat = desk.begin(operator() if name == "publish" else dm("alice"))
    handle = desk.kept(seat, "The harbour opens in May.")
    if name != "publish":
        desk.kept(seat, "Alice sails.", section=Section.CARD)
    operation, call = CALLS[name]
    context = desk.context(seat, operation)
    plan = desk.engine.authorize(context)
    assert isinstance(plan, Plan)
    before = len(desk.engine.pull_outbox(AGENT, 0, 1_000))
    desk.clock.pass_by(timedelta(seconds=7))
    assert not isinstance(call(desk, context, plan, handle), Denied)
    assert isinstance(seat.actor, PrincipalActor)
    return list(desk.engine.pull_outbox(AGENT, 0, 1_000)[before:]), seat.actor.principal_id


@pytest.mark.proves("case:AUD-01")
@pytest.mark.parametrize("name", CALLS)
def test_whatever_touches_rows_leaves_one_record(desk: Desk, name: str) -> None:
    """Reading one's own is no exception; the record says who, whose, which operation, how many, how found, and when."""
    records, actor = recorded(desk, name)

    assert len(records) == 1
    only = records[0]
    assert (only.kind, only.operation, only.store_kinds, only.search_tier) == SAID[name]
    assert (only.accessor_id, only.at, only.result_count) == (actor, desk.clock.now(), 1)
    assert len(only.target_ids) == len(only.store_kinds)
    assert len(only.revision_ids) == 1
    assert (only.query_digest is not None) == (name == "search")


@pytest.mark.proves("case:AUD-01")
def test_a_search_that_finds_nothing_is_recorded_too(desk: Desk) -> None:
    """That somebody looked is as much an access as what they found."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The harbour opens in May.")
    before = len(desk.engine.pull_outbox(AGENT, 0, 1_000))
    desk.texts(alice, "absent")
    records = desk.engine.pull_outbox(AGENT, 0, 1_000)[before:]

    assert [(one.kind, one.result_count, one.revision_ids) for one in records] == [(AuditKind.ACCESS, 0, ())]


@pytest.mark.proves("audit:query:keyed-digest")
def test_a_query_is_recorded_as_a_digest_that_only_the_home_can_make(desk: Desk) -> None:
    """Equal queries have equal digests, others do not, and without the home's key none can be made or guessed at."""
    alice = desk.begin(dm("alice"))
    desk.kept(alice, "The harbour opens in May.")
    for query in (QUERY, QUERY, f"{QUERY}s"):
        desk.texts(alice, query)
    searches = [one for one in desk.engine.pull_outbox(AGENT, 0, 1_000) if one.search_tier is SearchTier.FTS]
    first, again, other = (one.query_digest for one in searches)
    stranger = Seals(bytes(32)).digest(QUERY)

    assert first == again == desk.parts.seals.digest(QUERY)
    assert len({first, other, stranger}) == 3
    assert "zanzibar" not in repr(searches)
