"""Laws of runs, windows, exposures and labelled transcript events."""

from dataclasses import replace
from functools import partial
from typing import Final

from privity.conformance import storage_samples as samples
from privity.conformance.storage_checks import refuses, same
from privity.conformance.storage_scene import ALL_EXPOSURES, open_scene, window_of
from privity.engine.ports import Backend
from privity.model.ids import PrincipalId, RunExposureRevision, RunId, SessionId
from privity.model.subjects import (
    AmbiguityReason,
    AmbiguousSubject,
    AutonomousKind,
    AutonomousSubject,
    ConversationSubject,
)


def a_window_is_copied_whole(backend: Backend) -> None:
    """A copy holds what its source was shown by then, in its order, and goes on by itself."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    rows = [scene.derive(ada, name) for name in ("2", "1", "3")]
    old = scene.exposure(scene.begin(scene.run("run_1")), *rows[:2])
    backend.runs.expose(old)
    copied = backend.runs.copy_window(scene.agent_id, old.run.session_id, SessionId("ses_2"))
    backend.runs.expose(scene.exposure(old.run, rows[2]))
    run = scene.begin(scene.run("run_2", session_id="ses_2", shown_before=2))
    same(copied, replace(window_of(run, shown=2), session_id=SessionId("ses_2")))
    same(backend.runs.load_window(scene.agent_id, run.session_id), copied)
    same(backend.runs.list_shown(scene.agent_id, run.run_id, ALL_EXPOSURES), ("rev_2", "rev_1"))


def a_window_is_copied_once(backend: Backend) -> None:
    """Once more from the same source changes nothing, and nothing else replaces a window that has begun."""
    scene = open_scene(backend)
    run = scene.begin(scene.run("run_1"))
    copy = partial(backend.runs.copy_window, scene.agent_id)
    same(copy(SessionId("ses_none"), SessionId("ses_2")), None)
    first = copy(run.session_id, SessionId("ses_2"))
    scene.begin(scene.run("run_2", policies=samples.policy_set(samples.requirement("ada"), samples.requirement("bo"))))
    same(copy(run.session_id, SessionId("ses_2")), first)
    refuses(scene, partial(copy, SessionId("ses_2"), run.session_id))
    refuses(scene, partial(copy, SessionId("ses_none"), run.session_id))


def a_run_begins_once_and_its_window_takes_over(backend: Backend) -> None:
    """Run, window, event, label and audit record are one commit."""
    scene = open_scene(backend)
    run = scene.run("run_1", policies=samples.policy_set(samples.requirement("ada"), samples.requirement("bo")))
    same(backend.runs.begin_run(scene.beginning(run, event=samples.event("1"))), run)
    same(backend.runs.load_run(scene.agent_id, run.run_id), run)
    same(backend.runs.load_window(scene.agent_id, run.session_id), window_of(run))
    same([event.event_id for event in backend.runs.list_events(scene.agent_id, run.session_id)], ["evt_1"])
    same(len(backend.outbox.pull(scene.agent_id, 0, 10)), 1)
    refuses(scene, partial(backend.runs.begin_run, scene.beginning(run)))


def a_run_that_leaves_no_trace_appends_no_event(backend: Backend) -> None:
    """Without an event there is a run and no transcript."""
    scene = open_scene(backend)
    run = scene.begin(scene.run("run_1"))
    same(backend.runs.list_events(scene.agent_id, run.session_id), ())


def a_refused_event_begins_no_run(backend: Backend) -> None:
    """An event that the session has refuses the whole beginning."""
    scene = open_scene(backend)
    backend.runs.append_event(scene.utterance("1"))
    commit = scene.beginning(scene.run("run_1"), event=samples.event("1"))
    refuses(scene, partial(backend.runs.begin_run, commit))


def an_exposure_is_recorded_whole(backend: Backend) -> None:
    """The run, its window and the audit record move together."""
    scene = open_scene(backend)
    row = scene.derive(scene.add_store("ada"), "1")
    commit = scene.exposure(scene.begin(scene.run("run_1")), row)
    backend.runs.expose(commit)
    same(backend.runs.load_run(scene.agent_id, commit.run.run_id), commit.run)
    same(backend.runs.load_window(scene.agent_id, commit.run.session_id), window_of(commit.run, shown=1))
    same(backend.runs.list_shown(scene.agent_id, commit.run.run_id, ALL_EXPOSURES), (row.revision_id,))
    same(backend.outbox.pull(scene.agent_id, 0, 10)[-1].decision_id, commit.record.decision_id)


def an_exposure_that_shows_nothing_is_recorded_too(backend: Backend) -> None:
    """A search without results leaves its access record and the run where it was."""
    scene = open_scene(backend)
    run = scene.begin(scene.run("run_1"))
    commit = replace(scene.exposure(run), run=run)
    backend.runs.expose(commit)
    backend.runs.expose(commit)
    same(backend.runs.load_run(scene.agent_id, run.run_id), run)
    same(len(backend.outbox.pull(scene.agent_id, 0, 10)), 3)


def an_exposure_follows_the_one_it_saw(backend: Backend) -> None:
    """Of two made from one state of a run the second is refused, and so is one of an unknown run."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    run = scene.begin(scene.run("run_1"))
    first, second = (scene.exposure(run, scene.derive(ada, name)) for name in ("1", "2"))
    backend.runs.expose(first)
    refuses(scene, partial(backend.runs.expose, second))
    refuses(scene, partial(backend.runs.expose, scene.exposure(scene.run("run_9"))))
    backend.runs.expose(scene.exposure(first.run))


def a_revision_out_of_force_is_not_shown(backend: Backend) -> None:
    """What was forgotten since it was permitted, or lost its source, is refused."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    source = scene.derive(ada, "1")
    child = scene.derive(ada, "2", source)
    good = scene.derive(ada, "3")
    run = scene.begin(scene.run("run_1"))
    scene.tombstone(source)
    refuses(scene, partial(backend.runs.expose, scene.exposure(run, good, source)))
    refuses(scene, partial(backend.runs.expose, scene.exposure(run, child)))
    backend.runs.expose(scene.exposure(run, good))


def a_run_was_shown_what_its_window_was_and_its_own(backend: Backend) -> None:
    """What another run is shown meanwhile is the window's, and a later run's; nothing is listed twice."""
    scene = open_scene(backend)
    ada = scene.add_store("ada")
    first, second, third = (scene.derive(ada, name) for name in ("1", "2", "3"))
    one = scene.begin(scene.run("run_1"))
    two = scene.begin(scene.run("run_2"))
    shown = scene.exposure(one, second, first)
    for commit in (shown, scene.exposure(shown.run, first), scene.exposure(two, first, third)):
        backend.runs.expose(commit)
    late = scene.begin(scene.run("run_3", shown_before=3))
    listed = partial(backend.runs.list_shown, scene.agent_id)
    same(backend.runs.load_window(scene.agent_id, one.session_id), window_of(late, shown=3))
    same(listed(one.run_id, ALL_EXPOSURES), ("rev_2", "rev_1"))
    same(listed(one.run_id, RunExposureRevision(0)), ())
    same(listed(two.run_id, RunExposureRevision(1)), ("rev_1", "rev_3"))
    same(listed(late.run_id, RunExposureRevision(0)), ("rev_2", "rev_1", "rev_3"))
    same(listed(RunId("run_9"), ALL_EXPOSURES), ())


def a_window_never_forgets(backend: Backend) -> None:
    """A commit made from an older state of the window is refused, whichever run it is of."""
    scene = open_scene(backend)
    row = scene.derive(scene.add_store("ada"), "1")
    narrow = samples.policy_set(samples.requirement("ada"), samples.requirement("bo", revision=3))
    one = scene.begin(scene.run("run_1", policies=narrow))
    two = scene.begin(scene.run("run_2", policies=narrow))
    backend.runs.expose(scene.exposure(one, row))
    wider = replace(scene.exposure(two, row), window_policies=samples.policy_set(samples.requirement("ada")))
    refuses(scene, partial(backend.runs.expose, wider))
    refuses(scene, partial(backend.runs.begin_run, scene.beginning(scene.run("run_3", policies=narrow))))
    for policies in (
        samples.policy_set(samples.requirement("ada")),
        samples.policy_set(samples.requirement("ada"), samples.requirement("bo", revision=4)),
    ):
        run = scene.run("run_3", policies=policies, shown_before=1)
        refuses(scene, partial(backend.runs.begin_run, scene.beginning(run)))
    older = samples.policy_set(samples.requirement("ada"), samples.requirement("bo", revision=2))
    scene.begin(scene.run("run_3", policies=older, shown_before=1))


def a_window_bound_to_nobody_stays_so(backend: Backend) -> None:
    """What may reach nobody may not reach somebody by a later run."""
    scene = open_scene(backend)
    requirements = (samples.requirement("ada"),)
    nobody = samples.policy_set(*requirements, members=frozenset())
    scene.begin(scene.run("run_1", policies=nobody))
    somebody = scene.run("run_2", policies=samples.policy_set(*requirements))
    refuses(scene, partial(backend.runs.begin_run, scene.beginning(somebody)))
    scene.begin(scene.run("run_2", policies=nobody))


def windows_are_apart(backend: Backend) -> None:
    """Sessions and agents whose names differ in case share no window and no run."""
    scene, other = open_scene(backend, "agt_one"), open_scene(backend, "AGT_ONE")
    scene.begin(scene.run("run_1", session_id="ses_1"))
    same(backend.runs.load_window(scene.agent_id, SessionId("SES_1")), None)
    same(backend.runs.load_window(other.agent_id, SessionId("ses_1")), None)
    same(backend.runs.load_run(scene.agent_id, RunId("RUN_1")), None)
    same(backend.runs.load_run(other.agent_id, RunId("run_1")), None)
    refuses(other, partial(backend.runs.expose, other.exposure(other.run("run_1"))))


def events_are_numbered_within_their_session(backend: Backend) -> None:
    """From one, without gaps, in the order appended."""
    scene = open_scene(backend)
    sequences = [
        backend.runs.append_event(scene.utterance(name, session_id=session_id))
        for name, session_id in (("1", "ses_1"), ("2", "ses_2"), ("3", "ses_1"), ("1", "SES_1"))
    ]
    same(sequences, [1, 1, 2, 1])
    events = backend.runs.list_events(scene.agent_id, SessionId("ses_1"))
    same([(event.event_id, event.sequence) for event in events], [("evt_1", 1), ("evt_3", 2)])
    same(backend.runs.list_events(open_scene(backend, "agt_two").agent_id, SessionId("ses_1")), ())


def an_event_comes_back_with_its_label(backend: Backend) -> None:
    """Every field survives, for every kind of session subject."""
    scene = open_scene(backend)
    subjects = (
        samples.ada_subject(),
        ConversationSubject(conversation_id=PrincipalId("cnv_1"), adapter="webhook", account="acme"),
        AutonomousSubject(kind=AutonomousKind.SERVICE, principal_id=PrincipalId("svc_1")),
        AmbiguousSubject(reason=AmbiguityReason.SHARED_MAIN),
    )
    for number, subject in enumerate(subjects):
        commit = scene.utterance(str(number))
        backend.runs.append_event(replace(commit, label=samples.label("ses_1", subject=subject)))
    events = backend.runs.list_events(scene.agent_id, SessionId("ses_1"))
    same([event.label for event in events], [samples.label("ses_1", subject=subject) for subject in subjects])
    said = samples.event("0")
    same((events[0].kind, events[0].text, events[0].occurred_at), (said.kind, said.text, said.occurred_at))


def a_session_has_an_event_once(backend: Backend) -> None:
    """A repeated delivery leaves neither a second event nor a second record."""
    scene = open_scene(backend)
    backend.runs.append_event(scene.utterance("1"))
    refuses(scene, partial(backend.runs.append_event, scene.utterance("1")))


def an_event_carries_the_exposure_of_its_moment(backend: Backend) -> None:
    """A label made before its run was shown something more is refused; one made after it goes through."""
    scene = open_scene(backend)
    row = scene.derive(scene.add_store("ada"), "1")
    run = scene.begin(scene.run("run_1"))
    early = scene.utterance("1")
    backend.runs.expose(scene.exposure(run, row))
    refuses(scene, partial(backend.runs.append_event, early))
    same(backend.runs.append_event(scene.utterance("1")), 1)


def a_label_made_before_an_exposure_is_refused(backend: Backend) -> None:
    """What the run was shown meanwhile is missing from it."""
    scene = open_scene(backend)
    run = scene.begin(scene.run("run_1"))
    late = scene.utterance("1")
    backend.runs.expose(scene.exposure(run))
    refuses(scene, partial(backend.runs.append_event, late))
    same(backend.runs.append_event(scene.utterance("1")), 1)


LAWS: Final = (
    a_window_is_copied_whole,
    a_window_is_copied_once,
    a_run_begins_once_and_its_window_takes_over,
    a_run_that_leaves_no_trace_appends_no_event,
    a_refused_event_begins_no_run,
    an_exposure_is_recorded_whole,
    an_exposure_that_shows_nothing_is_recorded_too,
    an_exposure_follows_the_one_it_saw,
    a_revision_out_of_force_is_not_shown,
    a_run_was_shown_what_its_window_was_and_its_own,
    a_window_never_forgets,
    a_window_bound_to_nobody_stays_so,
    windows_are_apart,
    events_are_numbered_within_their_session,
    an_event_comes_back_with_its_label,
    a_session_has_an_event_once,
    a_label_made_before_an_exposure_is_refused,
    an_event_carries_the_exposure_of_its_moment,
)
