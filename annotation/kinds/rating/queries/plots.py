"""One phase of a rating study as plots for a page and a paper: captions, no statistics."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics import charts
from annotation.basics.numbers import grouped, number, percent
from annotation.basics.plot import Plot
from annotation.core.queries.summaries import in_order
from annotation.kinds.best_worst.queries.plots import MAX_TABLE_ROWS, Text
from annotation.models import Phase

Statistics = Mapping[str, Any]
# Plots leave out the longest percent of the times: one forgotten page would fill the plot.
_SHARE_DRAWN = 0.99
# Ends the name of a figure that compares with the first round.
_ROUND_1 = "-round-1"


def condition_name(phase: Statistics) -> str:
    """ "phase 1, context-free" in the reader's language."""
    return _("phase %(number)s, %(condition)s") % {
        "number": phase["number"],
        "condition": Phase.Condition(phase["condition"]).label,
    }


def phase_plots(phase: Statistics) -> list[Plot]:
    plots = [
        _score_plot(phase),
        *(_split_plot(phase, name, split) for name, split in sorted(phase["by"].items())),
        _class_plot(phase),
        _time_plot(phase, phase["summary"]["error_by_thinking_time"]),
        _practice_plot(phase, phase["practice"]),
    ]
    # Older results have nothing of the first round.
    if first := phase.get("beside_first_round"):
        plots += [
            _time_plot(phase, first["error_by_thinking_time"], is_beside_first=True),
            _practice_plot(phase, first["practice"], is_beside_first=True),
        ]
    return [plot for plot in plots if plot is not None]


def bars_of(edges: Sequence[float]) -> list[tuple[float, float]]:
    """The ends of each interval, without the last digits that dividing the scale leaves."""
    return list(pairwise(round(edge, 10) + 0.0 for edge in edges))


def _score_plot(phase: Statistics) -> Plot | None:
    distribution = phase["summary"]["distribution"]
    if not distribution["counts"]:
        return None
    title = _("Distribution of scores, %(phase)s") % {"phase": condition_name(phase)}
    caption = _(
        "Scores (mean ratings) of %(n)s items: mean %(mean)s, standard deviation %(sd)s. The "
        "bars divide the whole scale into intervals of equal width."
    ) % {
        "n": grouped(sum(distribution["counts"])),
        "mean": number(distribution["mean"]),
        "sd": number(distribution["sd"]),
    }
    return Plot(
        f"scores-{phase['number']}",
        title,
        caption,
        charts.histogram(
            distribution["edges"],
            distribution["counts"],
            title=title,
            x_label=_("score (mean rating)"),
            y_label=_("items"),
            description=caption,
        ),
        [_("score from"), _("to"), _("items")],
        [
            [low, high, n]
            for (low, high), n in zip(
                bars_of(distribution["edges"]), distribution["counts"], strict=True
            )
        ],
        digits=2,
    )


def by_score(classes: Statistics) -> dict[str, Any]:
    """The classes that have items with a score, those of the highest scores first."""
    rated = {label: statistics for label, statistics in classes.items() if statistics["n"]}
    return dict(sorted(rated.items(), key=lambda entry: (-entry[1]["mean"], entry[0])))


def _named(label: str) -> str:
    return label or _("unknown")


def _largest(classes: Statistics) -> list[str]:
    """The classes that find room in a plot, in their order."""
    by_size = sorted(classes, key=lambda label: -classes[label]["n"])[: charts.MAX_LINES]
    return [label for label in classes if label in by_size]


def _split_plot(phase: Statistics, name: str, split: Statistics) -> Plot | None:
    """How the items of each domain or source spread over the scale."""
    classes = {
        label: statistics
        for label, statistics in in_order(split["classes"]).items()
        if statistics["n"]
    }
    if not classes:
        return None
    names = {"domain": _("domain"), "source": _("source")}
    title = _("Scores by %(split)s, %(phase)s") % {
        "split": names[name],
        "phase": condition_name(phase),
    }
    caption = _(
        "Share of each group's items in each interval of the scale, so groups of different "
        "sizes are comparable. At most four groups are shown, those with the most items."
    )
    if n := split["n_without_class"]:
        left_out = {
            "domain": ngettext(
                "%(n)s item without a domain is left out.",
                "%(n)s items without a domain are left out.",
                n,
            ),
            "source": ngettext(
                "%(n)s item without a source is left out.",
                "%(n)s items without a source are left out.",
                n,
            ),
        }
        caption = f"{caption} {left_out[name] % {'n': grouped(n)}}"
    bins = bars_of(split["edges"])
    series = [
        (
            f"{_named(label)} ({classes[label]['n']})",
            [
                ((low + high) / 2, n / classes[label]["n"])
                for (low, high), n in zip(bins, classes[label]["counts"], strict=True)
            ],
        )
        for label in _largest(classes)
    ]
    return Plot(
        f"scores-{phase['number']}-by-{slugify(name)}",
        title,
        caption,
        charts.lines(
            series,
            title=title,
            x_label=_("score (mean rating)"),
            y_label=_("share of the items"),
            x=(split["edges"][0], split["edges"][-1]),
            y=(0.0, 0.0),
            is_marked=False,
            description=caption,
        ),
        [names[name], _("score from"), _("to"), _("items")],
        [
            [label, low, high, n]
            for label, statistics in classes.items()
            for (low, high), n in zip(bins, statistics["counts"], strict=True)
        ],
        digits=2,
        most_rows=MAX_TABLE_ROWS,
    )


def _class_plot(phase: Statistics) -> Plot | None:
    by_class = phase["by_class"]
    classes = by_score(by_class["classes"])
    if not classes:
        return None
    title = _("Scores by intended class, %(phase)s") % {"phase": condition_name(phase)}
    classes_in_words = "; ".join(
        f"{label}: {number(statistics['mean'], 2)} ({number(statistics['sd'], 2)})"
        for label, statistics in classes.items()
    )
    caption = _(
        "Scores of the items of each intended class. Mean (standard deviation): %(classes)s."
    ) % {"classes": classes_in_words}
    if len(classes) > charts.MAX_LINES:
        left_out = _("Only the four classes with the most items are shown.")
        caption = f"{caption} {left_out}"
    bins = bars_of(by_class["edges"])
    return Plot(
        f"classes-{phase['number']}",
        title,
        caption,
        charts.lines(
            [
                (
                    label,
                    [
                        ((low + high) / 2, n)
                        for (low, high), n in zip(bins, classes[label]["counts"], strict=True)
                    ],
                )
                for label in _largest(classes)
            ],
            title=title,
            x_label=_("score (mean rating)"),
            y_label=_("items"),
            x=(by_class["edges"][0], by_class["edges"][-1]),
            y=(0.0, 0.0),
            is_marked=False,
            description=caption,
        ),
        [_("class"), _("score from"), _("to"), _("items")],
        [
            [label, low, high, n]
            for label, statistics in classes.items()
            for (low, high), n in zip(bins, statistics["counts"], strict=True)
        ],
        digits=2,
        most_rows=MAX_TABLE_ROWS,
    )


def _time_plot(
    phase: Statistics, curve: Statistics | None, *, is_beside_first: bool = False
) -> Plot | None:
    if curve is None or curve["reason"]:
        return None
    total, so_far, n_drawn = sum(curve["n"]), 0, 0
    for n in curve["n"]:
        n_drawn += 1
        so_far += n
        if so_far >= _SHARE_DRAWN * total:
            break
    if is_beside_first:
        title = _("Error against round 1 by thinking time, %(phase)s")
        caption = _(
            "Root mean squared difference between a rating and the rating of the first round, "
            "by thinking time in steps of %(width)s s. %(n)s ratings."
        )
    else:
        title = _("Error by thinking time, %(phase)s")
        caption = _(
            "Root mean squared difference between a rating and the other annotators' mean "
            "rating, by thinking time in steps of %(width)s s. %(n)s ratings."
        )
    title %= {"phase": condition_name(phase)}
    caption %= {"width": f"{curve['width']:g}", "n": grouped(total)}
    if so_far < total:
        rest = _("The longest times (above %(share)s of the ratings) are in the data only.") % {
            "share": percent(so_far / total)
        }
        caption = f"{caption} {rest}"
    return Plot(
        f"thinking-time-{phase['number']}{_ROUND_1 * is_beside_first}",
        title,
        caption,
        charts.lines(
            [
                (
                    _("RMSE"),
                    list(zip(curve["start"][:n_drawn], curve["rmse"][:n_drawn], strict=True)),
                )
            ],
            title=title,
            x_label=_("thinking time (s)"),
            y_label=_("RMSE"),
            y=(0.0, 0.0),
            description=caption,
        ),
        *_curve_data(curve, _("thinking time from (s)")),
        most_rows=MAX_TABLE_ROWS,
    )


def _practice_plot(
    phase: Statistics, curve: Statistics, *, is_beside_first: bool = False
) -> Plot | None:
    if curve["reason"]:
        return None
    if is_beside_first:
        title = _("Agreement with round 1, by number of ratings already given, %(phase)s")
        caption = _(
            "Pearson correlation of the ratings with those of the first round. Horizontal axis: "
            "the number of ratings that the annotator had already given in this phase, "
            "calibration included, in steps of %(width)s."
        )
    else:
        title = _("Agreement by number of ratings already given, %(phase)s")
        caption = _(
            "Pearson correlation of the ratings with the other annotators' mean ratings. "
            "Horizontal axis: the number of ratings that the annotator had already given in this "
            "phase, calibration included, in steps of %(width)s."
        )
    title %= {"phase": condition_name(phase)}
    caption %= {"width": f"{curve['width']:g}"}
    return Plot(
        f"calibration-curve-{phase['number']}{_ROUND_1 * is_beside_first}",
        title,
        caption,
        charts.lines(
            [(_("Pearson"), list(zip(curve["start"], curve["pearson"], strict=True)))],
            title=title,
            x_label=_("ratings already given"),
            y_label=_("Pearson"),
            y=(0.0, 1.0),
            description=caption,
        ),
        *_curve_data(curve, _("ratings already given, from")),
        most_rows=MAX_TABLE_ROWS,
    )


def _curve_data(
    curve: Statistics, start: str
) -> tuple[list[Text], list[list[str | int | float | None]]]:
    """Columns and rows of a curve."""
    rows = zip(curve["start"], curve["n"], curve["pearson"], curve["rmse"], strict=True)
    return [start, _("ratings"), _("Pearson"), _("RMSE")], [list(row) for row in rows]
