"""Evaluate: scores, statistics, adjudications, comparisons of people."""
