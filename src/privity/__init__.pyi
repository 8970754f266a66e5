from typing import Final

from privity.wiring.home import open_home as open  # noqa: A004 - the library is opened with `privity.open(home)`

__all__ = ["__version__", "open"]

__version__: Final[str]
