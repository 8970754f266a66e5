"""The Python of the documentation is run as it stands, each page in a fresh home."""

import contextlib
import io
from pathlib import Path
from typing import Final

import pytest

from privity.host.events import VerifiedEvent
from privity.host.host import Host
from privity.host.options import Mode
from privity.host.run import Run
from privity.wiring import init_home
from privity.wiring import open as open_home
from tests.docs.pages import DOCS, blocks
from tools.sources import ROOT

pytestmark = pytest.mark.timeout(60)

SECRET: Final = "whsec_" + "c2VjcmV0" * 4
ACCOUNT: Final = '\n[accounts.webhook.acme]\nsecret = "env:ACME_WEBHOOK_SECRET"\nsender = "verified"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new home with two agents and a webhook account, where the pages expect one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ACME_WEBHOOK_SECRET", SECRET)
    made = tmp_path / ".local" / "share" / "privity"
    init_home(made, Mode.DEVELOPMENT)
    with (made / "privity.toml").open("a", encoding="utf-8") as settings:
        settings.write(ACCOUNT)
    with open_home(made) as host:
        host.add_agent("support")
        host.add_agent("robin")
    return made


def run_blocks(page: Path, names: dict[str, object]) -> str:
    """Run the Python of a page in order, in one set of names, and return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for number, block in enumerate(blocks(page, "python"), start=1):
            exec(compile(block, f"{page.name}:{number}", "exec"), names)  # noqa: S102 # the example is our own
    host = names["host"]
    assert isinstance(host, Host)
    host.close()
    return printed.getvalue()


def answer_nothing(_run: Run, _event: VerifiedEvent) -> None:
    """Stand where an application would answer."""


@pytest.mark.proves("read:read-your-writes")
def test_the_message_loop_of_the_readme_runs(home: Path) -> None:
    """What a newcomer copies works, and answers what was remembered a line before."""
    assert home.is_dir()
    assert run_blocks(ROOT / "README.md", {}) == "You told me: Stand-up moved to 9:30.\n"


@pytest.mark.proves("egress:exposure:window", "egress:exposure-bounds-egress", "store:about:same-name-two-ids")
def test_the_tutorial_runs(home: Path) -> None:
    """Two people, one room, one refused release, and the same a turn later."""
    assert run_blocks(DOCS / "tutorial" / "first-hour.md", {"home": home}) == ""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("release", marks=pytest.mark.proves("egress:exposure-bounds-egress")),
        pytest.param("forget", marks=pytest.mark.proves("derive:descendants:denied")),
        pytest.param("publish", marks=pytest.mark.proves("write:target:publisher-only")),
        pytest.param("read-an-explanation", marks=pytest.mark.proves("audit:no-content")),
        pytest.param("verify-webhooks", marks=pytest.mark.proves("identity:ingress:attestation")),
    ],
)
def test_a_guide_runs(home: Path, name: str) -> None:
    """Each block of a guide does what the guide says."""
    host = open_home(home)
    names: dict[str, object] = {"host": host, "agent": host.agent("robin"), "secret": SECRET, "answer": answer_nothing}

    assert run_blocks(DOCS / "how-to" / f"{name}.md", names) == ""
