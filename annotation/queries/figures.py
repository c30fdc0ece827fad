"""A stored summary as the numbers of a page: formatting, no statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from annotation.numbers import number, percent
from annotation.queries.summaries import Summary, by_rule
from annotation.reported import in_words

Text = str | Promise


@dataclass(frozen=True)
class Figure:
    """One number with what it means, or the reason why it is not there."""

    name: Text
    value: str
    definition: str
    reason: str = ""
    # How far the value varies, and what it must not be read without: both also at the headline.
    spread: str = ""
    caution: str = ""
    remark: str = ""
    is_headline: bool = False


def figures(summary: Summary) -> list[Figure]:
    """The numbers of one summary, the most quoted ones first."""
    found = []
    names = {
        "random": _("Split-half reliability, random halves"),
        "fixed": _("Split-half reliability, as GiCCS"),
    }
    for rule, halves in by_rule(summary):
        spearman, pearson = halves["spearman"], halves["pearson"]
        has_value = spearman["mean"] is not None
        remarks = [
            _(
                "Spearman, mean of %(n)s splits, over the %(items)s items both halves showed"
                " (at least)."
            )
            % {"n": halves["n_splits"], "items": halves["n_items"]},
            _("Pearson %(pearson)s.") % {"pearson": number(pearson["mean"])},
            _spearman_brown(halves["spearman_brown"]),
        ]
        note = in_words(halves["note"])
        # Then the halves are two sets of tuples, and the figure is another one than its name says.
        is_nothing_split = summary["n_judgments"] == summary["n_tuples"]
        if not is_nothing_split:
            remarks.append(note)
        spread = ""
        if spearman["sd"] is not None:
            spread = _("standard deviation over splits %(sd)s; not a confidence interval") % {
                "sd": number(spearman["sd"])
            }
        found.append(
            Figure(
                names.get(rule, rule),
                number(spearman["mean"]),
                in_words(halves["definition"]),
                reason="" if has_value else in_words(halves["reason"]),
                spread=spread,
                caution=note if has_value and is_nothing_split else "",
                remark=" ".join(filter(None, remarks)) if has_value else "",
                is_headline=rule == "random",
            )
        )
    found += [
        _alpha(summary, "joint", "slot", _("Alpha, best and worst together"), True),
        _alpha(summary, "joint", "uniform", _("Alpha, best and worst together, uniform")),
        _alpha(summary, "best", "slot", _("Alpha, best")),
        _alpha(summary, "worst", "slot", _("Alpha, worst")),
    ]
    for on, label in (
        ("best", _("Strong agreement, best")),
        ("worst", _("Strong agreement, worst")),
    ):
        strong = summary["strong_agreement"][on]
        found.append(
            Figure(
                label,
                percent(strong["share"]),
                in_words(strong["definition"]),
                reason=in_words(strong["reason"]),
                remark=""
                if strong["share"] is None
                else _("Unanimous: %(share)s. Tuples counted: %(n)s.")
                % {"share": percent(strong["unanimous_share"]), "n": strong["n_tuples"]},
                is_headline=on == "best",
            )
        )
    return found


def _spearman_brown(stepped: Mapping[str, Any]) -> str:
    name = _("Spearman-Brown of the mean Pearson, 2r/(1+r)")
    if stepped["value"] is None:
        return _("%(name)s: not computed, because %(reason)s.") % {
            "name": name,
            "reason": in_words(stepped["reason"]),
        }
    return f"{name}: {number(stepped['value'])}."


def _alpha(
    summary: Summary, on: str, coding: str, name: Text, is_headline: bool = False
) -> Figure:
    alpha = summary["alpha"][on][coding]
    return Figure(
        name,
        number(alpha["alpha"]),
        in_words(alpha["definition"]),
        reason=in_words(alpha["reason"]),
        caution=in_words(alpha["warning"]),
        is_headline=is_headline,
    )
