"""Tests of the engine over the in-memory backend, with contexts made at a desk."""
