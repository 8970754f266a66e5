"""Tests of the value types."""
