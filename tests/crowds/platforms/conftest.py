"""Fixtures of the platforms' tests."""

from tests.crowds.platforms.connect_lab import connect, spending_study
from tests.crowds.platforms.prolific_lab import lab
from tests.crowds.platforms.prolific_spending import study

__all__ = ["connect", "lab", "spending_study", "study"]
