"""Who an operator means: a principal by its id, or the one person whom the local adapter knows by a name."""

from collections.abc import Iterator
from typing import Final

from privity.host.identities import Identities
from privity.host.records import PrincipalRecord, PrincipalState
from privity.model.ids import PrincipalId
from privity.model.principals import PrincipalKind
from privity.sdk.errors import ConflictError, InputError

PAGE: Final = 1_000


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
    if any(record.label == name for record in list_everybody(identities)):
        raise ConflictError("somebody has this name already, and the local adapter goes by names; use another")
    return identities.add_local_person(name)


def load_principal(identities: Identities, who: str) -> PrincipalRecord:
    """Return the principal that `who` is the id of.

    Raises:
        InputError: there is no such principal.
    """
    return identities.known(PrincipalId(who)).principal


def load_person(identities: Identities, who: str) -> PrincipalRecord:
    """Return the live person that `who` means.

    Raises:
        InputError: nobody is meant, or more than one: a name chooses nobody.
    """
    if who.startswith(f"{PrincipalKind.USER}_"):
        return identities.person(PrincipalId(who)).principal
    named = [record for record in list_everybody(identities) if record.label == who and is_live_person(record)]
    if not named:
        raise InputError("names nobody of this home", where=f"`{who}`", remedy="add them with `privity identity add`")
    if len(named) > 1:
        raise InputError(
            "is the name of several people", where=f"`{who}`", remedy="use an id of `privity identity list`"
        )
    return named[0]


def is_live_person(record: PrincipalRecord) -> bool:
    """The principal is a person in force, and not merged into another one."""
    live = record.state is PrincipalState.LIVE and record.merged_into is None
    return live and record.kind is PrincipalKind.USER
