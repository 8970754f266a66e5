"""Importing what other systems kept."""
