"""A ranking study in `designs/`: the same tuples as in best-worst scaling."""

from annotation.kinds.best_worst.designs import BestWorstDesigns
from annotation.kinds.ranking.forms.planning import RankingPlanForm


class RankingDesigns(BestWorstDesigns):
    """Tuples of items that are put in order."""

    plan_form = RankingPlanForm
