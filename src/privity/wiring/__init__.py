"""The composition root: the only place that names concrete classes."""

from privity.wiring.home import init_home, rejoin_home
from privity.wiring.home import open_home as open  # noqa: A004 - the library is opened with `privity.open(home)`

__all__ = ["init_home", "open", "rejoin_home"]
