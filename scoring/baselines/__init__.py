"""Measures of how alike two texts are that need no model, and what is reported of any measure."""

from scoring.baselines.pairs import Pair
from scoring.baselines.specification import Specification

__all__ = ["Pair", "Specification"]
