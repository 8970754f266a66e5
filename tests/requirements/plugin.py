"""Pytest plugin: `@pytest.mark.proves("id", ...)` ties a test to the requirements it proves.

An unknown id is a collection error. After a whole run the claims file says of each requirement whether it is proven,
failing or planned; with pytest-xdist the controller writes it from the reports of its workers. A run of chosen tests
leaves the file alone, because it cannot say that every test that names a requirement passed.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from tests.requirements.claims import Outcome, Result, summarize, write_claims
from tests.requirements.model import Requirements, load_requirements

MARKER: Final = "proves"
_DIRECTORY_OPTION: Final = "requirements_dir"
_CLAIMS_OPTION: Final = "claims_file"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two settings, both relative to the root of the project."""
    parser.addini(_DIRECTORY_OPTION, "directory of the requirements", default="tests/requirements")
    parser.addini(_CLAIMS_OPTION, "file that the claims are written to", default="build/claims.json")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the recorder."""
    config.addinivalue_line("markers", f"{MARKER}(*ids): the requirements that this test proves")
    requirements = load_requirements(config.rootpath / config.getini(_DIRECTORY_OPTION))
    config.pluginmanager.register(Recorder(requirements, config.rootpath / config.getini(_CLAIMS_OPTION)))


class Recorder:
    """Collects the outcome of every test that names a requirement."""

    def __init__(self, requirements: Requirements, claims_file: Path) -> None:
        """Start with no outcome for any of `requirements`."""
        self._requirements = requirements
        self._claims_file = claims_file
        self._results: dict[str, Result] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Turn a module that names an unknown requirement into a collection error."""
        report = yield
        items = [node for node in report.result or () if isinstance(node, pytest.Item)]
        if problems := [problem for item in items if (problem := self._unknown(item))]:
            report.outcome = "failed"
            report.longrepr = "\n".join(problems)
            report.result = []
        return report

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Put the ids on the item, so that they travel with its reports."""
        item.user_properties.extend((MARKER, one) for one in _ids(item))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Fold one phase of a test into its outcome."""
        proves = tuple(str(value) for name, value in report.user_properties if name == MARKER)
        if not proves:
            return
        before = self._results.get(report.nodeid)
        outcome = _worse(before.outcome if before else None, report)
        self._results[report.nodeid] = Result(test_id=report.nodeid, outcome=outcome, proves=proves)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the claims, if all tests that there are had their turn and this is no worker."""
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if ended and _is_whole(session.config) and not hasattr(session.config, "workerinput"):
            write_claims(self._claims_file, summarize(self._requirements, self._results.values()))

    def _unknown(self, item: pytest.Item) -> str | None:
        unknown = sorted(set(_ids(item)) - self._requirements.keys())
        return f"{item.nodeid} names unknown requirements: {', '.join(unknown)}" if unknown else None


def _is_whole(config: pytest.Config) -> bool:
    """Nothing on the command line chose among the tests; an expression of marks may only exclude."""
    options = config.option
    chosen_paths = config.args_source is pytest.Config.ArgsSource.ARGS and config.args != config.getini("testpaths")
    chosen_marks = bool(options.markexpr) and not options.markexpr.startswith("not ")
    stopped_early = options.collectonly or options.maxfail or config.getoption("lf", default=False)
    return not (chosen_paths or chosen_marks or stopped_early or options.keyword or options.deselect)


def _ids(item: pytest.Item) -> tuple[str, ...]:
    """Return the ids that the markers of `item` name, once each."""
    named = (str(one) for marker in item.iter_markers(MARKER) for one in marker.args)
    return tuple(dict.fromkeys(named))


def _worse(before: Outcome | None, report: pytest.TestReport) -> Outcome:
    """Return the outcome after one more phase: a failure stays, and a skipped phase (or expected failure) proves nothing."""
    if report.failed or before is Outcome.FAILED:
        return Outcome.FAILED
    if report.skipped or before is Outcome.SKIPPED:
        return Outcome.SKIPPED
    return Outcome.PASSED
