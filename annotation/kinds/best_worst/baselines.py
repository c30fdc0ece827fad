"""A best-worst study in `baselines/`."""

from annotation.kinds.contract.baselines import BaselinesPart


class BestWorstBaselines(BaselinesPart):
    """Answers what `baselines/` asks."""

    has_scores = True
