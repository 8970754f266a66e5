"""What a run may ask to change. No field names a store, an owner or an audience."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from privity.model.ids import PrincipalId, ResourceHandle, SubjectHandle
from privity.model.operations import Operation
from privity.model.policies import Effect
from privity.model.resources import Anonymity, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """Add text to the session's own store; `about` holds handles the engine issued."""

    text: str
    section: Section
    about: tuple[SubjectHandle, ...]
    lifetime: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Tombstone one revision by its handle."""

    handle: ResourceHandle


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """Add text to the agent-shared store; `anonymity` says whether ambiguous sessions may see it."""

    text: str
    anonymity: Anonymity


Mutation = Remember | Forget | Publish


class AmendmentKind(StrEnum):
    """Whether a rule is put into force or taken out of it."""

    GRANT = "grant"
    REVOKE = "revoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """A change of the rules over the agent-shared store, under the capability `policy-admin`.

    A rule is found again by its effect, capability and grantee. `grantee_id` of `None` names
    every actor and is legal for denies only.
    """

    kind: AmendmentKind
    effect: Effect
    capability: Operation
    grantee_id: PrincipalId | None
    lifetime: timedelta | None
