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


def figures(statistics: Mapping[str, Any]) -> list[Figure]:
    """The numbers of a result, the most quoted ones first."""
    overall = statistics["overall"]
    return [
        *_agreement(overall["concordance"]),
        split_half_figure(
            overall["split_half"],
            _("Split-half reliability, random halves"),
            is_nothing_split=overall["n_judgments"] == overall["n_tuples"],
            is_headline=True,
        ),
        *_utilities(statistics),
        *further_figures(statistics),
    ]


def _agreement(of: Mapping[str, Any]) -> list[Figure]:
    definition, reason = in_words(of["definition"]), in_words(of["reason"])
    counted = ""
    if of["w"] is not None:
        counted = _("Tuples counted: %(n)s; ordered by fewer than two people: %(left_out)s.") % {
            "n": of["n_tuples"],
            "left_out": of["n_left_out"],
        }
    chance = "" if of["w"] is None else _("At random: %(w)s.") % {"w": number(of["expected"])}
    return [
        Figure(
            _("Kendall’s W"),
            number(of["w"]),
            definition,
            reason=reason,
            spread=_interval(of["interval"]),
            remark=" ".join(filter(None, (chance, counted, _why(of["interval"])))),
            is_headline=True,
        ),
        Figure(
            _("Mean correlation of two people’s orders, Spearman"),
            number(of["mean_spearman"]),
            definition,
            reason=reason,
            spread=_interval(of["spearman_interval"]),
            remark=_why(of["spearman_interval"]),
            is_headline=True,
        ),
    ]


def _interval(of: Mapping[str, Any] | None) -> str:
    if not of or of["reason"] is not None:
        return ""
    return _("95 %% interval %(low)s to %(high)s") % {
        "low": number(of["low"]),
        "high": number(of["high"]),
    }


def _why(of: Mapping[str, Any] | None) -> str:
    """Why there is no interval; empty if there is one."""
    if not of or of["reason"] is None:
        return ""
    return _("No interval: %(reason)s.") % {"reason": in_words(of["reason"])}


def _utilities(statistics: Mapping[str, Any]) -> list[Figure]:
    of = ranking_in_words(statistics)
    if of is None:
        return []
    penalised = ""
    if of["penalised_named"]:
        penalised = _("With a ridge, since no estimate exists: %(pools)s.") % {
            "pools": of["penalised_named"]
        }
    value = None if of["reason"] else of["log_likelihood"]
    return [
        Figure(
            _("Log-likelihood of the utilities"),
            number(value, 1),
            of.get("definition") or "",
            reason=of["reason"] or "",
            remark=penalised,
        )
    ]
