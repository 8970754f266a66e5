"""The suites an implementation of either seam must pass, as a pytest plugin."""
