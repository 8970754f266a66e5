"""An access review, which lists, against the evaluator, which is asked about each."""

from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privity.model.decisions import Allow
from privity.model.operations import Operation
from privity.model.policies import Effect, Policy
from privity.model.resources import Anonymity, Integrity, Lineage, RevisionState
from privity.model.stores import StoreFacts
from privity.policy.evaluator import decide
from privity.policy.facts import RevisionFacts
from tests.policy.reference import confusing, needs, nobody_in_particular, speaking
from tests.policy.reference_people import has_ended
from tests.policy.reference_reach import all_reached
from tests.policy.reference_view import stand
from tests.policy.samples import ALICE, AUDIENCES, BOB, STORES, captured, policy, revision, rule
from tests.policy.world import NOW, World
from tests.property.bend import with_operation
from tests.property.counts import SECONDS, tried
from tests.property.permitted import PERMITTED

pytestmark = [pytest.mark.property, pytest.mark.timeout(SECONDS)]

Value = TypeVar("Value")
READINGS = (Operation.RETRIEVE, Operation.READ, Operation.EXPORT)
RULES = st.sampled_from(
    (
        rule(Effect.DENY, Operation.READ, ALICE, name="deny_alice"),
        rule(Effect.DENY, Operation.READ, None, name="deny_all"),
        replace(rule(Effect.DENY, Operation.RETRIEVE, ALICE, name="ended"), expires_at=NOW),
        rule(Effect.ALLOW, Operation.EXPORT, ALICE, name="export"),
        rule(Effect.ALLOW, Operation.EXPORT, BOB, name="export_bob"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One revision of the whole state, with everything it depends on."""

    store: StoreFacts
    revision: RevisionFacts
    own: tuple[Policy, ...]
    sources: tuple[Policy, ...]


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Draw one revision of some store, most often a readable one."""
    store = draw(st.sampled_from(STORES))
    second = draw(st.lists(st.sampled_from(AUDIENCES), max_size=1))
    facts = replace(
        revision(store),
        state=draw(mostly(RevisionState.ACTIVE, RevisionState.TOMBSTONED, RevisionState.PENDING)),
        integrity=draw(mostly(Integrity.VERIFIED, Integrity.MISMATCHED)),
        lineage=draw(mostly(Lineage.INTACT, Lineage.BROKEN)),
        anonymity=draw(st.sampled_from(Anonymity)),
        expires_at=draw(mostly(None, NOW)),
    )
    return Row(
        store=store,
        revision=facts,
        own=(
            policy("placement", store.audience, *draw(st.lists(RULES, max_size=1))),
            *(policy("second", audience) for audience in second),
        ),
        sources=tuple(policy("source", a) for a in draw(st.lists(st.sampled_from(AUDIENCES), max_size=1))),
    )


def mostly(usual: Value, *others: Value) -> st.SearchStrategy[Value]:
    """Return the usual value most of the time."""
    return st.sampled_from((usual, usual, usual, *others))


def asked_about(world: World, row: Row) -> World:
    """Return the world in which the same context asks for this row."""
    return replace(
        world,
        store=row.store,
        revision=row.revision,
        own_policies=row.own,
        requirements=tuple(captured(source) for source in row.sources),
        policies={source.policy_id: source for source in row.sources},
    )


def review(world: World, state: list[Row]) -> set[int]:
    """List what the context may have of the whole state, one condition after another over all rows."""
    everything = range(len(state))
    needed = needs(world.operation)
    views = {s.store_id: stand(world.context, s, world.standing, world.now) for s in world.stores}
    facts = {n: asked_about(world, state[n]).facts for n in everything}
    ruled = {n: {(p.state, r) for p in state[n].own for r in p.rules} for n in everything}
    mounted = {n for n in everything if isinstance(views[state[n].store.store_id], set)}
    readable = {
        n
        for n in everything
        if state[n].revision.state == "active"
        and state[n].revision.integrity == "verified"
        and state[n].revision.lineage == "intact"
        and not has_ended(state[n].revision.expires_at, world.now)
    }
    known = {
        n
        for n in everything
        if state[n].revision.anonymity == "anonymous-safe" or not nobody_in_particular(world.context)
    }
    denied = {n for n in everything if speaking(facts[n], ruled[n], needed, Effect.DENY)}
    unclear = {n for n in everything if confusing(facts[n], ruled[n], needed)}
    granted = {
        n
        for n in mounted
        if needed
        <= set(views[state[n].store.store_id] or ())
        | {str(r.capability) for r in speaking(facts[n], ruled[n], needed, Effect.ALLOW)}
    }
    reached = {n for n in everything if all_reached(facts[n], (p.audience for p in (*state[n].own, *state[n].sources)))}
    return (mounted & readable & known & granted & reached) - denied - unclear


@pytest.mark.proves("case:POL-14", "policy:order:eleven-steps")
@tried(150, 10_000)
@given(
    start=st.sampled_from(PERMITTED), word=st.sampled_from(READINGS), state=st.lists(rows(), min_size=5, max_size=12)
)
def test_POL_14_an_access_review_lists_exactly_what_the_evaluator_allows(
    start: World, word: Operation, state: list[Row]
) -> None:
    """The listing over the whole state and the decision about each row are one set."""
    world = with_operation(start, word)

    listed = review(world, state)

    assert listed == {n for n, row in enumerate(state) if isinstance(decide(asked_about(world, row).facts), Allow)}


@pytest.mark.proves("case:POL-14")
def test_POL_14_an_access_review_of_a_fixed_state_is_known_by_heart() -> None:
    """Alice reads her own two stores, her role's, the shared one and what was projected to either, and no more."""
    world = with_operation(PERMITTED[0], Operation.READ)
    state = [Row(store=s, revision=revision(s), own=(policy("placement", s.audience),), sources=()) for s in STORES]

    names = {state[n].store.store_id for n in review(world, state)}
    allowed = {row.store.store_id for row in state if isinstance(decide(asked_about(world, row).facts), Allow)}

    assert names == allowed
    assert allowed == {
        "sto_alice",
        "sto_alice_before",
        "sto_staff",
        "sto_shared",
        "sto_projected_staff",
        "sto_projected_cell",
    }
