"""Measures beside people as plots for a page and a paper: captions, no statistics."""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.baselines.queries.leaderboards import Part, Point, Row
from annotation.baselines.queries.measure_figures import (
    label_text,
    layer_series,
    name_without_layer,
)
from annotation.baselines.queries.score_sources import source_of_json
from annotation.basics import charts, charts_of_measures
from annotation.basics.chart_frame import written
from annotation.basics.measure_names import shown_name
from annotation.basics.numbers import decimal, grouped
from annotation.basics.plot import Plot
from annotation.kinds.best_worst.queries.plots import MAX_TABLE_ROWS
from annotation.models import Baseline, BaselineReport
from scoring.bootstrap import MIN_POOLS
from scoring.measures.leaderboard import EVERYTHING

# Rings in one plot; with more of them nobody tells one from another.
MAX_DRAWN_POINTS = 1000
# Measures in one plot: half a metre at most. The table has every one.
MAX_DRAWN_MEASURES = 40

COEFFICIENTS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall"}
WITHIN_POOLS = {
    "within_pearson": gettext_lazy("Pearson within pools"),
    "within_spearman": gettext_lazy("Spearman within pools"),
}
# What an interval of a correlation is about, by whether items share pools.
OTHERS = {False: gettext_lazy("other items"), True: gettext_lazy("other pools")}
# Every figure of a measure by which a leaderboard can be ordered.
FIGURES = {**WITHIN_POOLS, **COEFFICIENTS}
# The parts of the items by which layers are told apart.
_OVERLAPS = {
    EVERYTHING: gettext_lazy("all items"),
    "f1_eq_0": gettext_lazy("F1 is 0"),
    "f1_ne_0": gettext_lazy("F1 is not 0"),
    "no shared word": gettext_lazy("texts share no word"),
    "shared word": gettext_lazy("texts share a word"),
}
TEST_NAMES = {
    "jackknife": gettext_lazy("jackknife over pools or items"),
    "meng": "Meng, Rosenthal & Rubin (1992)",
    "williams": "Williams (1959)",
    "steiger": "Steiger (1980)",
    "dunn-clark": "Dunn & Clark (1969)",
}


def correlation_plot(
    subset_part: Part,
    coefficient: str,
    *,
    part: str,
    people: str,
    level: float,
    ceiling: tuple[float, float | None, float | None] | None = None,
    rounding: str = "",
) -> Plot | None:
    """The correlations of one part of the items, in the order of its rows.

    `part`, `people`: the items and whose scores, in words; `part` is empty for all items.
    `rounding`: what was done to the measures before, in a sentence.
    """
    if not subset_part.rows:
        return None
    rows = [(row.name, row.figures[coefficient]) for row in subset_part.rows]
    title = (
        _("Correlation with people, mean over pools")
        if coefficient in WITHIN_POOLS
        else _("%(coefficient)s correlation with people")
        % {"coefficient": COEFFICIENTS[coefficient]}
    )
    methods = {figure["method"] for _name, figure in rows if figure["low"] is not None}
    caption = _caption(coefficient, has_intervals=bool(methods)) % {
        "other": OTHERS[subset_part.is_over_pools],
        "method": _methods_in_words(methods),
        "coefficient": FIGURES[coefficient],
        "people": people,
        "level": written(100 * level),
        "least": MIN_POOLS,
    }
    if part:
        sentence = _("Items: %(part)s.") % {"part": part}
        caption = f"{caption} {sentence}"
    if ceiling is not None:
        sentence = _(
            "Dashed line: the noise ceiling, which the opinion of very many other people would"
            " reach on average."
        )
        caption = f"{caption} {sentence}"
        if ceiling[1] is not None and ceiling[2] is not None:
            sentence = _(
                "Its 95 %% interval is for these items and scores: %(low)s to %(high)s."
            ) % {
                "low": decimal(ceiling[1], 3),
                "high": decimal(ceiling[2], 3),
            }
            caption = f"{caption} {sentence}"
    if rounding:
        caption = f"{caption} {rounding}"
    if len(rows) > MAX_DRAWN_MEASURES:
        sentence = _("The figure shows the first %(n)s measures.") % {"n": MAX_DRAWN_MEASURES}
        caption = f"{caption} {sentence}"
    return Plot(
        "correlations",
        title,
        caption,
        charts_of_measures.correlations(
            [
                (_named(row, subset_part), figure["value"], figure["low"], figure["high"])
                for row, (_name, figure) in list(zip(subset_part.rows, rows, strict=True))[
                    :MAX_DRAWN_MEASURES
                ]
            ],
            title=title,
            x_label=_("correlation"),
            description=caption,
            ceiling=ceiling and ceiling[0],
            ceiling_label=_("noise ceiling"),
        ),
        [_("measure"), _("correlation"), _("from"), _("to"), _("items")],
        [
            [shown_name(row.name), figure["value"], figure["low"], figure["high"], row.n]
            for row, (_name, figure) in zip(subset_part.rows, rows, strict=True)
        ],
    )


def _caption(coefficient: str, *, has_intervals: bool) -> str:
    if coefficient in WITHIN_POOLS and has_intervals:
        return _(
            "%(coefficient)s: correlation of each measure with %(people)s, averaged over pools."
            " Lines are %(level)s %% intervals over pools."
        )
    if coefficient in WITHIN_POOLS:
        return _(
            "%(coefficient)s: correlation of each measure with %(people)s, averaged over pools."
            " There are no intervals: they need at least %(least)s pools."
        )
    if has_intervals:
        return _(
            "%(coefficient)s correlation of each measure with %(people)s. Lines are %(level)s %%"
            " intervals (%(other)s, the same people), computed with %(method)s."
        )
    return _("%(coefficient)s correlation of each measure with %(people)s.")


def _methods_in_words(methods: Collection[str]) -> str:
    """How the intervals of a plot were computed, by the names that `leaderboards.METHODS` has."""
    if methods == {"fisher"}:
        return _("Fisher's transformation")
    if "fisher" in methods:
        return _("the bootstrap or, if this was not possible, Fisher's transformation")
    return _("the bootstrap")


def _named(row: Row, subset_part: Part) -> str:
    """A measure, with the number of its items where not all of the part have a value."""
    name = shown_name(row.name)
    return name if row.n in {0, subset_part.n} else f"{name} (n = {grouped(row.n)})"


def layers_plot(baseline: Baseline) -> Plot | None:
    """Pearson's correlation of each layer of BERTScore with people, by overlap of the words."""
    series = layer_series(baseline)
    if not series:
        return None
    names = {name: str(_OVERLAPS.get(name, name)) for name in series}
    title = _("Layers of %(measure)s") % {"measure": name_without_layer(baseline)}
    caption = _(
        "Pearson correlation of each layer with %(people)s, over all items and by whether SQuAD "
        "F1 is 0. Layer 0 is the embedding layer."
    ) % {"people": source_of_json(baseline.figures["people"]["source"]).title}
    return Plot(
        f"layers-{baseline.pk}",
        title,
        caption,
        charts.lines(
            [
                (names[name], [(figures["layer"], figures["pearson"]) for figures in series[name]])
                for name in (EVERYTHING, "f1_eq_0", "f1_ne_0")
                if name in series
            ],
            title=title,
            x_label=_("layer"),
            y_label=_("correlation"),
            description=caption,
        ),
        [_("layer"), *(f"{names[name]} ({figures[0]['n']})" for name, figures in series.items())],
        [
            [at_layer[0]["layer"], *(figures["pearson"] for figures in at_layer)]
            for at_layer in zip(*series.values(), strict=True)
        ],
    )


def boxes_plot(pk: int, name: str, report: BaselineReport) -> Plot | None:
    """The values of one measure over the pairs of each label; None without labels."""
    of_measure = [
        row
        for row in report.figures["subsets"][0].get("by_label", [])
        if row["measure"] == name and row["n"]
    ]
    if not of_measure:
        return None
    name = shown_name(name)
    title = _("%(measure)s by label") % {"measure": name}
    caption = _(
        "Values of %(measure)s for the items of each label. Boxes span the first to the third "
        "quartile; the line with a dot is the median. Whiskers extend to the lowest and highest "
        "value."
    ) % {"measure": name}
    ends = ("low", "first_quartile", "median", "third_quartile", "high")
    names = [f"{label_text(row['label'])} (n = {grouped(row['n'])})" for row in of_measure]
    return Plot(
        f"boxes-{pk}",
        title,
        caption,
        charts_of_measures.boxes(
            [
                (label, *(row[end] for end in ends))
                for label, row in zip(names, of_measure, strict=True)
            ],
            title=title,
            x_label=_("people's label"),
            y_label=name if len(name) <= 40 else f"{name[:39]}…",
            description=caption,
        ),
        [
            _("label"),
            "n",
            *(_("mean"), _("standard deviation")),
            *(_("lowest"), _("quartile 1"), _("median"), _("quartile 3"), _("highest")),
        ],
        [
            [label_text(row["label"]), *(row[key] for key in ("n", "mean", "sd", *ends))]
            for row in of_measure
        ],
    )


def scatter_plot(pk: int, name: str, points: Sequence[Point], *, people: str) -> Plot | None:
    """People's score of each item against the value of one measure."""
    if not points:
        return None
    name = shown_name(name)
    is_label = all(point.people.is_integer() for point in points)
    n_drawn = min(len(points), MAX_DRAWN_POINTS)
    drawn = [k * (len(points) - 1) // max(n_drawn - 1, 1) for k in range(n_drawn)]
    title = _("%(measure)s and people") % {"measure": name}
    caption = _(
        "Each ring is one of %(n)s items, with %(measure)s on the horizontal axis and %(people)s"
        " on the vertical axis."
    ) % {
        "n": grouped(len(points)),
        "people": people,
        "measure": name,
    }
    if n_drawn < len(points):
        some = _("The figure shows %(n)s of them, evenly spread.") % {"n": grouped(n_drawn)}
        caption = f"{caption} {some}"
    return Plot(
        f"scatter-{pk}",
        title,
        caption,
        charts_of_measures.scatter(
            [(points[k].key, points[k].measure, points[k].people) for k in drawn],
            title=title,
            x_label=name if len(name) <= 60 else f"{name[:59]}…",
            y_label=people,
            description=caption,
        ),
        [_("item"), name, people],
        [
            [point.key, point.measure, label_text(point.people) if is_label else point.people]
            for point in points
        ],
        most_rows=MAX_TABLE_ROWS,
    )
