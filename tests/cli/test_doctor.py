"""What the doctor finds, and what it says to do about it."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from privity.cli.exits import ExitCode
from privity.cli.work import setup
from privity.cli.work.homes import Place
from privity.host.options import Mode
from privity.model.ids import EvidenceRevision, PrincipalId
from privity.model.subjects import AmbiguityReason, AmbiguousSubject, EvidenceKind, SubjectEvidence, UserSubject
from privity.ops.doctor import SHARED_MAIN_REMEDY, cell_findings, needs_attention, subject_findings
from privity.ops.findings import Severity
from privity.ops.isolation import SUPPORTED
from privity.ops.modes import mode_findings
from privity.wiring import init_home
from privity.wiring import open as open_home
from privity.wiring.checkup import inspect_storage
from privity.wiring.clock import SystemClock
from tests.cli.running import keyboard
from tests.migrate.homes import theatre

ALICE = UserSubject(
    principal_id=PrincipalId("usr_alice"),
    creation_evidence=SubjectEvidence(kind=EvidenceKind.CHANNEL_BINDING, revision=EvidenceRevision("evr_1")),
)


def place(home: Path) -> Place:
    """Return a command's place in a home."""
    return Place(home=home, agent=None, session=None)


@pytest.mark.proves("session:ambiguous:view")
def test_a_shared_main_session_is_found_with_its_remedy() -> None:
    """The doctor says how many, and exactly what to set; it sets nothing itself."""
    shared = AmbiguousSubject(reason=AmbiguityReason.SHARED_MAIN)

    (finding,) = subject_findings([shared, ALICE, shared])

    assert finding.severity is Severity.PROBLEM
    assert finding.text.startswith("2 sessions share one main session")
    assert finding.remedy == SHARED_MAIN_REMEDY
    assert "per-channel-peer" in finding.remedy


@pytest.mark.proves("session:ambiguous:view")
def test_each_kind_of_ambiguity_has_its_own_remedy() -> None:
    """Unknown senders are bound, conflicting bindings are revoked, and a clear subject is no finding."""
    found = list(subject_findings([*map(ambiguous, AmbiguityReason), ALICE]))

    assert len({finding.remedy for finding in found}) == len(AmbiguityReason)
    assert list(subject_findings([ALICE])) == []


def ambiguous(reason: AmbiguityReason) -> AmbiguousSubject:
    """Return a subject that is nobody for that reason."""
    return AmbiguousSubject(reason=reason)


@pytest.mark.proves("case:FILE-05", "case:WRITE-08")
def test_wide_modes_are_found_and_narrowed(tmp_path: Path) -> None:
    """A file that others may read is a problem with its place and its mode, until `--fix`."""
    home = keyboard(tmp_path).home
    settings = home / "privity.toml"
    settings.chmod(0o644)

    before = setup.doctor(place(home), fix=False)
    after = setup.doctor(place(home), fix=True)

    assert before.code is ExitCode.DEGRADED
    assert any("`privity.toml` is 0644" in line for line in before.lines)
    assert (after.code, after.fields["fixed"]) == (ExitCode.OK, 1)
    assert settings.stat().st_mode & 0o777 == 0o600


@pytest.mark.proves("case:FILE-04")
def test_a_link_in_a_home_is_found_and_not_followed(tmp_path: Path) -> None:
    """Nothing behind it is looked at or changed."""
    home = keyboard(tmp_path).home
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (home / "link").symlink_to(outside)

    found = [finding.text for finding in mode_findings(home)]
    setup.doctor(place(home), fix=True)

    assert found == ["`link` is a symbolic link"]
    assert outside.stat().st_mode & 0o777 == 0o755


@pytest.mark.proves("isolation:claim:not-before-proof")
def test_the_doctor_states_the_level_that_is_proven(tmp_path: Path) -> None:
    """The same line as in every document, and nothing more."""
    home = keyboard(tmp_path).home

    assert str(SUPPORTED) in setup.doctor(place(home), fix=False).lines[-1]


@pytest.mark.proves("operation:home:modes")
@pytest.mark.parametrize("mode", list(Mode))
def test_the_doctor_and_status_name_the_mode(tmp_path: Path, mode: Mode) -> None:
    """What counts as proof in the home is said wherever its state is shown."""
    home = tmp_path / "home"
    setup.init(place(home), mode)

    assert any(line.endswith(str(mode)) for line in setup.status(place(home)).lines)
    assert any(f"{mode}: " in line for line in setup.doctor(place(home), fix=False).lines)


@pytest.mark.proves("case:IDX-01")
def test_lag_is_seen(tmp_path: Path) -> None:
    """Writes the index does not know yet and files that were left are findings with a remedy."""
    with theatre(tmp_path / "home") as there:
        health = there.host.health(there.agent)
        counters = {**health.counters, "index-lagging": 2, "artifact-left": 1}
        found = list(cell_findings(there.agent, replace(health, counters=counters)))
        (calm,) = cell_findings(there.agent, health)

    assert [finding.severity for finding in found] == [Severity.NOTICE, Severity.NOTICE]
    assert not needs_attention([*found, calm])


@pytest.mark.proves("case:FILE-05")
def test_damaged_settings_are_a_finding(tmp_path: Path) -> None:
    """The doctor opens what it can and says what it cannot."""
    home = keyboard(tmp_path).home
    (home / "privity.toml").write_text("colour = 7\n", encoding="utf-8")
    unknown = setup.doctor(place(home), fix=False)
    (home / "privity.toml").unlink()
    (home / "privity.toml").mkdir(mode=0o700)
    folder = setup.doctor(place(home), fix=False)

    assert (unknown.code, folder.code) == (ExitCode.DEGRADED, ExitCode.DEGRADED)
    assert any("setting `colour`" in line for line in unknown.lines)
    assert any("`privity.toml` cannot be read: Is a directory" in line for line in folder.lines)


@pytest.mark.proves("case:WRITE-08", "read:content:hash-verified")
def test_WRITE_08_a_file_changed_behind_the_catalog_is_found_and_one_nobody_knows_is_noticed(tmp_path: Path) -> None:
    """The doctor reads every file, and names each by its opaque place only."""
    home = tmp_path / "home"
    init_home(home, Mode.DEVELOPMENT)
    with open_home(home) as host:
        agent, event = host.add_agent("support"), host.vouch("alice", "remember this")
        with agent.session(event).run(event) as run:
            run.remember("The safe code is 4711.")
    notes = next((home / "vault").rglob("notes"))
    changed = next(notes.iterdir())
    changed.chmod(0o600)
    changed.write_text("The safe code is 1234.")
    stray = notes / "rev_stray.md"
    stray.write_text("nobody wrote this")
    stray.chmod(0o600)
    found = [finding for finding in inspect_storage(home) if finding.severity is not Severity.OK]

    assert sorted((finding.severity, finding.text.split(":")[0]) for finding in found) == [
        (Severity.NOTICE, "unknown-file"),
        (Severity.PROBLEM, "changed-file"),
    ]
    assert "4711" not in repr(found)
    assert needs_attention(found)


@pytest.mark.proves("case:POL-11")
def test_POL_11_a_clock_that_runs_ahead_is_found_with_a_way_out(tmp_path: Path) -> None:
    """A machine whose clock was once set to a later year leaves its mark, which nothing lowers by itself."""
    home = tmp_path / "home"
    init_home(home, Mode.DEVELOPMENT)
    later = SystemClock().now() + timedelta(days=400)
    open_home(home).close()
    (home / "host" / "clock").write_text(later.isoformat(), encoding="ascii")
    before = setup.doctor(place(home), fix=False)
    (home / "host" / "clock").unlink()
    after = setup.doctor(place(home), fix=False)

    assert before.code is ExitCode.DEGRADED
    assert any("399 days" in line or "400 days" in line for line in before.lines)
    assert any("remove `host/clock`" in line for line in before.lines)
    assert after.code is ExitCode.OK


@pytest.mark.proves("session:credential:local")
@pytest.mark.parametrize("text", ["", "[]", "{", '{"sessions": [{"name": 1}]}', "\x00", '{"sessions": 7}'])
def test_a_damaged_file_of_open_sessions_is_found(tmp_path: Path, text: str) -> None:
    """It says which file, and what to do; the rest of the home is looked at all the same."""
    home = keyboard(tmp_path).home
    (home / "sessions.json").write_text(text, encoding="utf-8")
    (home / "sessions.json").chmod(0o600)
    answer = setup.doctor(place(home), fix=False)

    assert answer.code is ExitCode.DEGRADED
    assert any("`sessions.json` in the home is damaged" in line for line in answer.lines)
    assert any("storage" in line and line.startswith("ok") for line in answer.lines)
