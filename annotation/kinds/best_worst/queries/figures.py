"""A stored summary as the numbers of a page: formatting, no statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.basics.numbers import decimal, grouped, number, p_value, percent
from annotation.basics.sentences import in_words
from annotation.core.queries.summaries import Summary, by_rule
from annotation.kinds.queries import thresholds
from annotation.kinds.queries.interval_words import interval_in_words
from annotation.kinds.queries.thresholds import Verdict

Text = str | Promise

# A page names at most so many pools or items; the download names all.
MAX_NAMES_ON_PAGE = 20


@dataclass(frozen=True)
class Figure:
    """One number with what it means, or the reason why it is not there."""

    name: Text
    value: str
    definition: str
    reason: str = ""
    # The spread of the value, and a warning about it: the headline shows both, too.
    spread: str = ""
    caution: str = ""
    remark: str = ""
    is_headline: bool = False
    # One sentence beside a headline: what the number says of this study.
    meaning: Text = ""
    # Beside a headline: whether the number is high enough.
    verdict: Verdict | None = None

    @property
    def texts(self) -> list[str]:
        """What may name a reference."""
        texts = [self.definition, self.remark]
        return [*texts, *([str(self.verdict.text)] if self.verdict else [])]


ALPHA_MEANS = gettext_lazy("1: everybody gives the same answers; 0: chance.")


def figures(summary: Summary) -> list[Figure]:
    """The numbers of one summary, the most quoted ones first."""
    rows = []
    names = {
        "random": _("Split-half reliability (Spearman), random halves"),
        "fixed": _("Split-half reliability (Spearman), as in GiCCS"),
        "balanced": _("Split-half reliability (Spearman), tuples of equal weight"),
        "annotator": _("Split-half reliability (Spearman), split by annotator"),
        "tuple": _("Split-half reliability (Spearman), split by tuple"),
    }
    # Then the halves are two sets of tuples, and the figure is another one than its name says.
    is_nothing_split = summary["n_judgments"] == summary["n_tuples"]
    for rule, halves in by_rule(summary):
        rows.append(
            split_half_figure(
                halves,
                names.get(rule, rule),
                n_items=summary["n_items"],
                is_nothing_split=is_nothing_split,
                is_headline=rule == "random",
            )
        )
    rows += [
        _alpha(
            summary,
            "joint",
            "slot",
            _("Krippendorff's alpha, best and worst together"),
            is_headline=True,
        ),
        _alpha(
            summary,
            "joint",
            "uniform",
            _("Alpha, best and worst together, uniform chance (Bennett's S)"),
        ),
        _alpha(summary, "best", "slot", _("Krippendorff's alpha, best")),
        _alpha(summary, "worst", "slot", _("Krippendorff's alpha, worst")),
    ]
    for on, label in (
        ("best", _("Strong agreement, best")),
        ("worst", _("Strong agreement, worst")),
    ):
        strong = summary["strong_agreement"][on]
        rows.append(
            Figure(
                label,
                percent(strong["share"]),
                in_words(strong["definition"]),
                reason=in_words(strong["reason"]),
                remark=""
                if strong["share"] is None
                else _("Unanimous: %(share)s. Tuples counted: %(n)s.")
                % {"share": percent(strong["unanimous_share"]), "n": strong["n_tuples"]},
            )
        )
    return rows


def split_half_figure(
    halves: Mapping[str, Any],
    name: Text,
    *,
    n_items: int | None = None,
    is_nothing_split: bool,
    is_headline: bool,
) -> Figure:
    """A split-half reliability; `is_nothing_split`: no tuple has two answers.

    `n_items`: of all items that were shown, if it is known.
    """
    spearman, pearson = halves["spearman"], halves["pearson"]
    has_value = spearman["mean"] is not None
    remarks = [
        (
            _(
                "Mean Spearman correlation over %(n)s splits; all %(items)s items appear in both"
                " halves of every split."
            )
            if halves["n_items"] == n_items
            else _(
                "Mean Spearman correlation over %(n)s splits, of the items that appear in both"
                " halves (at least %(items)s in every split)."
            )
        )
        % {"n": halves["n_splits"], "items": halves["n_items"]},
        _("Pearson %(pearson)s.") % {"pearson": number(pearson["mean"])},
        _spearman_brown(halves["spearman_brown"]),
    ]
    note = in_words(halves["note"])
    if not is_nothing_split:
        remarks.append(note)
    spread, interval_remark = interval_in_words(halves.get("interval"))
    if has_value:
        remarks.append(interval_remark)
    if not spread and spearman["sd"] is not None:
        spread = _("standard deviation over splits: %(sd)s (this is not the sampling error)") % {
            "sd": number(spearman["sd"])
        }
    return Figure(
        name,
        number(spearman["mean"]),
        in_words(halves["definition"]),
        reason="" if has_value else in_words(halves["reason"]),
        spread=spread,
        caution=note if has_value and is_nothing_split else "",
        remark=" ".join(filter(None, remarks)) if has_value else "",
        is_headline=is_headline,
        meaning=_(
            "How similarly two halves of the answers order the items: 1 means the same order;"
            " random clicking gives about 0."
        ),
        verdict=None
        if is_nothing_split
        else thresholds.verdict_of(
            spearman["mean"], thresholds.SPLIT_HALF, halves.get("interval")
        ),
    )


def _spearman_brown(stepped: Mapping[str, Any]) -> str:
    name = _("Spearman-Brown of the mean Pearson, 2r/(1+r)")
    if stepped["value"] is None:
        return _("%(name)s: not computed, because %(reason)s.") % {
            "name": name,
            "reason": in_words(stepped["reason"]),
        }
    return f"{name}: {number(stepped['value'])}."


def _alpha(
    summary: Summary, on: str, coding: str, name: Text, *, is_headline: bool = False
) -> Figure:
    alpha = summary["alpha"][on][coding]
    # Of groups there are no intervals.
    has_value = alpha["alpha"] is not None
    spread, remark = interval_in_words(alpha.get("interval"), has_value=has_value)
    return Figure(
        name,
        number(alpha["alpha"]),
        in_words(alpha["definition"]),
        reason=in_words(alpha["reason"]),
        spread=spread,
        caution=in_words(alpha["warning"]),
        remark=remark,
        is_headline=is_headline,
        # No threshold: neighbours are hard to tell apart, and scores average many answers.
        meaning=_(
            "1: everybody gives the same answers; 0: chance. Alpha is usually far below the"
            " reliability, because it compares single answers rather than averages."
        ),
    )


def further_figures(statistics: Mapping[str, Any]) -> list[Figure]:
    """What is computed of all answers together only; empty for results from before it was."""
    if "score_intervals" not in statistics:
        return []
    return [
        _certain_order(statistics["score_intervals"]),
        _compliance(statistics["compliance"]),
        *(
            _position(statistics["positions"], on, name)
            for on, name in (
                ("best", _("Position of the best picks (p-value)")),
                ("worst", _("Position of the worst picks (p-value)")),
            )
        ),
    ]


def headlines(statistics: Mapping[str, Any], all_figures: Sequence[Figure]) -> list[Figure]:
    """The cards above the scores: the most quoted figures, the answers, pairs that differ."""
    cards = [figure for figure in all_figures if figure.is_headline]
    return [*cards, _answers(statistics["overall"]), *_different_pairs(statistics)]


def _answers(overall: Mapping[str, Any]) -> Figure:
    n_answers, n_tuples = overall["n_judgments"], overall["n_tuples"]
    spread = ""
    if n_people := overall.get("n_annotators"):
        spread = ngettext("from %(n)s person", "from %(n)s people", n_people) % {
            "n": grouped(n_people)
        }
    meaning = _(
        "On average, %(mean)s per answered tuple. A tuple is a set of items shown together."
    ) % {"mean": decimal(n_answers / n_tuples, 1) if n_tuples else "–"}
    return Figure(
        _("Answers that count"), grouped(n_answers), definition="", spread=spread, meaning=meaning
    )


def _different_pairs(statistics: Mapping[str, Any]) -> list[Figure]:
    intervals = statistics.get("score_intervals", {})
    share = intervals.get("certain_share")
    name = _("Item pairs that differ significantly")
    if share is None:
        reason = in_words(intervals.get("reason") or intervals.get("note") or "").removesuffix(".")
        return [Figure(name, "–", "", reason=reason)] if reason else []
    meaning = _("Pairs of items in the same pool; false discovery rate 5 %.")
    return [Figure(name, percent(share), "", meaning=meaning)]


def ranking_in_words(statistics: Mapping[str, Any]) -> dict[str, Any] | None:
    """How the utilities were fitted, or why not; None for results from before they were."""
    ranking = statistics.get("ranking")
    if ranking is None:
        return None
    penalised = ranking.get("penalised_pools", [])
    return {
        **ranking,
        **{name: in_words(ranking.get(name)) for name in ("definition", "reason")},
        "penalised_named": ", ".join(penalised[:MAX_NAMES_ON_PAGE])
        + (", …" if len(penalised) > MAX_NAMES_ON_PAGE else ""),
    }


def pools_in_words(statistics: Mapping[str, Any]) -> str:
    """A sentence if some items of one pool cannot be compared; empty if all can."""
    pools = statistics.get("pools", {"n_unconnected": 0})
    if not pools["n_unconnected"]:
        return ""
    return _(
        "Some items of a pool were never compared, not even indirectly. Utilities, intervals "
        "and orders therefore apply only within each of the %(n)s connected groups."
    ) % {"n": grouped(pools["n_compared"])}


def _certain_order(intervals: Mapping[str, Any]) -> Figure:
    share = intervals["certain_share"]
    remark = _("%(n)s pairs within pools.") % {"n": grouped(intervals["n_pairs"])}
    if intervals["inflation"] > 1:
        people = _(
            "Answers of the same person resemble one another, so variances are multiplied by at "
            "least %(factor)s."
        ) % {"factor": decimal(intervals["inflation"], 2)}
        remark = f"{remark} {people}"
    # Sentences; a page puts a full stop behind a reason.
    note = in_words(intervals["reason"] or intervals["note"])
    return Figure(
        _("Item pairs that differ significantly"),
        percent(share),
        in_words(intervals["definition"]),
        reason=""
        if share is not None
        else note.removesuffix(".") or _("there are no pairs of items"),
        caution=note if share is not None else "",
        remark=remark if share is not None else "",
    )


def _compliance(compliance: Mapping[str, Any]) -> Figure:
    remark = ""
    if compliance["reason"] is None:
        remark = ngettext(
            "%(n)s annotator could be compared with others: %(lowest)s.",
            "Median of %(n)s annotators; lowest: %(lowest)s. The People page shows the value of"
            " each annotator.",
            compliance["n_annotators"],
        ) % {"n": grouped(compliance["n_annotators"]), "lowest": percent(compliance["lowest"])}
    return Figure(
        _("Agreement of an annotator with the others"),
        percent(compliance["median"]),
        in_words(compliance["definition"]),
        reason=in_words(compliance["reason"]),
        remark=remark,
    )


def _position(bias: Mapping[str, Any], on: str, name: Text) -> Figure:
    if bias["reason"]:
        return Figure(name, "–", in_words(bias["definition"]), reason=in_words(bias["reason"]))
    test = bias["overall"][on]
    p, note = test["p"][0], in_words(test["notes"][0])
    if p is None:
        return Figure(name, "–", in_words(bias["definition"]), reason=note)
    remark = _(
        "Chi-square %(statistic)s, degrees of freedom: %(df)s. Picks per position, from first to"
        " last: %(counts)s."
    ) % {
        "statistic": number(test["statistic"][0], 2),
        "df": test["df"],
        "counts": " · ".join(map(grouped, test["counts"][0])),
    }
    return Figure(name, p_value(p), in_words(bias["definition"]), caution=note, remark=remark)
