"""Answers that put the items of a tuple in order."""
