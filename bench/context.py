"""A plugin that is timed: how long the engine works of what the library takes, and what is left for the host."""

from collections.abc import Sequence
from time import perf_counter
from typing import Final

from typing_extensions import override

from privity.engine.engine import Engine
from privity.engine.parts import Parts
from privity.model.context import AccessContext
from privity.model.decisions import Denied
from privity.model.ids import SubjectHandle
from privity.model.passages import Passage
from privity.model.plans import Plan
from privity.sdk.envelope import Envelope

MICRO: Final = 1e6


class TimedEngine(Engine):
    """The engine, with a note of how long its last search and its last plan took."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self.searching = 0.0
        self.planning = 0.0

    @override
    def authorize(self, context: AccessContext) -> Plan | Denied:
        start = perf_counter()
        plan = super().authorize(context)
        self.planning = perf_counter() - start
        return plan

    @override
    def search(
        self,
        context: AccessContext,
        plan: Plan,
        query: str,
        *,
        about: Sequence[SubjectHandle] | None,
        limit: int,
    ) -> Envelope[tuple[Passage, ...]] | Denied:
        start = perf_counter()
        found = super().search(context, plan, query, about=about, limit=limit)
        self.searching = perf_counter() - start
        return found
