"""Who an operator means: a principal by its id, or the one person whom the local adapter knows by a name."""

from collections.abc import Iterator
from typing import Final

from privity.host.identities import Identities
from privity.host.records import PrincipalRecord, PrincipalState
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalKind
from privity.model.reasons import Reason
from privity.ops.credentials import Opened
from privity.sdk.errors import ConflictError, DeniedError, InputError

PAGE: Final = 1_000
UNKNOWN: Final = "add them with `privity identity add`"
REVOKED: Final = (
    "they were revoked; `privity identity add` makes a new person of this name, without the old one's memory"
)


def list_everybody(identities: Identities) -> Iterator[PrincipalRecord]:
    """Yield every principal of the home in the order of their ids."""
    page = identities.people(limit=PAGE)
    while page:
        yield from page
        page = identities.people(after=page[-1].principal_id, limit=PAGE)


def add_person(identities: Identities, name: str) -> PrincipalId:
    """Make a person whom the local adapter knows by `name`.

    Raises:
        ConflictError: somebody has this name already.
    """
    if any(record.label == name and is_live_person(record) for record in list_everybody(identities)):
        raise ConflictError("somebody has this name already, and the local adapter goes by names; use another")
    return identities.add_local_person(name)


def load_principal(identities: Identities, who: str) -> PrincipalRecord:
    """Return the principal that `who` is the id of.

    Raises:
        InputError: there is no such principal.
    """
    return identities.known(PrincipalId(who)).principal


def load_person(identities: Identities, who: str) -> PrincipalRecord:
    """Return the live person that `who` means: the merge head, where they were merged into another one.

    Raises:
        InputError: nobody is meant, or more than one: a name chooses nobody.
    """
    everybody = {record.principal_id: record for record in list_everybody(identities)}
    if who in everybody:
        return identities.person(PrincipalId(who)).principal
    named = {record.merged_into or record.principal_id for record in everybody.values() if record.label == who}
    live = [everybody[one] for one in sorted(named) if is_live_person(everybody[one])]
    if not live:
        remedy = REVOKED if named else UNKNOWN
        raise InputError("names nobody of this home", where=f"`{who}`", remedy=remedy)
    if len(live) > 1:
        raise InputError(
            "is the name of several people", where=f"`{who}`", remedy="use an id of `privity identity list`"
        )
    return live[0]


def load_anybody(identities: Identities, who: str) -> PrincipalRecord:
    """Return the principal that `who` is the id of, or else the live person who has that name.

    Raises:
        InputError: nobody is meant, or more than one.
    """
    everybody = {record.principal_id for record in list_everybody(identities)}
    return load_principal(identities, who) if who in everybody else load_person(identities, who)


def load_bearer(identities: Identities, session: Opened) -> PrincipalId:
    """Return whom an open session is of, if its name still leads to them.

    Raises:
        DeniedError: they were revoked, or somebody else bears the name now.
    """
    opened = identities.known(session.principal_id).principal
    if not is_live_person(opened) or load_person(identities, session.who.sender) != opened:
        raise DeniedError(Reason.IDENTITY_REVOKED, 1)
    return opened.principal_id


def is_name(identities: Identities, who: str) -> bool:
    """Somebody of this home, revoked or not, has this name."""
    return any(record.label == who for record in list_everybody(identities))


def is_live_person(record: PrincipalRecord) -> bool:
    """The principal is a person in force."""
    return record.state is PrincipalState.LIVE and record.kind is PrincipalKind.USER
