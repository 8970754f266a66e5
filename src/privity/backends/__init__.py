"""Storage behind the engine's and the host's ports; a backend stores and never decides."""
