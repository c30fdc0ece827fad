"""The phases of a rating study beside one another, as plots: captions, no statistics."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics import charts
from annotation.basics.numbers import decimal, grouped, hours, number
from annotation.basics.plot import Plot
from annotation.kinds.best_worst.queries.plots import MAX_TABLE_ROWS
from annotation.kinds.rating.queries.plots import bars_of, phase_plots
from annotation.models import Result

Statistics = Mapping[str, Any]
# One point for each pixel of the plot's width on a page.
_MAX_CURVE_POINTS = 500
# Ends the name of a figure of the items with a significant effect of context.
_SIGNIFICANT = "-significant"


def every_plot(result: Result) -> list[Plot]:
    """Every figure of a rating study's result."""
    statistics = result.statistics
    plots = [plot for phase in statistics["phases"] for plot in phase_plots(phase)]
    return [*plots, *context_plots(statistics), *waiting_plots(statistics)]


def context_plots(statistics: Statistics) -> list[Plot]:
    """The effect of context; nothing of a design without both conditions."""
    if statistics["context"]["reason"]:
        return []
    tests, main = statistics["context"]["tests"], statistics["context"]["main_test"]
    gains = tests["pooled"]["gains"]
    plots = [_p_plot(tests)]
    if gains["n"]:
        plots += [_gain_plot(gains), _quantile_plot(gains)]
    significant = tests[main]["significant_gains"]
    if significant["n"]:
        selected_by = _of_significant(main, tests[main]["level"])
        plots += [_gain_plot(significant, selected_by), _quantile_plot(significant, selected_by)]
    return [plot for plot in plots if plot is not None]


def waiting_plots(statistics: Statistics) -> list[Plot]:
    return [_waiting_plot(waiting) for waiting in statistics["waiting"] if not waiting["reason"]]


def _p_plot(tests: Statistics) -> Plot | None:
    names = {"pooled": _("pooled t-test"), "paired": _("paired t-test")}
    tested = {
        test: test_statistics
        for test, test_statistics in tests.items()
        if test_statistics["n_tested"]
    }
    if not tested:
        return None
    title = _("p-values of the effect of context")
    says = [
        _("%(test)s: %(below)s of %(n)s items below %(level)s, %(left)s after correction")
        % {
            "test": names[test],
            "below": grouped(tested[test]["n_below"]),
            "n": grouped(tested[test]["n_tested"]),
            "level": decimal(tested[test]["level"], 2),
            "left": grouped(tested[test]["n_left"]),
        }
        for test in names
        if test in tested
    ]
    caption = _(
        "Share of items whose p-value is at most the value on the horizontal axis. Without any "
        "effect, the curve of the paired test lies near the diagonal; that of the pooled test can "
        "lie below it. Results: %(tests)s."
    ) % {"tests": "; ".join(says)}
    curves = {test: tested[test]["p_value_curve"] for test in names if test in tested}
    return Plot(
        "p-values",
        title,
        caption,
        charts.lines(
            [
                (names[test], _thinned([(0.0, 0.0), *_points(curve), (1.0, 1.0)]))
                for test, curve in curves.items()
            ],
            title=title,
            x_label=_("p-value"),
            y_label=_("share of the items"),
            y=(0.0, 1.0),
            diagonal=True,
            description=caption,
        ),
        [_("test"), _("p-value"), _("share of the items")],
        [[names[test], p, share] for test, curve in curves.items() for p, share in _points(curve)],
        most_rows=MAX_TABLE_ROWS,
    )


def _points(curve: Statistics) -> list[tuple[float, float]]:
    return list(zip(curve["p"], curve["share"], strict=True))


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """As many points as the eye can tell apart, including the first and the last."""
    n = min(len(points), _MAX_CURVE_POINTS)
    return [points[k * (len(points) - 1) // max(n - 1, 1)] for k in range(n)]


def _gain_plot(gains: Statistics, selected_by: str = "") -> Plot:
    """Gains of all items, or of those that `selected_by` describes."""
    edges, counts = gains["histogram"]["edges"], gains["histogram"]["counts"]
    title = _("Gain from context")
    caption = _(
        "Gain of %(n)s items: score in context minus score without it. Mean %(mean)s, standard "
        "deviation %(sd)s."
    ) % {"n": grouped(gains["n"]), "mean": number(gains["mean"]), "sd": number(gains["sd"])}
    if selected_by:
        title = _("Gain from context, items with p < 0.05 (not corrected)")
        caption = f"{caption} {selected_by}"
    return Plot(
        f"gains{_SIGNIFICANT * bool(selected_by)}",
        title,
        caption,
        charts.histogram(
            edges,
            counts,
            title=title,
            x_label=_("gain"),
            y_label=_("items"),
            description=caption,
        ),
        [_("gain from"), _("to"), _("items")],
        [[low, high, n] for (low, high), n in zip(bars_of(edges), counts, strict=True)],
    )


def _of_significant(test: str, level: float) -> str:
    sentence = {
        "paired": _("Only items with a p-value below %(level)s in the paired t-test."),
        "pooled": _("Only items with a p-value below %(level)s in the pooled t-test."),
    }[test]
    caution = _("Some of them may have no effect, and the selection makes gains look larger.")
    return f"{sentence % {'level': decimal(level, 2)}} {caution}"


def _quantile_plot(gains: Statistics, selected_by: str = "") -> Plot:
    curve = gains["quantile_curve"]
    title = _("Quantiles of the gain from context")
    caption = _(
        "The gain that a given share of the %(n)s items does not exceed. Left of the point "
        "where the curve crosses 0, scores were lower in context; right of it, higher. By chance "
        "alone, about half of the items would lie on each side."
    ) % {"n": grouped(gains["n"])}
    if selected_by:
        title = _("Quantiles of the gain from context, items with p < 0.05 (not corrected)")
        caption = f"{caption} {selected_by}"
    points = list(zip(curve["probabilities"], curve["quantiles"], strict=True))
    return Plot(
        f"gain-quantiles{_SIGNIFICANT * bool(selected_by)}",
        title,
        caption,
        charts.lines(
            [(_("gain"), points)],
            title=title,
            x_label=_("share of the items"),
            y_label=_("gain"),
            description=caption,
        ),
        [_("share of the items"), _("gain")],
        [list(point) for point in points],
        most_rows=MAX_TABLE_ROWS,
    )


def _waiting_plot(waiting: Statistics) -> Plot:
    edges, counts = waiting["histogram"]["edges"], waiting["histogram"]["counts"]
    title = _("Waiting time between phases %(first)s and %(second)s") % {
        "first": waiting["from"],
        "second": waiting["to"],
    }
    caption = _(
        "Hours from the end of phase %(first)s to the first screen of phase %(second)s. People "
        "whose answers count: %(n)s. Median %(median)s, range %(low)s to %(high)s."
    ) % {
        "first": waiting["from"],
        "second": waiting["to"],
        "n": grouped(waiting["n"]),
        "median": hours(waiting["median"]),
        "low": hours(waiting["min"]),
        "high": hours(waiting["max"]),
    }
    return Plot(
        f"waiting-{waiting['to']}",
        title,
        caption,
        charts.histogram(
            edges,
            counts,
            title=title,
            x_label=_("hours"),
            y_label=_("people"),
            description=caption,
        ),
        [_("hours from"), _("to"), _("people")],
        [[low, high, n] for (low, high), n in zip(bars_of(edges), counts, strict=True)],
        # A bar of one minute is .017 hours wide.
        digits=2 if edges[-1] >= 1 else 3,
    )
