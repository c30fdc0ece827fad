"""Collect: who answered: checks, flags, exclusions, privacy."""
