"""Measures beside people's scores: correlations, their tests and intervals, leaderboards."""
