"""The sentences above a leaderboard: what it was computed from, and a warning of few items."""

from collections.abc import Mapping
from typing import Any

from django.utils.formats import date_format
from django.utils.timezone import localtime

from annotation.baselines.pages.measure_rows import (
    options_of,
    rounding,
)
from annotation.baselines.queries.leaderboards import Part
from annotation.baselines.queries.score_sources import ResultSource, Source
from annotation.basics.chart_frame import written
from annotation.basics.numbers import grouped
from annotation.basics.sentences import Said, ngettext
from annotation.basics.sentences import sentence as _
from annotation.models import BaselineReport
from scoring.bootstrap import MIN_POOLS
from scoring.measures.pool_spread import MIN_POOLS_OF_TEST

# With fewer items the intervals are so wide that the order of the measures is due to chance.
MIN_ITEMS_FOR_RANKS = 30


def facts(report: BaselineReport, part: Part, figures: Mapping[str, Any]) -> list[str]:
    """What the leaderboard was computed from: people, conditions, items, resamples.

    `figures`: those of the part, as the report has them.
    """
    options = options_of(report)
    sentences: list[Said] = [_whose_scores(options.people)]
    if options.where:
        sentences.append(
            _("Only items that meet this condition: %(where)s.") % {"where": options.where}
        )
    if left_out := report.parameters.get("n_left_out"):
        out = ngettext(
            "The condition excludes %(n)s item.",
            "The condition excludes %(n)s items.",
            left_out,
        )
        sentences.append(out % {"n": grouped(left_out)})
    if part.n_unscored:
        unscored = ngettext(
            "%(n)s item has no score from people.",
            "%(n)s items have no score from people.",
            part.n_unscored,
        )
        sentences.append(unscored % {"n": grouped(part.n_unscored)})
    if decimals := rounding(report):
        sentences.append(decimals)
    for name, n in report.parameters.get("lacking", {}).items():
        lack = ngettext(
            "%(n)s item lacks %(name)s, which the condition needs.",
            "%(n)s items lack %(name)s, which the condition needs.",
            n,
        )
        sentences.append(lack % {"n": grouped(n), "name": name})
    when = date_format(localtime(report.computed_at), "DATETIME_FORMAT")
    sentences.append(
        _("Computed %(when)s with Likeness %(version)s; seed %(seed)s.")
        % {
            "when": when,
            "version": report.code_version,
            "seed": report.parameters["seed"],
        }
    )
    return [str(sentence) for sentence in [*sentences, *_intervals(figures, options.level)]]


def warning_of_few_items(part: Part) -> str:
    """A warning of few items, which also make intervals wide; empty if there are enough items."""
    fewest = min([part.n, *(row.n for row in part.rows if row.n)])
    if fewest >= MIN_ITEMS_FOR_RANKS:
        return ""
    has_intervals = any(
        figure["low"] is not None for row in part.rows for figure in row.figures.values()
    )
    sentence = (
        _(
            "There are fewer than %(n)s items, so the intervals are wide. Other items could "
            "change the order of the measures."
        )
        if has_intervals
        else _(
            "There are fewer than %(n)s items. Other items could change the order of the measures."
        )
    )
    return str(sentence % {"n": MIN_ITEMS_FOR_RANKS})


def pools_sentence(figures: Mapping[str, Any]) -> str:
    """How many pools the correlations within pools are of."""
    counts = [row["within"]["pearson"] for row in figures["rows"]]
    n_pools = max((count["n_pools"] for count in counts), default=0)
    n_left_out = min((count["n_left_out"] for count in counts), default=0)
    sentence = _("Pools that count: %(n)s; left out: %(left_out)s.")
    return str(sentence % {"n": grouped(n_pools), "left_out": grouped(n_left_out)})


def _whose_scores(people: Source | None) -> Said:
    if people == ResultSource():
        return _("Measures are compared with the scores from this study.")
    return _("People's scores: %(people)s.") % {"people": people.title if people else ""}


def _intervals(figures: Mapping[str, Any], confidence: float) -> list[Said]:
    """How the intervals were drawn."""
    level = written(100 * confidence)
    if figures["headline"] == "within_pools":
        n_pools = max((row["within"]["pearson"]["n_pools"] for row in figures["rows"]), default=0)
        within = (
            _("%(level)s %% intervals within pools: by Student's t over pools.")
            if n_pools >= MIN_POOLS
            else _("With fewer than %(least)s pools, correlations within pools have no interval.")
        ) % {"level": level, "least": MIN_POOLS}
        return [within, *_over_all_items(figures, level, _("intervals over all items"))]
    return _over_all_items(figures, level, _("intervals"))


def _over_all_items(figures: Mapping[str, Any], level: str, intervals: Said) -> list[Said]:
    """How the intervals over all items were drawn; `intervals`: what they are called."""
    values: dict[str, Any] = {"intervals": intervals, "level": level}
    if figures["has_errors_over_pools"]:
        over_pools = _(
            "The p-values and the %(level)s %% %(intervals)s use Fisher's transformation, with"
            " standard errors computed over pools; at least %(least)s pools are needed."
        )
        return [over_pools % {**values, "least": MIN_POOLS_OF_TEST}]
    if figures["resampled"] is None:
        return [_("%(level)s %% %(intervals)s: by Fisher's transformation.") % values]
    drawn = _("%(level)s %% %(intervals)s: from %(n)s bootstrap resamples of the %(units)s items.")
    return [
        drawn
        % {
            **values,
            "n": grouped(figures["n_resamples"]),
            "units": grouped(figures["n_units"]),
        }
    ]
