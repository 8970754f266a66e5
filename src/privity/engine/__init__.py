"""The engine: what may be done with which revision. Implements seam A over storage ports."""
