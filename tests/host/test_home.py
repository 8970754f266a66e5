"""A home on disk: made once, opened by one process, with the mode it was stamped with."""

import os
import shutil
import stat
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from privity.backends.sqlite.host_stores import open_host_stores
from privity.host.epochs import REMEDY
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.records import HostAct, HostAuditRecord
from privity.model.reasons import Reason
from privity.ops.doctor import examine
from privity.sdk.errors import (
    DeniedError,
    HomeInUseError,
    HomePartedError,
    HomeVersionError,
    InputError,
    StorageFailedError,
    UnavailableError,
)
from privity.wiring import init_home, rejoin_home
from privity.wiring import open as open_home
from privity.wiring.checkup import inspect_storage
from privity.wiring.clock import FlooredClock, SystemClock, SystemEntropy
from tests.host.house import reply_sink


def made(tmp_path: Path, mode: Mode = Mode.DEVELOPMENT) -> Path:
    """Make a home."""
    home = tmp_path / "home"
    init_home(home, mode)
    return home


@pytest.mark.proves("operation:home:modes")
def test_a_home_is_its_owners_alone(tmp_path: Path) -> None:
    """Folders are 0700 and files 0600, whatever the umask."""
    before = os.umask(0)
    try:
        home = made(tmp_path)
        with open_home(home) as host:
            host.add_agent("robin")
            event = host.vouch("alice", "hello")
            with host.agent("robin").session(event).run(event) as run:
                run.remember("a note")
    finally:
        os.umask(before)
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in (home, *home.rglob("*"))}

    assert modes == {(True, 0o700), (False, 0o600)}


@pytest.mark.proves("operation:home:modes")
def test_a_home_is_made_where_nothing_is(tmp_path: Path) -> None:
    """A second time, and in a full folder, is an error; and what is no home is not opened."""
    home = made(tmp_path)
    with pytest.raises(InputError):
        init_home(home, Mode.DEVELOPMENT)
    for nothing in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError):
            open_home(nothing)
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageFailedError):
        init_home(tmp_path / "file" / "home", Mode.DEVELOPMENT)
    with pytest.raises(InputError):
        init_home(tmp_path / "file", Mode.DEVELOPMENT)


@pytest.mark.proves("case:API-17", "operation:home:modes")
def test_a_path_that_this_machine_cannot_look_at_is_refused(tmp_path: Path) -> None:
    """Whether a home is made, opened or rejoined there; a link to itself, a name too long, nobody's folder."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    nobodys = Path("~nobody-of-this-name/home")
    for bad in ("", " ", "a\0b", "\ud800\0", "x" * 5_000, "~nobody-of-this-name", tmp_path / "loop", nobodys, 7, None):
        for act in (open_home, rejoin_home, partial(init_home, mode=Mode.DEVELOPMENT)):
            with pytest.raises(InputError) as refused:
                act(bad)  # type: ignore[arg-type] # what the annotation forbids is the point
            assert (refused.value.where, bool(refused.value.remedy)) == ("home", True)

    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.proves("session:membership:conversation-expires", "proof:step-6", "identity:strength:vouched")
def test_a_restart_changes_nothing_and_a_departure_holds(tmp_path: Path) -> None:
    """Real stores, the real engine, two processes' worth of opening: people, rooms and notes are still there."""
    home = made(tmp_path)
    with open_home(home) as host:
        agent = host.add_agent("robin")
        operator = host.operator()
        alice, bob = (operator.identities.add_local_person(name) for name in ("alice", "bob"))
        room = operator.conversations.add("local", "local", "team")
        for person in (alice, bob):
            operator.conversations.add_member(room, person)
        event = host.vouch("bob", "Stand-up moves.", "team")
        with agent.session(event).run(event) as run:
            run.remember("Stand-up is at 9:30.")
    with open_home(home) as host:
        agent = host.agent("robin")
        event = host.vouch("bob", "When?", "team")
        with agent.session(event).run(event) as run:
            assert [passage.text for passage in run.search("stand-up")] == ["Stand-up is at 9:30."]
            host.operator().conversations.remove_member(room, bob)
            with pytest.raises(DeniedError) as denied:
                run.search("stand-up")
    with open_home(home) as host:
        event = host.vouch("bob", "And now?", "team")
        with pytest.raises(DeniedError) as later:
            host.agent("robin").session(event).run(event)

    assert (denied.value.reason, later.value.reason) == (Reason.MEMBERSHIP_STALE, Reason.MEMBERSHIP_STALE)


@pytest.mark.proves("egress:exposure:window", "session:subject:successors-copy")
def test_nobody_launders_through_the_real_engine(tmp_path: Path) -> None:
    """A second turn, a reset, a branch and a restart are bound by what the window was shown."""
    home = made(tmp_path)
    sent: list[object] = []

    def attempt(host: Host, *, reset: bool = False, branch: bool = False) -> None:
        host.sinks.register(reply_sink(sent, "local"))  # pyright: ignore[reportArgumentType]
        elsewhere = host.vouch("bob", "hello", "team")
        event = host.vouch("alice", "post it")
        session = host.agent("robin").session(event)
        session = session.reset() if reset else session
        session = session.branch() if branch else session
        with session.run(event) as run, pytest.raises(DeniedError) as denied:
            run.release("92,000", to=elsewhere.delivery)
        assert denied.value.reason is Reason.AUDIENCE_WIDENED

    with open_home(home) as host:
        agent = host.add_agent("robin")
        event = host.vouch("alice", "my offer is 92,000")
        with agent.session(event).run(event) as run:
            run.remember("The offer is 92,000.")
            run.search("offer")
        attempt(host)
    with open_home(home) as host:
        attempt(host, reset=True)
    with open_home(home) as host:
        attempt(host, branch=True)

    assert sent == []


@pytest.mark.proves("identity:strength:vouched")
def test_an_evaluation_home_stays_one_and_no_other_becomes_one(tmp_path: Path) -> None:
    """The stamp was made with the home; a setting cannot undo it, nor can a missing file."""
    evaluation = made(tmp_path, Mode.EVALUATION)
    production = tmp_path / "production"
    init_home(production, Mode.PRODUCTION)
    for home, mode in ((evaluation, "production"), (evaluation, "development"), (production, "evaluation")):
        with pytest.raises(InputError):
            open_home(home, flags={"mode": mode})
        (home / "privity.toml").unlink(missing_ok=True)
    with open_home(evaluation) as host:
        assert host.mode is Mode.EVALUATION
        assert host.local
    with open_home(production) as host:
        assert host.mode is Mode.PRODUCTION
        with pytest.raises(InputError):
            _ = host.local
        with pytest.raises(InputError):
            host.ingress("local")
    with open_home(production, flags={"mode": "development"}) as host:
        assert host.local


@pytest.mark.proves("operation:single-machine")
def test_a_home_has_one_owner_at_a_time(tmp_path: Path) -> None:
    """The second one is told, and may come when the first has gone."""
    home = made(tmp_path)
    with open_home(home), pytest.raises(HomeInUseError):
        open_home(home)
    open_home(home).close()


@pytest.mark.proves("store:schema:additive")
def test_a_home_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    """It says so, and lets go of what it had opened."""
    home = made(tmp_path)
    stores = open_host_stores(home / "host")
    stores.host.database.run("PRAGMA user_version = 99")
    stores.close()
    with pytest.raises(HomeVersionError):
        open_home(home)
    with pytest.raises(HomeVersionError):
        open_home(home)


@pytest.mark.proves("operation:home:modes")
def test_a_host_folder_that_is_open_to_others_is_not_opened(tmp_path: Path) -> None:
    """A wrong mode stops the start."""
    home = made(tmp_path)
    (home / "host").chmod(0o755)
    with pytest.raises(UnavailableError):
        open_home(home)


def copied_then_revoked(tmp_path: Path, part: str) -> tuple[Path, Path]:
    """Return a home in which somebody was revoked, and the copy that was made of one part of it before."""
    home, copy = made(tmp_path), tmp_path / "copy"
    with open_home(home) as host:
        host.add_agent("robin")
        alice = host.operator().identities.add_local_person("alice")
        told(host, "The launch is on 3 May.")
    shutil.copytree(home / part, copy)
    with open_home(home) as host:
        host.operator().identities.revoke_principal(alice)
    return home, copy


def told(host: Host, text: str) -> None:
    """Let Alice say something in private, and have it remembered."""
    event = host.vouch("alice", text)
    with host.agent("robin").session(event).run(event) as run:
        run.remember(text)


def put_back(home: Path, part: str, copy: Path) -> None:
    """Put a part of a home back from its copy."""
    shutil.rmtree(home / part)
    shutil.copytree(copy, home / part)


@pytest.mark.proves("case:REV-07", "context:host-facts-revalidated")
@pytest.mark.parametrize("part", ["host", "vault"])
def test_a_part_of_a_home_put_back_from_a_copy_serves_nobody(tmp_path: Path, part: str) -> None:
    """A withdrawal is not undone by an older host, nor what a cell was told by an older vault; the doctor says so."""
    home, copy = copied_then_revoked(tmp_path, part)
    put_back(home, part, copy)
    for _ in range(2):
        with pytest.raises(HomePartedError):
            open_home(home)

    findings = examine(home, lambda: open_home(home), inspect_storage)
    assert [f.remedy for f in findings if f.topic == "moment"] == [REMEDY]


@pytest.mark.proves("case:REV-07", "context:host-facts-revalidated")
def test_an_operator_lets_a_parted_home_serve_again_and_the_audit_says_so(tmp_path: Path) -> None:
    """What was withdrawn since the copy has to be withdrawn again, and holds then."""
    home, copy = copied_then_revoked(tmp_path, "host")
    put_back(home, "host", copy)
    rejoin_home(home)
    with open_home(home) as host:
        told(host, "I am here again.")
        (alice,) = (one for one in host.operator().identities.people() if one.label == "alice")
        host.operator().identities.revoke_principal(alice.principal_id)
        with pytest.raises(DeniedError):
            told(host, "And now?")
        acts = [entry.record.act for entry in host.audit() if isinstance(entry.record, HostAuditRecord)]
    open_home(home).close()

    assert acts.count(HostAct.HOME_REJOINED) == 1


@pytest.mark.proves("case:REV-07")
def test_a_home_that_lost_its_host_database_or_got_another_key_is_not_opened(tmp_path: Path) -> None:
    """An empty database would know of no withdrawal, and another key of nobody."""
    home, other = made(tmp_path), tmp_path / "other"
    init_home(other, Mode.DEVELOPMENT)
    with open_home(home) as host:
        host.add_agent("robin")
    own = (home / "host" / "keys" / "host.key").read_bytes()
    (home / "host" / "keys" / "host.key").write_bytes((other / "host" / "keys" / "host.key").read_bytes())
    with pytest.raises(StorageFailedError, match="not the key of this home"):
        open_home(home)
    (home / "host" / "keys" / "host.key").write_bytes(own)
    open_home(home).close()
    for suffix in ("", "-wal", "-shm"):
        (home / "host" / f"host.db{suffix}").unlink(missing_ok=True)
    with pytest.raises(StorageFailedError, match=r"host\.db` is gone"):
        open_home(home)
    assert not (home / "host" / "host.db").exists()


@pytest.mark.proves("operation:single-machine")
def test_two_names_of_one_folder_are_one_home(tmp_path: Path) -> None:
    """A link to a home is the home: it is owned once."""
    home = made(tmp_path)
    (tmp_path / "link").symlink_to(home)
    with open_home(home), pytest.raises(HomeInUseError):
        open_home(tmp_path / "link")
    open_home(tmp_path / "link").close()


@pytest.mark.proves("operation:home:modes")
def test_a_damaged_key_opens_nothing(tmp_path: Path) -> None:
    """A short one, and one that cannot be read."""
    home = made(tmp_path)
    key = home / "host" / "keys" / "host.key"
    key.write_bytes(b"short")
    with pytest.raises(StorageFailedError):
        open_home(home)
    key.unlink()
    key.mkdir(mode=0o700)
    with pytest.raises(StorageFailedError):
        open_home(home)


class Machine(SystemClock):
    """A machine whose clock somebody sets."""

    def __init__(self, time: datetime) -> None:
        self.time = time

    @override
    def now(self) -> datetime:
        """Return what it was set to."""
        return self.time


NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.proves("case:POL-11")
def test_a_clock_that_is_set_back_goes_on(tmp_path: Path) -> None:
    """Also after a restart, an orderly one or not: no time comes twice, and none before an earlier one."""
    machine = Machine(NOON)
    clock = FlooredClock(tmp_path / "clock", machine)
    times = [clock.now()]
    machine.time = NOON - timedelta(days=1)
    times += [clock.now() for _ in range(20_000)]
    killed = FlooredClock(tmp_path / "clock", machine)
    times.append(killed.now())
    machine.time = NOON + timedelta(hours=1)
    times.append(killed.now())
    killed.close()
    machine.time = NOON
    times.append(FlooredClock(tmp_path / "clock", machine).now())

    assert times == sorted(set(times))
    assert times[0] == NOON
    assert times[-1] - (NOON + timedelta(hours=1)) < timedelta(milliseconds=1)


@pytest.mark.proves("case:POL-11")
def test_a_restarted_clock_leads_by_seconds_at_most(tmp_path: Path) -> None:
    """However often a process is killed."""
    machine = Machine(NOON)
    leads: list[timedelta] = []
    for _ in range(50):
        machine.time += timedelta(milliseconds=10)
        leads.append(FlooredClock(tmp_path / "clock", machine).now() - machine.time)

    assert max(leads) <= timedelta(seconds=5)


@pytest.mark.proves("case:POL-11", "case:CRASH-02")
def test_a_clock_without_its_mark_does_not_start(tmp_path: Path) -> None:
    """A mark that cannot be read or written is a failing disk."""
    path = tmp_path / "clock"
    path.write_text("yesterday")
    with pytest.raises(StorageFailedError):
        FlooredClock(path, SystemClock())
    missing = FlooredClock(tmp_path / "nowhere" / "clock", SystemClock())
    with pytest.raises(StorageFailedError):
        missing.now()


@pytest.mark.proves("identity:principal:opaque-id")
def test_ids_are_random_and_say_their_kind() -> None:
    """128 bits in lower-case base 32 behind the prefix; keys have 32 bytes."""
    entropy = SystemEntropy()
    tokens = {entropy.token("usr") for _ in range(100)}

    assert len(tokens) == 100
    assert all(token.startswith("usr_") and len(token) == 30 and token == token.lower() for token in tokens)
    assert len(entropy.key()) == 32
    assert entropy.key() != entropy.key()
