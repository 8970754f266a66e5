"""Settings: each with its origin, and none that nobody knows."""

import base64
import sys
from pathlib import Path

import pytest

from privity.host.options import FirstContact, MembershipRule, Mode
from privity.model.principals import SenderStrength
from privity.sdk.errors import InputError
from privity.sdk.identity import SenderClaim
from privity.wiring import init_home
from privity.wiring import open as open_home
from privity.wiring.secrets import resolve_secret
from privity.wiring.settings import Origin, Settings, load_settings
from privity.wiring.webhooks import Signer, make_webhook
from tests.fakes import StandingClock

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode("ascii")


def settings(tmp_path: Path, text: str = "", **more: dict[str, str]) -> Settings:
    """Load settings from a file that says `text`."""
    (tmp_path / "privity.toml").write_text(text, encoding="utf-8")
    return load_settings(tmp_path, flags=more.get("flags", {}), environ=more.get("environ", {}))


def origins(loaded: Settings) -> dict[str, tuple[str, Origin]]:
    """Return the lines that an operator sees."""
    return {line.name: (line.value, line.origin) for line in loaded.lines}


@pytest.mark.proves("identity:strength:order", "identity:first-contact")
def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    """A missing file says nothing."""
    loaded = load_settings(tmp_path, flags={}, environ={})

    assert (loaded.mode, loaded.first_contact) == (None, FirstContact.CREATE)
    assert loaded.minimum_strength is SenderStrength.ASSERTED
    assert (loaded.adapters, loaded.sinks, loaded.durability) == ({"local", "webhook"}, None, "grouped")
    assert (loaded.conversation_hours, loaded.roster_days, loaded.accounts) == (24, 30, ())
    assert {origin for _, origin in origins(loaded).values()} == {Origin.DEFAULT}


@pytest.mark.proves("operation:home:modes")
def test_the_strongest_origin_wins_and_is_named(tmp_path: Path) -> None:
    """A flag beats the environment, which beats the file."""
    text = '[identity]\nfirst_contact = "require-link"\nminimum_strength = "verified"\n[audit]\ndurability = "strict"\n'
    loaded = settings(
        tmp_path,
        text,
        flags={"audit.durability": "grouped"},
        environ={"PRIVITY_AUDIT_DURABILITY": "strict", "PRIVITY_IDENTITY_FIRST_CONTACT": "create"},
    )
    shown = origins(loaded)

    assert shown["audit.durability"] == ("grouped", Origin.FLAG)
    assert shown["identity.first_contact"] == ("create", Origin.ENVIRONMENT)
    assert shown["identity.minimum_strength"] == ("verified", Origin.FILE)


@pytest.mark.proves("operation:home:modes")
def test_lists_and_numbers_are_read(tmp_path: Path) -> None:
    """As TOML writes them."""
    loaded = settings(
        tmp_path,
        'mode = "production"\nadapters = ["webhook"]\nsinks = ["model"]\n'
        "[membership]\nconversation_hours = 2\nroster_days = 7\n",
    )

    assert (loaded.mode, loaded.adapters, loaded.sinks) == (Mode.PRODUCTION, {"webhook"}, {"model"})
    assert (loaded.conversation_hours, loaded.roster_days) == (2, 7)
    assert settings(tmp_path, "adapters = []\nsinks = []").sinks == frozenset()


@pytest.mark.proves("case:API-17")
@pytest.mark.parametrize(
    "text",
    [
        "colour = 1",
        "[identity]\nfirst_contakt = 'create'",
        "mode = 'testing'",
        "[identity]\nminimum_strength = 'mutable'",
        "[audit]\ndurability = 'sometimes'",
        "[membership]\nconversation_hours = 0",
        "[membership]\nconversation_hours = -1",
        "[membership]\nroster_days = 99999",
        "adapters = ['a b']",
        "accounts = 1",
        "[accounts]\nwebhook = 1",
        "[accounts.webhook]\nmain = 1",
        "[accounts.webhook.main]\nsecrete = 'env:X'",
        "[accounts.webhook.main]\nsender = 'vouched-by-operator'",
        "[accounts.webhook.main]\nmembership = 'anybody'",
        "mode = ",
    ],
)
def test_what_nobody_knows_is_an_error(tmp_path: Path, text: str) -> None:
    """A misspelt setting does not pass for a default, and a home with one is not opened."""
    with pytest.raises(InputError):
        settings(tmp_path, text)


@pytest.mark.proves("case:API-17")
def test_unknown_flags_and_undecodable_files_are_errors(tmp_path: Path) -> None:
    """As are bytes that are no text."""
    with pytest.raises(InputError):
        settings(tmp_path, flags={"colour": "red"})
    (tmp_path / "privity.toml").write_bytes(b"\xff")
    with pytest.raises(InputError):
        load_settings(tmp_path, flags={}, environ={})


@pytest.mark.proves("identity:ingress:attestation")
def test_an_account_is_shown_with_its_reference_and_never_with_its_secret(tmp_path: Path) -> None:
    """What is unsaid has a default: senders are asserted, and speaking is evidence."""
    text = "[accounts.webhook.main]\nsecret = 'env:HOOK'\nsender = 'verified'\n[accounts.local.local]\nmembership = 'event'"
    loaded = settings(tmp_path, text, environ={"HOOK": SECRET})
    main, local = loaded.accounts

    assert (main.claim, main.membership) == (SenderClaim.VERIFIED, MembershipRule.EVENT)
    assert (local.claim, local.secret) == (SenderClaim.ASSERTED, "")
    assert origins(loaded)["accounts.webhook.main.secret"] == ("env:HOOK", Origin.FILE)
    assert SECRET not in repr(loaded)


@pytest.mark.proves("identity:ingress:attestation")
def test_a_secret_is_read_where_its_reference_leads(tmp_path: Path) -> None:
    """An empty variable, an unknown form and a file that others may read lead to none; no error names the secret."""
    private, public, empty = (tmp_path / name for name in ("private", "public", "empty"))
    for path, text, mode in ((private, SECRET + "\n", 0o600), (public, SECRET, 0o644), (empty, "", 0o600)):
        path.write_text(text, encoding="ascii")
        path.chmod(mode)
    environ = {"HOOK": SECRET, "EMPTY": ""}
    found = [resolve_secret(reference, where="x", environ=environ) for reference in ("env:HOOK", f"file:{private}")]

    assert found == [SECRET, SECRET]
    for bad in ("env:EMPTY", "env:NONE", f"file:{public}", f"file:{empty}", f"file:{tmp_path}/none", SECRET, ""):
        with pytest.raises(InputError) as wrong:
            resolve_secret(bad, where="accounts.webhook.main.secret", environ=environ)
        assert SECRET not in str(wrong.value)


@pytest.mark.proves("identity:ingress:attestation")
@pytest.mark.parametrize("secrets", [(SECRET, SECRET), ("whsec_c2hvcnQ=",), ("whsec_***",)])
def test_a_webhook_secret_is_long_and_its_accounts_alone(secrets: tuple[str, ...]) -> None:
    """A shared, a short and an unreadable one are refused at the start."""
    signers = [
        Signer(account=f"a{number}", secret=secret, claim=SenderClaim.ASSERTED) for number, secret in enumerate(secrets)
    ]
    with pytest.raises(InputError):
        make_webhook(signers, StandingClock())


@pytest.mark.proves("identity:ingress:attestation")
def test_without_its_extra_the_webhook_door_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, ready to be typed."""
    monkeypatch.setitem(sys.modules, "standardwebhooks", None)
    monkeypatch.setitem(sys.modules, "standardwebhooks.webhooks", None)
    monkeypatch.delitem(sys.modules, "privity.identity.webhook", raising=False)
    with pytest.raises(InputError, match="webhook: is not installed; run `pip install 'privity\\[webhook\\]'`"):
        make_webhook([Signer(account="main", secret=SECRET, claim=SenderClaim.ASSERTED)], StandingClock())


@pytest.mark.proves("identity:ingress:attestation", "case:ID-14")
def test_a_home_opens_the_doors_its_settings_name(tmp_path: Path) -> None:
    """Webhook accounts make a webhook door; a list without it does not, and a bad secret stops the start."""
    home = tmp_path / "home"
    init_home(home, Mode.DEVELOPMENT)
    file = home / "privity.toml"
    account = "\n[accounts.webhook.main]\nsecret = 'env:HOOK'\nsender = 'verified'\n"
    file.write_text('mode = "development"' + account, encoding="utf-8")
    with open_home(home, environ={"HOOK": SECRET}) as host:
        assert host.ingress("webhook")
    with pytest.raises(InputError):
        open_home(home, environ={})
    file.write_text('adapters = ["local"]' + account, encoding="utf-8")
    with open_home(home, environ={"HOOK": SECRET}) as host, pytest.raises(InputError):
        host.ingress("webhook")
    file.write_text('adapters = ["webhook"]', encoding="utf-8")
    with open_home(home) as host:
        for door in ("webhook", "local"):
            with pytest.raises(InputError):
                host.ingress(door)
