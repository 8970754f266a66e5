"""Occasions: what a context is issued for, and what the host remembers of a live one."""

from dataclasses import dataclass

from privity.host.delivery import Destination
from privity.host.parties import Party
from privity.host.records import MappedSession
from privity.model.context import AccessContext, Delegation
from privity.model.ids import EgressRegistryRevision, RunId
from privity.model.operations import Operation
from privity.model.standing import ContextStanding


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """What a context is issued for: whose session, which run, who acts, and where its output goes."""

    session: MappedSession
    run_id: RunId
    party: Party
    destination: Destination
    operation: Operation
    delegation: Delegation | None


Mark = tuple[int, EgressRegistryRevision]
"""Another one as soon as anything was written, or any sink registered or removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A standing, and the mark under which it was looked up."""

    mark: Mark
    standing: ContextStanding


@dataclass(slots=True, kw_only=True)
class Issued:
    """A live context, with what its standing is looked up by, and the last standing found."""

    context: AccessContext
    occasion: Occasion
    known: Known | None
