"""A rating study in `baselines/`."""

from annotation.kinds.contract.baselines import BaselinesPart
from annotation.kinds.rating.scores import RatingScores


class RatingBaselines(BaselinesPart):
    """Items have ratings in each phase."""

    scores = RatingScores()
