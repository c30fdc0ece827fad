"""Prepare: tuples and booklets, the planner, pilots, trying it, next rounds."""
