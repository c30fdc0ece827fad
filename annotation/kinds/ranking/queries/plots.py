"""A stored result of a ranking study as plots."""

from annotation.basics.plot import Plot
from annotation.kinds.best_worst.queries.plots import appearance_plot, item_ranges, range_plot
from annotation.models import Result


def every_plot(result: Result) -> list[Plot]:
    """Every figure of a result, in the order of its page."""
    appearances = list(
        result.item_scores.order_by("item__number").values_list("appearances", flat=True)
    )
    found = [
        range_plot(item_ranges(result), result.statistics.get("score_intervals")),
        appearance_plot(appearances, result.n_judgments),
    ]
    return [plot for plot in found if plot is not None]
