"""A stored result of a ranking study as the numbers of a page: formatting, no statistics."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics.numbers import number
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import (
    Figure,
    further_figures,
    ranking_in_words,
    split_half_figure,
)
from annotation.kinds.queries.interval_words import interval_in_words


def figures(statistics: Mapping[str, Any]) -> list[Figure]:
    """The numbers of a result, the most quoted ones first."""
    overall = statistics["overall"]
    return [
        *_agreement(overall["concordance"]),
        split_half_figure(
            overall["split_half"],
            _("Split-half reliability (Spearman), random halves"),
            is_nothing_split=overall["n_judgments"] == overall["n_tuples"],
            is_headline=True,
        ),
        *_utilities(statistics),
        *further_figures(statistics),
    ]


def _agreement(concordance: Mapping[str, Any]) -> list[Figure]:
    definition, reason = in_words(concordance["definition"]), in_words(concordance["reason"])
    counted = ""
    if concordance["w"] is not None:
        counted = _("Tuples counted: %(n)s; ordered by fewer than two people: %(left_out)s.") % {
            "n": concordance["n_tuples"],
            "left_out": concordance["n_left_out"],
        }
    meaning = _("1: everybody gives the same order.")
    if concordance["w"] is not None:
        meaning = _("1: everybody gives the same order; random orders give %(w)s on average.") % {
            "w": number(concordance["expected"])
        }
    spread_of_w, remark_on_w = interval_in_words(concordance["interval"])
    spread_of_spearman, remark_on_spearman = interval_in_words(concordance["spearman_interval"])
    return [
        Figure(
            _("Kendall's W"),
            number(concordance["w"]),
            definition,
            reason=reason,
            spread=spread_of_w,
            remark=" ".join(filter(None, (counted, remark_on_w))),
            is_headline=True,
            meaning=meaning,
        ),
        Figure(
            _("Mean Spearman correlation of two people's orders"),
            number(concordance["mean_spearman"]),
            definition,
            reason=reason,
            spread=spread_of_spearman,
            remark=remark_on_spearman,
            is_headline=True,
        ),
    ]


def _utilities(statistics: Mapping[str, Any]) -> list[Figure]:
    ranking = ranking_in_words(statistics)
    if ranking is None:
        return []
    penalised = ""
    if ranking["penalised_named"]:
        penalised = _(
            "Pools fitted with a ridge penalty, because no plain estimate exists: %(pools)s."
        ) % {"pools": ranking["penalised_named"]}
    value = None if ranking["reason"] else ranking["log_likelihood"]
    return [
        Figure(
            _("Log-likelihood of the utilities"),
            number(value, 1),
            ranking.get("definition") or "",
            reason=ranking["reason"] or "",
            remark=penalised,
        )
    ]
