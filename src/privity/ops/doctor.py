"""The doctor: it looks at everything that can be wrong with a home, and says what to do about each."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from privity.host.agent import Agent
from privity.host.host import Host
from privity.host.options import Mode
from privity.model.subjects import AmbiguityReason, AmbiguousSubject, SessionSubject
from privity.ops.credentials import load_credentials
from privity.ops.findings import Finding, Severity, fine, notice, problem
from privity.ops.isolation import claim_line
from privity.ops.modes import mode_findings
from privity.sdk.errors import HomeInUseError, HomePartedError, HomeVersionError, InputError, UnavailableError
from privity.sdk.plugin import CellHealth

SHARED_MAIN_REMEDY: Final = (
    "give each sender a session of its own in the agent platform (OpenClaw: `session.dmScope` = "
    "`per-channel-peer`, or `per-account-channel-peer` with several accounts), then send events "
    "whose conversation kind is `direct`"
)
UNBOUND_REMEDY: Final = "bind the sender with `privity identity bind`"
CONFLICT_REMEDY: Final = "see `privity identity list`, and revoke the binding that is wrong"
AMBIGUITY: Final = {
    AmbiguityReason.SHARED_MAIN: ("share one main session with whoever writes", SHARED_MAIN_REMEDY),
    AmbiguityReason.UNBOUND: ("are with a sender whom nobody knows", UNBOUND_REMEDY),
    AmbiguityReason.CONFLICTING_BINDINGS: ("are with a sender who is bound to two people", CONFLICT_REMEDY),
}

OpenHost = Callable[[], Host]
InspectStorage = Callable[[Path], tuple[Finding, ...]]


def examine(home: Path, open_host: OpenHost, inspect_storage: InspectStorage) -> tuple[Finding, ...]:
    """Return everything looked at in a home, whether or not it can be opened."""
    try:
        with open_host() as host:
            inside = tuple(host_findings(host))
        inside = (*inside, *inspect_storage(home))
    except HomeInUseError:
        inside = (notice("lock", "another process owns the home", "ask that process, or stop it and look again"),)
    except HomePartedError as error:
        inside = (problem("moment", error.problem, error.remedy),)
    except HomeVersionError as error:
        inside = (problem("version", error.problem, error.remedy),)
    except UnavailableError as error:
        inside = (problem("storage", error.problem, error.remedy),)
    except InputError as error:
        inside = (problem("settings", f"{error.where} {error.problem}", error.remedy),)
    return (*mode_findings(home), *inside, *credential_findings(home), isolation_finding())


def credential_findings(home: Path) -> Iterator[Finding]:
    """Yield what is wrong with the file that keeps the sessions opened on the command line."""
    try:
        load_credentials(home)
    except InputError as error:
        yield problem("keyboard", f"{error.where} {error.problem}", error.remedy)
    except UnavailableError as error:
        yield problem("keyboard", error.problem, error.remedy)


def isolation_finding() -> Finding:
    """Return the level that this version supports, as every document states it."""
    return fine("isolation", claim_line().replace("*", ""))


def host_findings(host: Host) -> Iterator[Finding]:
    """Yield what an opened home tells."""
    yield fine("lock", "this process owns the home, nobody else")
    yield fine("version", "every database has the version that this privity writes")
    yield mode_finding(host.mode)
    yield audit_finding(host.drain())
    agents = host.agents()
    if not agents:
        yield notice("agents", "the home has no agent", "add one with `privity agent add NAME`")
    for agent in agents:
        yield from cell_findings(agent, host.health(agent))
        yield from subject_findings(host.subjects(agent))


def mode_finding(mode: Mode) -> Finding:
    """Return what the home is for, and what that means for what it says."""
    match mode:
        case Mode.PRODUCTION:
            return fine("mode", "production: nobody's word counts for who a sender is")
        case Mode.DEVELOPMENT:
            return fine("mode", "development: the operator's word counts for who a sender is")
        case Mode.EVALUATION:
            return fine("mode", "evaluation: the operator's word stands for proof; use it for nothing else")


def audit_finding(waiting: int) -> Finding:
    """Return how far the audit had fallen behind the agents' outboxes."""
    if waiting:
        return fine("audit", f"{waiting} rows waited in the outboxes and are in the audit now")
    return fine("audit", "nothing waits in the outboxes")


def cell_findings(agent: Agent, health: CellHealth) -> Iterator[Finding]:
    """Yield what the numbers of one agent's cell tell."""
    topic = f"agent {agent.name}"
    lagging = health.counters.get("index-lagging", 0)
    left = health.counters.get("artifact-left", 0)
    if lagging:
        yield notice(
            topic,
            f"{lagging} writes are not in the index yet",
            "search finds them meanwhile; the next write to that store brings its index up to date",
        )
    if left:
        yield notice(
            topic, f"{left} files of forgotten notes are still there", "nobody can read them; stop and look again"
        )
    if not lagging and not left:
        yield fine(topic, f"{sum(health.revisions.values())} revisions in {sum(health.stores.values())} stores")


def subject_findings(subjects: Iterable[SessionSubject]) -> Iterator[Finding]:
    """Yield what is wrong with whom the sessions are with. Nothing is changed by itself."""
    reasons = [subject.reason for subject in subjects if isinstance(subject, AmbiguousSubject)]
    for reason, (text, remedy) in AMBIGUITY.items():
        if reason in reasons:
            how_many = reasons.count(reason)
            yield problem("sessions", f"{how_many} sessions {text}: they have no private memory", remedy)


def needs_attention(findings: Iterable[Finding]) -> bool:
    """Something was found that needs doing something about."""
    return any(finding.severity is Severity.PROBLEM for finding in findings)
