"""Laws of the audit outbox."""

from dataclasses import replace
from functools import partial
from typing import Final

from privity.conformance import storage_samples as samples
from privity.conformance.storage_checks import refuses, same
from privity.conformance.storage_scene import ALL, Scene, open_scene
from privity.engine.ports import Backend
from privity.model.ids import DecisionId


def numbers(scene: Scene) -> list[int]:
    """Return the sequence of every record of a cell."""
    return [record.sequence for record in scene.backend.outbox.pull(scene.agent_id, 0, ALL)]


def a_record_comes_back_exactly(backend: Backend) -> None:
    """Every field survives; the sequence is the catalog's, whatever the record said."""
    scene = open_scene(backend)
    bare = replace(
        samples.record(scene.agent_id, "2"),
        accessor_id=None,
        reason=None,
        query_digest=None,
        search_tier=None,
        policy_set_id=None,
        receipt_id=None,
        trace=(),
        sequence=99,
    )
    for record in (samples.record(scene.agent_id, "1"), bare):
        backend.outbox.record(record)
    wanted = (replace(samples.record(scene.agent_id, "1"), sequence=1), replace(bare, sequence=2))
    same(backend.outbox.pull(scene.agent_id, 0, ALL), wanted)


def every_commit_takes_the_next_number_of_its_cell(backend: Backend) -> None:
    """No commit is without a record, no number is missing or used twice, and cells count apart."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    ada = scene.add_store("ada")
    run = scene.begin(scene.run("run_1"))
    row = scene.derive(ada, "1")
    backend.runs.expose(scene.exposure(run, row))
    backend.runs.append_event(scene.utterance("1"))
    backend.stores.amend(scene.amendment(samples.policy("ada", revision=2)))
    scene.tombstone(row)
    backend.outbox.record(samples.record(scene.agent_id, "denied"))
    backend.outbox.record(samples.record(other.agent_id, "denied"))
    same(numbers(scene), [1, 2, 3, 4, 5, 6, 7])
    same(numbers(other), [1])


def a_refused_commit_takes_no_number(backend: Backend) -> None:
    """The count stays gapless past commits that came to nothing."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    row = scene.derive(ada, "1")
    refuses(scene, partial(backend.revisions.activate, scene.activation(samples.revision(ada, "1"))))
    scene.tombstone(row)
    same(numbers(scene), [1, 2])


def records_are_pulled_in_pages(backend: Backend) -> None:
    """After a sequence, at most so many, oldest first; no limit is never everything."""
    scene = open_scene(backend)
    for number in range(5):
        backend.outbox.record(samples.record(scene.agent_id, str(number)))
    for after, limit, wanted in (
        (0, 2, [1, 2]),
        (2, 2, [3, 4]),
        (4, 2, [5]),
        (5, 2, []),
        (-7, 1, [1]),
        (0, 0, []),
        (0, -1, []),
        (0, ALL, [1, 2, 3, 4, 5]),
    ):
        pulled = backend.outbox.pull(scene.agent_id, after, limit)
        same([record.sequence for record in pulled], wanted)


def a_decision_is_found_in_its_cell_only(backend: Backend) -> None:
    """By its exact id, and the first record where one was written twice."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "agt_two")
    record = samples.record(scene.agent_id, "x")
    for result_count in (1, 2):
        backend.outbox.record(replace(record, result_count=result_count))
    found = replace(record, sequence=1, result_count=1)
    same(backend.outbox.find_record(scene.agent_id, record.decision_id), found)
    same(backend.outbox.find_record(scene.agent_id, DecisionId("dec_X")), None)
    same(backend.outbox.find_record(other.agent_id, record.decision_id), None)


LAWS: Final = (
    a_record_comes_back_exactly,
    every_commit_takes_the_next_number_of_its_cell,
    a_refused_commit_takes_no_number,
    records_are_pulled_in_pages,
    a_decision_is_found_in_its_cell_only,
)
