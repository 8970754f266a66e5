"""A memory layer for AI agents that authorizes before it searches.

Importing `privity` imports nothing else of it; `privity.open` is found when first asked for.
"""

from importlib import import_module
from typing import Final

__all__ = ["__version__", "open"]  # pyright: ignore[reportUnsupportedDunderAll]

__version__ = "0.1.0"

_FOUND_IN: Final = {"open": "privity.wiring"}


def __getattr__(name: str) -> object:
    """Return the public name `name` from the package that defines it.

    Raises:
        AttributeError: `privity` has no such name.
    """
    if name not in _FOUND_IN:
        message = f"module `privity` has no attribute `{name}`"
        raise AttributeError(message)
    return getattr(import_module(_FOUND_IN[name]), name)
