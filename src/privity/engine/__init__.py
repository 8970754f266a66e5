"""The engine: what may be done with which revision. Implements seam A over storage ports."""

from privity.engine.engine import Engine, open_engine

__all__ = ["Engine", "open_engine"]
