"""Evaluate: measures beside people, leaderboards, trained models."""
