from typing import Final

from privity.wiring.home import open_home as open

__all__ = ["__version__", "open"]

__version__: Final[str]
