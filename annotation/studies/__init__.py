"""Prepare: making, describing, sharing, copying a study, and who may log in."""
