"""A backend whose ports fail when told, around one that does not."""

from collections import Counter
from collections.abc import Callable

from privity.engine.ports import Artifacts, Backend, Index, Keys, Outbox, Revisions, Runs, Stores


class Port:
    """Passes every call on, unless the next calls of its name are to fail."""

    def __init__(self, inner: object, trouble: "Trouble") -> None:
        self._inner = inner
        self._trouble = trouble

    def __getattr__(self, name: str) -> Callable[..., object]:
        call = getattr(self._inner, name)

        def watched(*arguments: object, **named: object) -> object:
            self._trouble.strike(name)
            return call(*arguments, **named)

        return watched


class Trouble:
    """Says which calls fail, how often, and with what."""

    def __init__(self) -> None:
        self.left: Counter[str] = Counter()
        self.failures: dict[str, Exception] = {}
        self.before: dict[str, Callable[[], None]] = {}

    def fail(self, name: str, failure: Exception, times: int = 1) -> None:
        """Let the next calls of `name` fail."""
        self.left[name] = times
        self.failures[name] = failure

    def interrupt(self, name: str, act: Callable[[], None]) -> None:
        """Do something right before the next call of `name`."""
        self.before[name] = act

    def strike(self, name: str) -> None:
        """Fail, if it is time to."""
        act = self.before.pop(name, None)
        if act is not None:
            act()
        if self.left[name] > 0:
            self.left[name] -= 1
            raise self.failures[name]


class TroubledBackend:
    """Implements the engine's backend around another one."""

    def __init__(self, inner: Backend) -> None:
        self.trouble = Trouble()
        self.stores: Stores = Port(inner.stores, self.trouble)  # pyright: ignore[reportAttributeAccessIssue]
        self.revisions: Revisions = Port(inner.revisions, self.trouble)  # pyright: ignore[reportAttributeAccessIssue]
        self.runs: Runs = Port(inner.runs, self.trouble)  # pyright: ignore[reportAttributeAccessIssue]
        self.outbox: Outbox = Port(inner.outbox, self.trouble)  # pyright: ignore[reportAttributeAccessIssue]
        self.artifacts: Artifacts = Port(inner.artifacts, self.trouble)  # pyright: ignore[reportAttributeAccessIssue]
        self.index: Index = Port(inner.index, self.trouble)  # pyright: ignore[reportAttributeAccessIssue]
        self.keys: Keys = inner.keys
