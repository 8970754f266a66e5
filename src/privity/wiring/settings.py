"""The settings of a home: each with its origin, and none that nobody knows.

A flag beats `PRIVITY_*`, which beats `privity.toml`, which beats the default. Accounts stand in
the file only. A secret is named there, never written: `env:NAME` or `file:/path`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from privity.host.options import FirstContact, MembershipRule, Mode
from privity.model.principals import SenderStrength
from privity.sdk.errors import InputError, StorageFailedError
from privity.sdk.identity import SenderClaim

FILE: Final = "privity.toml"
ACCOUNTS: Final = "accounts"
ANY: Final = "any"
"""Whatever the operator's code registers is a sink; a list of names allows these and no others."""

STAMPED: Final = "as stamped"
"""The mode of a home whose settings name none: the one it was made with."""


class Origin(StrEnum):
    """Where the value of a setting comes from, strongest first."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting as it holds, for an operator to see. A secret is shown by its reference."""

    name: str
    value: str
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class SignerSettings:
    """One account of one adapter, as the file has it."""

    adapter: str
    account: str
    secret: str
    claim: SenderClaim
    membership: MembershipRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a home. `lines` are what `privity config` shows."""

    mode: Mode | None
    first_contact: FirstContact
    minimum_strength: SenderStrength
    adapters: frozenset[str]
    sinks: frozenset[str] | None
    durability: str
    conversation_hours: int
    roster_days: int
    accounts: tuple[SignerSettings, ...]
    lines: tuple[Setting, ...]


def one_of(*words: str) -> Callable[[str], str]:
    """Return the parser of a setting that is one of a few words."""

    def parse(value: str) -> str:
        if value not in words:
            raise ValueError("use one of: " + ", ".join(words))
        return value

    return parse


def count(value: str) -> str:
    """Parse a setting that is a whole number from 1 to 3650."""
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= MOST:
        raise ValueError(f"use a whole number from 1 to {MOST}")
    return value


def names(value: str) -> str:
    """Parse a setting that is a list of names."""
    if not all(name.replace("-", "").replace("_", "").isalnum() for name in value.split(",") if name):
        raise ValueError("use names of letters, digits and dashes")
    return ",".join(sorted({name for name in value.split(",") if name}))


MOST: Final = 3650
KNOWN: Final[Mapping[str, tuple[str, Callable[[str], str]]]] = {
    "mode": (STAMPED, one_of(STAMPED, *Mode)),
    "adapters": ("local,webhook", names),
    "sinks": (ANY, names),
    "identity.first_contact": (FirstContact.CREATE, one_of(*FirstContact)),
    "identity.minimum_strength": (
        SenderStrength.ASSERTED,
        one_of(SenderStrength.ASSERTED, SenderStrength.VERIFIED),
    ),
    "audit.durability": ("grouped", one_of("grouped", "strict")),
    "membership.conversation_hours": ("24", count),
    "membership.roster_days": ("30", count),
}
"""Each setting with its default and its parser."""

CLAIMS: Final = frozenset(SenderClaim) - {SenderClaim.VOUCHED}
ACCOUNT_KEYS: Final = frozenset({"secret", "sender", "membership"})


def load_settings(home: Path, *, flags: Mapping[str, str], environ: Mapping[str, str]) -> Settings:
    """Return the settings of the home at `home`.

    Raises:
        InputError: the file is not TOML, or a setting is unknown or has a value it cannot have.
    """
    document = read_file(home / FILE)
    tables = document.pop(ACCOUNTS, {})
    stated = flatten(document)
    refuse_unknown({*stated, *flags})
    lines = {name: resolved(name, flags, environ, stated) for name in KNOWN}
    accounts = parse_accounts(tables)
    values = {name: line.value for name, line in lines.items()}
    return Settings(
        mode=None if values["mode"] == STAMPED else Mode(values["mode"]),
        first_contact=FirstContact(values["identity.first_contact"]),
        minimum_strength=SenderStrength(values["identity.minimum_strength"]),
        adapters=frozenset(values["adapters"].split(",")) - {""},
        sinks=None if values["sinks"] == ANY else frozenset(values["sinks"].split(",")) - {""},
        durability=values["audit.durability"],
        conversation_hours=int(values["membership.conversation_hours"]),
        roster_days=int(values["membership.roster_days"]),
        accounts=accounts,
        lines=(*lines.values(), *(line for account in accounts for line in signer_lines(account))),
    )


def read_file(path: Path) -> dict[str, object]:
    """Return what the settings file says; a missing one says nothing.

    Raises:
        InputError: it is not TOML.
        StorageFailedError: it cannot be read.
    """
    try:
        return cast("dict[str, object]", tomlkit.parse(path.read_text(encoding="utf-8")).unwrap())
    except FileNotFoundError:
        return {}
    except (TOMLKitError, UnicodeDecodeError, RecursionError) as error:
        raise InputError("is not TOML", where=FILE, remedy="mend it, or move it away") from error
    except OSError as error:
        problem = f"`{FILE}` cannot be read: {error.strerror}"
        raise StorageFailedError(problem, remedy="look at the file and its disk") from error


def flatten(document: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Return nested tables as names with dots, and values as text."""
    stated: dict[str, str] = {}
    for name, value in document.items():
        if isinstance(value, dict):
            stated |= flatten(cast("dict[str, object]", value), f"{prefix}{name}.")
        elif isinstance(value, list):
            stated[f"{prefix}{name}"] = ",".join(str(one) for one in cast("list[object]", value))
        else:
            stated[f"{prefix}{name}"] = str(value)
    return stated


def refuse_unknown(stated: set[str]) -> None:
    """Refuse settings that nobody knows: a misspelt one must not pass for a default.

    Raises:
        InputError: there is one.
    """
    unknown = sorted(stated - set(KNOWN))
    if unknown:
        raise InputError("is unknown", where=f"setting `{unknown[0]}`", remedy="use one of: " + ", ".join(KNOWN))


def resolved(name: str, flags: Mapping[str, str], environ: Mapping[str, str], stated: Mapping[str, str]) -> Setting:
    """Return one setting from its strongest origin.

    Raises:
        InputError: its value is none that it can have.
    """
    default, parse = KNOWN[name]
    sources = (
        (Origin.FLAG, flags.get(name)),
        (Origin.ENVIRONMENT, environ.get("PRIVITY_" + name.replace(".", "_").upper())),
        (Origin.FILE, stated.get(name)),
        (Origin.DEFAULT, default),
    )
    origin, value = next((origin, value) for origin, value in sources if value is not None)
    try:
        return Setting(name=name, value=parse(value), origin=origin)
    except ValueError as error:
        raise InputError(f"cannot be `{value[:64]}`", where=f"setting `{name}`", remedy=str(error)) from error


def parse_accounts(tables: object) -> tuple[SignerSettings, ...]:
    """Return the accounts of the file, `[accounts.<adapter>.<account>]` each.

    Raises:
        InputError: one is out of form.
    """
    return tuple(
        parse_signer(adapter, account, fields)
        for adapter, accounts in table(tables, ACCOUNTS).items()
        for account, fields in table(accounts, f"{ACCOUNTS}.{adapter}").items()
    )


def table(value: object, where: str) -> dict[str, object]:
    """Return a table of the file."""
    if not isinstance(value, dict):
        raise InputError("is no table", where=where, remedy="write `[accounts.<adapter>.<account>]`")
    return cast("dict[str, object]", value)


def parse_signer(adapter: str, account: str, value: object) -> SignerSettings:
    """Return one account."""
    where = f"{ACCOUNTS}.{adapter}.{account}"
    fields = {name: str(stated) for name, stated in table(value, where).items()}
    unknown = sorted(fields.keys() - ACCOUNT_KEYS)
    if unknown:
        raise InputError("is unknown", where=f"{where}.{unknown[0]}", remedy="use secret, sender, membership")
    sender, membership = fields.get("sender", SenderClaim.ASSERTED), fields.get("membership", MembershipRule.EVENT)
    if sender not in CLAIMS or membership not in set(MembershipRule):
        raise InputError("has a word it cannot have", where=where, remedy="see the reference of `privity.toml`")
    return SignerSettings(
        adapter=adapter,
        account=account,
        secret=fields.get("secret", ""),
        claim=SenderClaim(sender),
        membership=MembershipRule(membership),
    )


def signer_lines(account: SignerSettings) -> tuple[Setting, ...]:
    """Return the settings of an account as an operator sees them."""
    prefix = f"{ACCOUNTS}.{account.adapter}.{account.account}"
    values = (("secret", account.secret), ("sender", account.claim), ("membership", account.membership))
    return tuple(Setting(name=f"{prefix}.{name}", value=value, origin=Origin.FILE) for name, value in values if value)
