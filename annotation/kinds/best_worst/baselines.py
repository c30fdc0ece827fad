"""A best-worst study in `baselines/`."""

from annotation.kinds.best_worst.scores import BestWorstScores
from annotation.kinds.contract.baselines import BaselinesPart


class BestWorstBaselines(BaselinesPart):
    """Items have scores."""

    scores = BestWorstScores()
