"""Selections: sentences chosen out of reports."""
