"""Every command with the capability it needs and its class. A command that is not here does not start."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from privity.model.operations import Operation


class RouteClass(StrEnum):
    """What a command touches.

    `open` touches no home. `administrative` changes or shows what the host knows, never
    content. `content` has a run under a plan, whoever asks. `trail` shows audit records, and
    showing them is recorded.
    """

    OPEN = "open"
    ADMINISTRATIVE = "administrative"
    CONTENT = "content"
    TRAIL = "trail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What one command needs."""

    route_class: RouteClass
    capability: Operation | None


def administrative() -> Route:
    """Return the route of a command that reaches no content."""
    return Route(route_class=RouteClass.ADMINISTRATIVE, capability=None)


def content(capability: Operation) -> Route:
    """Return the route of a command that reaches content by that capability."""
    return Route(route_class=RouteClass.CONTENT, capability=capability)


ROUTES: Final[Mapping[str, Route]] = {
    "init": administrative(),
    "agent add": administrative(),
    "agent list": administrative(),
    "identity add": administrative(),
    "identity list": administrative(),
    "identity bind": administrative(),
    "identity merge": administrative(),
    "identity revoke": administrative(),
    "room join": administrative(),
    "room leave": administrative(),
    "room owner": administrative(),
    "grant allow": Route(route_class=RouteClass.ADMINISTRATIVE, capability=Operation.POLICY_ADMIN),
    "grant revoke": Route(route_class=RouteClass.ADMINISTRATIVE, capability=Operation.POLICY_ADMIN),
    "grant deny": Route(route_class=RouteClass.ADMINISTRATIVE, capability=Operation.POLICY_ADMIN),
    "grant lift": Route(route_class=RouteClass.ADMINISTRATIVE, capability=Operation.POLICY_ADMIN),
    "session open": administrative(),
    "session list": administrative(),
    "session close": administrative(),
    "whoami": administrative(),
    "status": administrative(),
    "doctor": administrative(),
    "config": administrative(),
    "card show": content(Operation.READ),
    "card add": content(Operation.APPEND),
    "search": content(Operation.READ),
    "read": content(Operation.READ),
    "remember": content(Operation.APPEND),
    "forget": content(Operation.DELETE),
    "publish": content(Operation.PUBLISH),
    "import chat": content(Operation.APPEND),
    "explain": Route(route_class=RouteClass.TRAIL, capability=None),
    "audit": Route(route_class=RouteClass.TRAIL, capability=None),
    "demo": Route(route_class=RouteClass.OPEN, capability=None),
}
