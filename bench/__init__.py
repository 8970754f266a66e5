"""Measurements beside peers and floors: `python -m bench`."""
