"""A home on disk: how one is made, and how its parts are put together when it is opened."""

import hmac
import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from privity.backends.sqlite.backend import open_vault
from privity.backends.sqlite.files import make_directory, make_file
from privity.backends.sqlite.flusher import Durability
from privity.backends.sqlite.host_stores import SqliteHostStores, Stamp, open_host_stores
from privity.engine.engine import open_engine
from privity.host.assembly import Fittings, assemble
from privity.host.host import Host
from privity.host.keys import HostKeys, Purpose, derived_key
from privity.host.options import DEFAULT_LIFETIMES, AccountName, HostOptions, MembershipRule, Mode, SignerOptions
from privity.identity.local import ACCOUNT, NAME, LocalAdapter
from privity.sdk.ambient import Clock
from privity.sdk.errors import InputError, StorageFailedError
from privity.sdk.identity import IdentityAdapter
from privity.wiring.clock import FlooredClock, SystemClock, SystemEntropy
from privity.wiring.places import HOST, KEYS, VAULT, parse_home
from privity.wiring.secrets import resolve_secret
from privity.wiring.settings import FILE, Settings, SignerSettings, load_settings
from privity.wiring.webhooks import WEBHOOK, Signer, make_webhook

KEY: Final = f"{KEYS}/host.key"
DATABASE: Final = "host.db"
CLOCK: Final = "clock"
RESTORE: Final = "restore it from a backup, and the vault from the same one"
KEY_BYTES: Final = 32
LOCAL: Final = (NAME, ACCOUNT)
FIRST_SETTINGS: Final = '# Settings of this home. `privity config` shows each with its origin.\nmode = "{mode}"\n'


def init_home(path: Path, mode: Mode) -> None:
    """Make a home at `path`. An evaluation home stays one.

    Raises:
        InputError: there is one already, or something else is in the way.
        StorageFailedError: the disk fails.
    """
    home = parse_home(path)
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise InputError("is not empty", where="home", remedy="name a folder that is empty or not there yet")
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        make_directory(home)
        home.chmod(0o700)
        for directory in (home / HOST, home / HOST / KEYS):
            make_directory(directory)
        write_private(home / HOST / KEY, SystemEntropy().key())
        write_private(home / FILE, FIRST_SETTINGS.format(mode=mode).encode("ascii"))
    except OSError as error:
        raise StorageFailedError(f"`{home}` cannot be made", remedy="check the path and the disk") from error
    stores = open_host_stores(home / HOST)
    stores.stamp(Stamp(word=mode, key_check=key_check(HostKeys(read_key(home / HOST / KEY)))))
    stores.close()


def write_private(path: Path, content: bytes) -> None:
    """Write a new private file."""
    make_file(path)
    with path.open("r+b") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def open_home(
    path: str | Path, *, flags: Mapping[str, str] | None = None, environ: Mapping[str, str] | None = None
) -> Host:
    """Open the home at `path` and own it until the host is closed.

    Two names of one folder are one home, and only one of them can be open.

    Raises:
        HomePartedError: its host and its vault are not of one moment.
        InputError: there is no home, or its settings are wrong.
        HomeInUseError: another process owns it.
        HomeVersionError: a newer privity wrote it.
        StorageFailedError: the disk fails.
    """
    return open_parts(path, flags=flags or {}, environ=os.environ if environ is None else environ, rejoin=False)


def rejoin_home(path: Path) -> None:
    """Let a home serve again whose host or vault was put back from a copy: an operator's act, on the audit.

    What was withdrawn since the copy of the host was made has to be withdrawn again.

    Raises:
        InputError, HomeInUseError, HomeVersionError, StorageFailedError: as for `open_home`.
    """
    open_parts(path, flags={}, environ=os.environ, rejoin=True).close()


def open_parts(path: str | Path, *, flags: Mapping[str, str], environ: Mapping[str, str], rejoin: bool) -> Host:
    """Open the home at `path` and everything in it, or nothing."""
    home = parse_home(path).resolve()
    if not (home / HOST / KEY).exists():
        raise InputError("is no home", where="home", remedy="make one with `privity init`")
    if not (home / HOST / DATABASE).exists():
        raise StorageFailedError(f"`{home / HOST / DATABASE}` is gone", remedy=RESTORE)
    settings = load_settings(home, flags=flags, environ=environ)
    with ExitStack() as opened:
        host = put_together(home, settings, environ, opened, rejoin=rejoin)
        opened.pop_all()
        return host


def put_together(
    home: Path, settings: Settings, environ: Mapping[str, str], opened: ExitStack, *, rejoin: bool
) -> Host:
    """Return the host of a home, whose parts `opened` closes in the opposite order."""
    entropy = SystemEntropy()
    clock = FlooredClock(home / HOST / CLOCK, SystemClock())
    vault = open_vault(home / VAULT, clock=clock, entropy=entropy, durability=Durability(settings.durability))
    opened.callback(vault.close)
    stores = open_host_stores(home / HOST)
    opened.callback(stores.close)
    opened.callback(clock.close)
    root = read_key(home / HOST / KEY)
    keys = HostKeys(root)
    options = options_of(settings, effective_mode(stores, settings, keys))
    local = LocalAdapter(derived_key(root, "local"), clock, entropy) if takes_local(options) else None
    closing = ExitStack()
    host = assemble(
        Fittings(
            options=options,
            stores=stores,
            keys=keys,
            clock=clock,
            entropy=entropy,
            voucher=local,
            closing=closing.close,
            rejoin=rejoin,
        ),
        lambda verifier: open_engine(vault, verifier, clock, entropy),
    )
    for adapter in (*([] if local is None else [local]), *webhooks(settings, options, clock, environ)):
        host.adapters.register(adapter)
    closing.push(opened.pop_all())
    return host


def read_key(path: Path) -> bytes:
    """Return the root key of a host.

    Raises:
        StorageFailedError: it is gone or damaged.
    """
    try:
        key = path.read_bytes()
    except OSError as error:
        raise StorageFailedError(f"`{path}` cannot be read", remedy=RESTORE) from error
    if len(key) != KEY_BYTES:
        raise StorageFailedError(f"`{path}` is damaged", remedy=RESTORE)
    return key


def key_check(keys: HostKeys) -> str:
    """Return the digest by which a home knows its own key again. Nothing else is derived from it."""
    return keys.digest(Purpose.CHECK)


def effective_mode(stores: SqliteHostStores, settings: Settings, keys: HostKeys) -> Mode:
    """Return the mode of a home: as set, or else as stamped when it was made.

    Raises:
        InputError: an evaluation home is to be another one, or another one an evaluation home.
        StorageFailedError: the key is another home's.
    """
    stamp = stores.stamp(Stamp(word=Mode.PRODUCTION, key_check=key_check(keys)))
    if not hmac.compare_digest(stamp.key_check, key_check(keys)):
        raise StorageFailedError(f"`{KEY}` is not the key of this home", remedy=RESTORE)
    stamped = Mode(stamp.word)
    mode = stamped if settings.mode is None else settings.mode
    if (mode is Mode.EVALUATION) is not (stamped is Mode.EVALUATION):
        raise InputError("was settled when the home was made", where="setting `mode`", remedy="make another home")
    return mode


def options_of(settings: Settings, mode: Mode) -> HostOptions:
    """Return what the host is told."""
    accounts: dict[AccountName, SignerOptions] = {
        (account.adapter, account.account): SignerOptions(membership=account.membership)
        for account in settings.accounts
    }
    adapters = settings.adapters
    if mode is Mode.PRODUCTION:
        adapters -= {NAME}
    else:
        accounts.setdefault(LOCAL, SignerOptions(membership=MembershipRule.ROSTER))
    return HostOptions(
        mode=mode,
        first_contact=settings.first_contact,
        minimum_strength=settings.minimum_strength,
        adapters=adapters,
        sinks=settings.sinks,
        accounts=accounts,
        lifetimes=replace(
            DEFAULT_LIFETIMES,
            conversation_membership=timedelta(hours=settings.conversation_hours),
            roster_membership=timedelta(days=settings.roster_days),
        ),
    )


def takes_local(options: HostOptions) -> bool:
    """The operator's word counts in this home."""
    return options.mode is not Mode.PRODUCTION and NAME in options.adapters


def webhooks(
    settings: Settings, options: HostOptions, clock: Clock, environ: Mapping[str, str]
) -> tuple[IdentityAdapter, ...]:
    """Return the webhook adapter of a home that has webhook accounts."""
    accounts = [account for account in settings.accounts if account.adapter == WEBHOOK]
    if not accounts or WEBHOOK not in options.adapters:
        return ()
    return (make_webhook([signer_of(account, environ) for account in accounts], clock),)


def signer_of(account: SignerSettings, environ: Mapping[str, str]) -> Signer:
    """Return an account with its secret."""
    where = f"accounts.{WEBHOOK}.{account.account}.secret"
    secret = resolve_secret(account.secret, where=where, environ=environ)
    return Signer(account=account.account, secret=secret, claim=account.claim)
