"""Ranking studies: people put the items of a tuple in order."""
