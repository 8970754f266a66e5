"""The registry of identity adapters: who may speak for which namespace."""

from threading import Lock

from privity.host.options import HostOptions
from privity.sdk.errors import InputError
from privity.sdk.identity import IdentityAdapter
from privity.sdk.strict import strict


@strict
class Adapters:
    """The identity adapters of one host. The operator names them; the first session seals them."""

    def __init__(self, options: HostOptions) -> None:
        self._allowed = options.adapters
        self._lock = Lock()
        self._registered: dict[str, IdentityAdapter] = {}
        self._sealed = False

    def register(self, adapter: IdentityAdapter) -> None:
        """Let `adapter` speak for its name.

        Raises:
            InputError: the operator did not name it, it speaks already, or it comes too late.
        """
        # LOCK: a name may be worked out by code that is not ours, so it is asked for before the lock.
        name = adapter.name
        with self._lock:
            if self._sealed:
                raise InputError("comes too late", where="adapter", remedy="register it before the first event")
            if name not in self._allowed:
                raise InputError("is not on the list", where="adapter", remedy="name it in `adapters`")
            if name in self._registered:
                raise InputError("is registered already", where="adapter", remedy="register it once")
            self._registered[name] = adapter

    def seal(self) -> None:
        """Take no adapter from now on."""
        with self._lock:
            self._sealed = True

    def find(self, name: str) -> IdentityAdapter:
        """Return a registered adapter.

        Raises:
            InputError: there is none of this name.
        """
        with self._lock:
            adapter = self._registered.get(name)
        if adapter is None:
            raise InputError("names no adapter of this home", where="ingress", remedy="name it in `adapters`")
        return adapter
