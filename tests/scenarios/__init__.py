"""Transcripts of the command line, readable by an operator."""
