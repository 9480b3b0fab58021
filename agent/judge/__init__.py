"""Verdicts: compile, run, compare."""
