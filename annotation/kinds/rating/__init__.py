"""Ratings: one item after another on a scale."""
