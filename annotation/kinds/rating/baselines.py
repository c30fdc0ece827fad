"""A rating study in `baselines/`."""

from annotation.kinds.contract.baselines import BaselinesPart


class RatingBaselines(BaselinesPart):
    """Answers what `baselines/` asks."""

    has_scores = True
