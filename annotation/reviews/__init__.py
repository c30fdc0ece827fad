"""Evaluate: scored items looked at again."""
