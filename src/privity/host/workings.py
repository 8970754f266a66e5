"""What agents, sessions and runs of one host work with."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from privity.host.bindings import Resolver
from privity.host.context import ContextDesk
from privity.host.delivery import Deliveries
from privity.host.epochs import Epochs
from privity.host.events import EventRegistry
from privity.host.keys import HostKeys
from privity.host.occasions import Occasion
from privity.host.options import HostOptions
from privity.host.parties import Parties
from privity.host.ports import HostStores
from privity.host.records import HostAct
from privity.host.rosters import Rosters
from privity.host.sessions import Sessions
from privity.host.sinks import Sinks
from privity.host.trail import Trail
from privity.model.context import AccessContext
from privity.model.ids import PrincipalId
from privity.sdk.ambient import Clock, Entropy
from privity.sdk.errors import DeniedError
from privity.sdk.plugin import MemoryPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Workings:
    """The parts of one host. None of them holds the state of a request."""

    options: HostOptions
    stores: HostStores
    keys: HostKeys
    clock: Clock
    entropy: Entropy
    plugin: MemoryPlugin
    resolver: Resolver
    rosters: Rosters
    parties: Parties
    events: EventRegistry
    sinks: Sinks
    deliveries: Deliveries
    sessions: Sessions
    desk: ContextDesk
    epochs: Epochs
    trail: Trail
    operator_id: PrincipalId

    @contextmanager
    def operation(self, occasion: Occasion) -> Generator[AccessContext]:
        """Issue a context for one operation, and close it after that.

        Raises:
            DeniedError: the host's own facts refuse it already; the trail says so.
        """
        context = self.issue(occasion)
        try:
            yield context
        finally:
            self.desk.close(context)

    def issue(self, occasion: Occasion) -> AccessContext:
        """Issue a context, or write down why not.

        Raises:
            DeniedError: the host's own facts refuse it.
        """
        try:
            return self.desk.issue(occasion)
        except DeniedError as denial:
            record = occasion.session.record
            self.trail.note(
                HostAct.CONTEXT_DENIED,
                agent_id=record.agent_id,
                target_ids=(occasion.session.window.session_id, occasion.run_id),
                reason=denial.reason,
            )
            raise
