"""A stored result as the plots of a page and of a paper: binning and captions, no statistics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics import charts, charts_of_bars, charts_of_intervals
from annotation.basics.numbers import decimal, grouped
from annotation.basics.plot import Plot
from annotation.core.queries.summaries import GROUP_NAMES, Summary, by_rule, value_of
from annotation.models import Result

Text = str | Promise

# With more bars a plot would be longer than half a metre. The table and the data have every group.
MAX_BARS = 60
# Two items to a millimetre of the plot. The file has all of them.
MAX_PLOTTED_ITEMS = 240
# Rows of a table on a page. The file has all of them.
MAX_TABLE_ROWS = 100


@dataclass(frozen=True)
class ItemRange:
    """An item's score with its interval."""

    key: str
    score: float
    low: float
    high: float
    standard_error: float
    pool_id: int


def overall_plots(result: Result) -> list[Plot]:
    rows = list(result.item_scores.order_by("item__number").values_list("appearances", "score"))
    plots = [
        score_plot([row[1] for row in rows if row[1] is not None], result.n_judgments),
        rescaled_plot(result.statistics.get("distribution"), result.n_judgments),
        range_plot(item_ranges(result), result.statistics.get("score_intervals")),
        repeat_plot(result.statistics["overall"]),
        projection_plot(result.statistics.get("projection")),
        appearance_plot([row[0] for row in rows], result.n_judgments),
    ]
    return [plot for plot in plots if plot is not None]


def item_ranges(result: Result) -> list[ItemRange]:
    """The ranges of the items that have an interval, in the order of their numbers."""
    rows = result.item_scores.order_by("item__number").values_list(
        "item__key", "score", "low", "high", "standard_error", "item__pool"
    )
    return [
        ItemRange(key, score, low, high, error, pool_id)
        for key, score, low, high, error, pool_id in rows
        if score is not None and low is not None and high is not None and error is not None
    ]


def score_plot(scores: Sequence[float], n_answers: int = 0) -> Plot:
    """How the scores are distributed, in twenty intervals of a tenth."""
    edges = [-1 + k / 10 for k in range(21)]
    # The greatest score belongs to the last interval, not to one of its own.
    counts = Counter(min(int((score + 1) * 10 + 1e-9), 19) for score in scores)
    heights = [counts[k] for k in range(20)]
    title = _("Distribution of scores")
    caption = _(
        "Scores of %(n)s items from %(answers)s answers. The score is (times chosen as best −"
        " times chosen as worst) / times shown, from −1 to 1. Each bar covers an interval of 0.1."
    ) % {"n": grouped(len(scores)), "answers": grouped(n_answers)}
    return Plot(
        "scores",
        title,
        caption,
        charts.histogram(
            edges,
            heights,
            title=title,
            x_label=_("score (best share minus worst share)"),
            y_label=_("items"),
            description=caption,
        ),
        [_("score from"), _("to"), _("items")],
        [
            [round(low, 1) + 0.0, round(low + 0.1, 1) + 0.0, n]
            for low, n in zip(edges, heights, strict=False)
        ],
        digits=1,
    )


def rescaled_plot(counts: Sequence[int] | None, n_answers: int = 0) -> Plot | None:
    """The scores moved to [0, 1], in steps of .2 as GiCCS prints them; none of older results."""
    if counts is None:
        return None
    edges = [k / len(counts) for k in range(len(counts) + 1)]
    title = _("Distribution of rescaled scores")
    caption = _(
        "Rescaled scores of %(n)s items from %(answers)s answers: (score + 1) / 2, from 0 to 1."
        " Each bar covers an interval of 0.2, including its lower end; the last bar includes both"
        " ends."
    ) % {"n": grouped(sum(counts)), "answers": grouped(n_answers)}
    return Plot(
        "rescaled-scores",
        title,
        caption,
        charts.histogram(
            edges,
            list(counts),
            title=title,
            x_label=_("rescaled score"),
            y_label=_("items"),
            description=caption,
        ),
        [_("score from"), _("to"), _("items")],
        [[low, high, n] for low, high, n in zip(edges, edges[1:], counts, strict=False)],
        digits=1,
    )


def range_plot(ranges: Sequence[ItemRange], ranking: Mapping[str, Any] | None) -> Plot | None:
    """Every item's score with its interval, the highest first; none of results without."""
    if ranking is None or not ranges:
        return None
    ordered = sorted(ranges, key=lambda row: -row.score)
    # Spread over all ranks, the first and the last among them.
    n_drawn = min(len(ordered), MAX_PLOTTED_ITEMS)
    drawn = [k * (len(ordered) - 1) // max(n_drawn - 1, 1) for k in range(n_drawn)]
    title = _("Scores and their uncertainty")
    caption = _("Scores of %(n)s items, sorted by score. Lines: 95 %% intervals.") % {
        "n": grouped(len(ordered))
    }
    n_pools = len({row.pool_id for row in ranges})
    if n_pools > 1:
        pooled = _(
            "The items of all %(n)s pools are sorted together. A score is relative to the other"
            " items of its pool: compare only items of the same pool."
        ) % {"n": grouped(n_pools)}
        caption = f"{caption} {pooled}"
    # Items of different pools have no order that the answers tell.
    place_name = _("rank") if n_pools == 1 else _("place in this plot")
    if n_drawn < len(ordered):
        some = _("The figure shows %(n)s of them, evenly spread.") % {"n": n_drawn}
        caption = f"{caption} {some}"
    return Plot(
        "intervals",
        title,
        caption,
        charts_of_intervals.ranges(
            [
                (place + 1, row.key, row.score, row.low, row.high)
                for place in drawn
                for row in [ordered[place]]
            ],
            title=title,
            x_label=place_name,
            y_label=_("score"),
            y=(-1.0, 1.0),
            description=caption,
        ),
        [place_name, _("item"), _("score"), _("low"), _("high"), _("standard error")],
        [
            [place, row.key, row.score, row.low, row.high, row.standard_error]
            for place, row in enumerate(ordered, start=1)
        ],
        most_rows=MAX_TABLE_ROWS,
    )


def projection_plot(projection: Mapping[str, Any] | None) -> Plot | None:
    """What reliability other numbers of answers would give; none if it is undefined."""
    if projection is None or projection["reason"]:
        return None
    points = list(zip(projection["n_answers"], projection["values"], strict=True))
    title = _("Reliability with more or fewer answers")
    caption = _(
        "Reliability that the Spearman-Brown formula predicts from the mean Pearson "
        "correlation of random halves if the same people give more or fewer answers. Scores "
        "from other people may agree less. No interval is computed. Dashed line: the current "
        "average number of answers, %(n)s. Far from this line, the curve is only a rough "
        "guess. Split-half reliability is lower, because each half has only half of the "
        "answers."
    ) % {"n": decimal(projection["n_now"], 1)}
    return Plot(
        "projection",
        title,
        caption,
        charts.curve(
            points,
            marked=projection["n_now"],
            title=title,
            x_label=_("answers per tuple"),
            y_label=_("reliability"),
            mark_label=_("now: %(n)s") % {"n": decimal(projection["n_now"], 1)},
            description=caption,
        ),
        [_("answers per tuple"), _("reliability")],
        [[int(n), value] for n, value in points],
    )


def appearance_plot(appearances: Sequence[int], n_answers: int = 0) -> Plot:
    """How often items were shown in the answers counted."""
    low, high = min(appearances, default=0), max(appearances, default=0)
    width = max(1, -(-(high - low + 1) // 20))
    n_bars = -(-(high - low + 1) // width)
    counts = Counter((n - low) // width for n in appearances)
    heights = [counts[k] for k in range(n_bars)]
    starts = [low + k * width for k in range(n_bars)]
    # Each bar covers whole numbers; a single one would be as wide as the plot.
    margin = max(0, 5 - n_bars)
    edges = [start - 0.5 for start in range(low - margin * width, high + 1, width)]
    edges += [edges[-1] + width * (k + 1) for k in range(margin + 1)]
    title = _("Appearances")
    says = (
        ngettext(
            "Each of the %(n)s items was shown %(low)s time in the %(answers)s answers.",
            "Each of the %(n)s items was shown %(low)s times in the %(answers)s answers.",
            low,
        )
        if low == high
        else _(
            "Each of the %(n)s items was shown %(low)s to %(high)s times in %(answers)s answers."
        )
    )
    caption = says % {
        "answers": grouped(n_answers),
        "n": grouped(len(appearances)),
        "low": grouped(low),
        "high": grouped(high),
    }
    return Plot(
        "appearances",
        title,
        caption,
        charts.histogram(
            edges,
            [0] * margin + heights + [0] * margin,
            title=title,
            x_label=_("times the item was shown"),
            y_label=_("items"),
            description=caption,
            x_ticks=[start + (width - 1) / 2 for start in starts] if n_bars <= 10 else None,
        ),
        [_("appearances from"), _("to"), _("items")],
        [[start, start + width - 1, n] for start, n in zip(starts, heights, strict=True)],
    )


def repeat_plot(summary: Summary) -> Plot:
    """Split-half reliability in every random split, by rule; none of rules without a value."""
    names = {"random": _("random halves"), "fixed": _("as in GiCCS")}
    values_by_rule = {
        rule: halves["spearman"]["values"]
        for rule, halves in by_rule(summary, tuple(names))
        if any(value is not None for value in halves["spearman"]["values"])
    }
    series = [(str(names.get(rule, rule)), values) for rule, values in values_by_rule.items()]
    n = max((len(values) for _name, values in series), default=0)
    title = _("Split-half reliability (Spearman) of each random split")
    caption = _(
        "Spearman's correlation between the scores from two halves of %(answers)s answers, for"
        " each of %(n)s random splits. Dots: random halves. Hollow triangles: halves as in"
        " GiCCS; if a tuple has an odd number of answers, the extra answer goes to half B. Lines:"
        " means."
    )
    if "fixed" not in values_by_rule:
        caption = _(
            "Spearman's correlation between the scores from two random halves of %(answers)s"
            " answers, for each of %(n)s random splits. Line: mean."
        )
    caption = caption % {"answers": grouped(summary["n_judgments"]), "n": n}
    return Plot(
        "reliability",
        title,
        caption,
        charts.dots(
            series,
            title=title,
            x_label=_("split"),
            y_label=_("Spearman"),
            description=caption,
        ),
        [_("split"), *(name for name, _values in series)],
        [
            [k + 1, *(values[k] if k < len(values) else None for _n, values in series)]
            for k in range(n)
        ],
    )


def group_plot(
    name: str, title: str, labels: Sequence[str], cells: Sequence[Summary]
) -> Plot | None:
    """Agreement of each group: one bar, as far as they find room; None if no group has a value."""
    values = [
        (label, value_of(cell, "alpha.joint.slot"))
        for label, cell in zip(labels, cells, strict=True)
    ]
    if all(value is None for _label, value in values):
        return None
    caption = _(
        "Krippendorff's alpha of best and worst picks together (slot coding), %(answers)s "
        "answers in %(groups)s groups. 1: perfect agreement; 0: chance."
    ) % {
        "groups": grouped(len(cells)),
        "answers": grouped(sum(cell["n_judgments"] for cell in cells)),
    }
    drawn = _drawn(cells)
    n_left_out = len(cells) - len(drawn)
    if n_left_out:
        left_out = ngettext(
            "The figure shows the %(drawn)s groups with the most answers; %(n)s more group is "
            "in the table only.",
            "The figure shows the %(drawn)s groups with the most answers; %(n)s more groups are "
            "in the table only.",
            n_left_out,
        ) % {"drawn": len(drawn), "n": grouped(n_left_out)}
        caption = f"{caption} {left_out}"
    return Plot(
        f"agreement-by-{slugify(name)}",
        title,
        caption,
        charts_of_bars.bars(
            [values[place] for place in drawn],
            title=title,
            x_label=_("alpha, best and worst together (slot coding)"),
            description=caption,
        ),
        [
            GROUP_NAMES.get(name, name),
            _("answers"),
            _("tuples"),
            _("items"),
            _("alpha, best and worst together (slot coding)"),
        ],
        [
            [label, *(cell[n] for n in ("n_judgments", "n_tuples", "n_items")), value]
            for (label, value), cell in zip(values, cells, strict=True)
        ],
    )


def _drawn(cells: Sequence[Summary]) -> list[int]:
    """The places of the groups that a plot shows: those of the most answers, in their order."""
    answered = [cell["n_judgments"] for cell in cells]
    return sorted(sorted(range(len(cells)), key=lambda place: -answered[place])[:MAX_BARS])
