"""What is supposed of a ranking study that is to be forecast."""

from annotation.kinds.best_worst.forms.planning import BestWorstPlanForm
from annotation.kinds.ranking.queries.answers import orders_arrays
from scoring.rankings.orders import simulated_orders


class RankingPlanForm(BestWorstPlanForm):
    """How far orders stray, and of which tuples."""

    simulate = staticmethod(simulated_orders)
    answers_arrays = staticmethod(orders_arrays)
