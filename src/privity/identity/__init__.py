"""Adapters that turn a provider's verified event into evidence about a principal."""
