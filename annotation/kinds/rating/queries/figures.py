"""A stored result of a rating study as the numbers of a page: formatting, no statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal, grouped, number, percent, significant
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import (
    ALPHA_MEANS,
    MAX_NAMES_ON_PAGE,
    Figure,
    Text,
)
from annotation.kinds.queries import thresholds
from annotation.kinds.queries.interval_words import interval_in_words
from annotation.kinds.queries.thresholds import Verdict
from annotation.kinds.rating.queries.decision_study import decision_study
from annotation.kinds.rating.queries.plots import by_score, condition_name, phase_plots
from annotation.kinds.rating.queries.tables import Table
from annotation.models import Result, Study

Statistics = Mapping[str, Any]

# The order is listed here because PostgreSQL does not keep the order of JSON keys.
_LEVELS = ("interval", "ordinal", "nominal", "ratio")
_KINDS = ("1,1", "1,k", "2,1", "2,k", "3,1", "3,k")


@dataclass(frozen=True)
class PhaseShown:
    """One phase as the page shows it."""

    name: str
    n_ratings: int
    n_units: int
    n_unrated: int
    n_annotators: int
    figures: list[Figure]
    tables: list[Table]
    plots: list[Plot]
    # The missing figures, and why they are missing.
    missing: list[str]


def phases_shown(result: Result) -> list[PhaseShown]:
    shown = []
    for phase in result.statistics["phases"]:
        summary = phase["summary"]
        tables = [decision_study(phase), _calibration_table(phase), _class_table(phase)]
        shown.append(
            PhaseShown(
                name=condition_name(phase),
                n_ratings=summary["n_ratings"] - summary["n_repeats"],
                n_units=summary["n_units"],
                n_unrated=summary["n_unrated"],
                n_annotators=summary["n_annotators"],
                figures=_phase_figures(phase, result),
                tables=[table for table in tables if table],
                plots=phase_plots(phase),
                missing=_missing(phase),
            )
        )
    return shown


def agreement_table(result: Result) -> Table:
    """Inter- and intra-annotator agreement of every phase, as the Czech study's table."""
    rows: list[tuple[Text, list[str]]] = []
    remarks: dict[str, tuple[Text, str, bool]] = {}
    for phase in result.statistics["phases"]:
        summary = phase["summary"]
        for name, comparison in (
            (
                _("inter-annotator, mean of all annotators"),
                summary["inter_annotator"]["with_itself"],
            ),
            (
                _("inter-annotator, mean of the others"),
                summary["inter_annotator"]["without_itself"],
            ),
            (_("intra-annotator, same booklet"), summary["intra_annotator"]),
            (_("intra-annotator, earlier round"), phase["repeats"]["earlier_round"]),
        ):
            label = f"{condition_name(phase)}: {name}"
            cells = [
                number(comparison[figure]) for figure in ("pearson", "spearman", "rmse", "mse")
            ]
            rows.append((label, [*cells, grouped(comparison["n"])]))
            remarks.setdefault(name, (name, in_words(comparison["definition"]), False))
            if comparison["reason"]:
                remarks[label] = (label, in_words(comparison["reason"]), True)
    header: list[Text] = [_("Pearson"), _("Spearman"), _("RMSE"), _("MSE"), _("pairs of values")]
    # Explanations come before the remarks about missing cells.
    ordered = sorted(remarks.values(), key=lambda remark: remark[2])
    return Table(_("Agreement"), header, rows, ordered, file="agreement")


def _missing(phase: Statistics) -> list[str]:
    """Why the scores are not split by something, or there is no curve by thinking time."""
    names = {
        "domain": _("Scores by domain"),
        "source": _("Scores by source"),
        "class": _("Scores by intended class"),
        "time": _("Error by thinking time"),
    }
    splits = dict(phase["by"])
    # Where no item has a class, nobody looks for a figure by class.
    by_class = phase["by_class"]
    if by_class["classes"] or not by_class["n_without_class"]:
        splits["class"] = by_class
    if by_time := phase["summary"]["error_by_thinking_time"]:
        splits["time"] = by_time
    return not_drawn(names, splits)


def not_drawn(names: Mapping[str, str], splits: Mapping[str, Statistics]) -> list[str]:
    """Which of these there is no plot of, in the order of the names, and why."""
    return [
        _("%(name)s: no figure, because %(reason)s.")
        % {"name": name, "reason": in_words(splits[split]["reason"])}
        for split, name in names.items()
        if split in splits and splits[split]["reason"]
    ]


# -- One phase ----------------------------------------------------------------------------------


def _phase_figures(phase: Statistics, result: Result) -> list[Figure]:
    summary = phase["summary"]
    return [
        _alpha(summary["alpha"][_LEVELS[0]], is_headline=True),
        *(_alpha(summary["alpha"][level]) for level in _LEVELS[1:]),
        *(_icc(summary["icc"][kind], is_headline=kind == "1,k") for kind in _KINDS),
        *(
            _error_bound(summary["error_bound"][kind], name, is_headline=kind == "paper")
            for kind, name in (
                ("paper", _("Expected squared error of a score, as in CzechSTS")),
                ("unbiased", _("Expected squared error of a score, unbiased")),
            )
        ),
        _raters(summary["raters"]),
        _calibration(phase["calibration"]),
        _majorities(phase["aggregates"], result.statistics["scale"]),
        _earlier(phase["earlier_rating"], result.study),
    ]


def _alpha(alpha: Statistics, *, is_headline: bool = False) -> Figure:
    names = {
        "interval": _("Krippendorff's alpha (interval data)"),
        "ordinal": _("Krippendorff's alpha (ordinal data)"),
        "nominal": _("Krippendorff's alpha (nominal data)"),
        "ratio": _("Krippendorff's alpha (ratio data)"),
    }
    has_value = alpha["alpha"] is not None
    spread, remark = interval_in_words(alpha["interval"], has_value=has_value)
    return Figure(
        names[alpha["level"]],
        number(alpha["alpha"]),
        in_words(alpha["definition"]),
        reason=in_words(alpha["reason"]),
        spread=spread,
        remark=remark,
        is_headline=is_headline,
        meaning=ALPHA_MEANS,
        verdict=thresholds.verdict_of(alpha["alpha"], thresholds.ALPHA, alpha["interval"]),
    )


def _icc(icc: Statistics, *, is_headline: bool = False) -> Figure:
    spread, about = interval_in_words(icc["interval"])
    remark = ""
    if icc["icc"] is not None:
        remark = ngettext(
            "%(n)s item; k = %(k)s ratings per item (Donner's n0, which is a little below the "
            "mean if items differ in their numbers of ratings).",
            "%(n)s items; k = %(k)s ratings per item (Donner's n0, which is a little below the "
            "mean if items differ in their numbers of ratings).",
            icc["n_units"],
        ) % {"n": grouped(icc["n_units"]), "k": decimal(icc["k"], 1)}
        remark = f"{remark} {about}".rstrip()
    return Figure(
        f"ICC({icc['kind']})",
        number(icc["icc"]),
        in_words(icc["definition"]),
        reason=in_words(icc["reason"]),
        spread=spread,
        remark=remark,
        is_headline=is_headline,
        meaning=_("The share of the variance of mean ratings that is due to the items."),
        # ICC(1,1) is about one person's rating, which is nobody's score.
        verdict=_verdict(icc) if icc["kind"] == "1,k" else None,
    )


def _verdict(icc: Statistics) -> Verdict | None:
    if icc["icc"] is None or not icc["interval"]:
        return None
    return thresholds.verdict_by_interval(icc["interval"], thresholds.ICC)


def _error_bound(bound: Statistics, name: Text, *, is_headline: bool) -> Figure:
    remark = ""
    if bound["value"] is not None:
        remark = _("Its square root is %(root)s points of the scale. Items included: %(n)s.") % {
            "root": number(bound["root"]),
            "n": grouped(bound["n_units"]),
        }
    return Figure(
        name,
        significant(bound["value"]),
        in_words(bound["definition"]),
        reason=in_words(bound["reason"]),
        remark=remark,
        is_headline=is_headline,
        meaning=_(
            "Expected squared distance of a score from the mean of very many ratings. Lower is"
            " better."
        ),
    )


def _raters(raters: Statistics) -> Figure:
    pearson = raters["pearson"]
    remark = ""
    if pearson["mean"] is not None:
        remark = _(
            "Pearson, mean of %(n)s people; best %(best)s, worst %(worst)s. Spearman %(spearman)s."
        ) % {
            "n": grouped(raters["n_raters"]),
            "best": number(pearson["best"]),
            "worst": number(pearson["worst"]),
            "spearman": number(raters["spearman"]["mean"]),
        }
    return Figure(
        _("Typical human"),
        number(pearson["mean"]),
        in_words(raters["definition"]),
        reason=in_words(raters["reason"]),
        spread=_("standard deviation over people %(sd)s") % {"sd": number(pearson["sd"])}
        if pearson["sd"] is not None
        else "",
        remark=remark,
        is_headline=True,
        meaning=_(
            "Correlation (Pearson) of one person's ratings with the mean ratings of the others,"
            " averaged over people."
        ),
    )


def _calibration(calibration: Statistics) -> Figure:
    remark = ""
    if calibration["rmse"] is not None:
        remark = _(
            "Root mean square deviation of %(n)s ratings. Mean %(mean)s; mean absolute "
            "deviation %(size)s."
        ) % {
            "n": grouped(calibration["n"]),
            "mean": number(calibration["mean_deviation"]),
            "size": number(calibration["mean_absolute_deviation"]),
        }
    return Figure(
        _("Deviation in the calibration block"),
        number(calibration["rmse"]),
        in_words(calibration["definition"]),
        reason=in_words(calibration["reason"]),
        remark=remark,
    )


def _majorities(majorities: Statistics, scale: Statistics) -> Figure:
    ties = majorities["ties"]
    remark = ""
    if not majorities["reason"]:
        remark = _(
            "%(n)s of %(total)s items have a single most frequent rating. For %(half)s of "
            "these, more than half of the people gave this rating."
        ) % {
            "n": grouped(majorities["n_with_majority"]),
            "total": grouped(majorities["n_rated"]),
            "half": grouped(majorities["n_more_than_half"]),
        }
        if ties:
            named = ", ".join(ties[:MAX_NAMES_ON_PAGE]) + (
                ", …" if majorities["n_ties"] > MAX_NAMES_ON_PAGE else ""
            )
            tied = ngettext(
                "%(n)s item is tied: %(named)s",
                "%(n)s items are tied: %(named)s",
                majorities["n_ties"],
            ) % {"n": grouped(majorities["n_ties"]), "named": named}
            remark = f"{remark} {tied}"
    return Figure(
        _("Items with a single most frequent rating"),
        percent(majorities["n_with_majority"] / majorities["n_rated"])
        if majorities["n_rated"]
        else "–",
        in_words(majorities["definition"]),
        reason=in_words(majorities["reason"]),
        remark=remark,
    )


def _earlier(earlier: Statistics, study: Study) -> Figure:
    before = study.earlier_round
    remark = ""
    if earlier["pearson"] is not None:
        remark = _("Pearson, over %(n)s items. Spearman %(spearman)s.") % {
            "n": grouped(earlier["n"]),
            "spearman": number(earlier["spearman"]),
        }
    return Figure(
        _("Agreement with the ratings of “%(study)s”") % {"study": before.title}
        if before
        else _("Agreement with the earlier rating"),
        number(earlier["pearson"]),
        in_words(earlier["definition"]),
        reason=in_words(earlier["reason"]),
        remark=remark,
    )


def _calibration_table(phase: Statistics) -> Table | None:
    items = phase["calibration"]["items"]
    if not items:
        return None
    return Table(
        _("Calibration items"),
        [_("expected"), _("mean"), _("standard deviation"), _("ratings")],
        [
            (
                item["item"],
                [
                    number(item["expected"], 2),
                    number(item["mean"], 2),
                    number(item["sd"], 2),
                    grouped(item["n"]),
                ],
            )
            for item in items
        ],
        [],
        file="calibration_items",
    )


def _class_table(phase: Statistics) -> Table | None:
    classes = by_score(phase["by_class"]["classes"])
    if not classes:
        return None
    remarks: list[tuple[Text, str, bool]] = [
        (_("class"), in_words(phase["by_class"]["definition"]), False)
    ]
    if n := phase["by_class"]["n_without_class"]:
        remark = ngettext(
            "%(n)s item without an intended class is left out.",
            "%(n)s items without an intended class are left out.",
            n,
        ) % {"n": grouped(n)}
        remarks.append((_("left out"), remark, False))
    return Table(
        _("Scores by intended class"),
        [_("items"), _("mean"), _("standard deviation"), _("unrated items")],
        [
            (
                label,
                [
                    grouped(counts["n"]),
                    number(counts["mean"], 2),
                    number(counts["sd"], 2),
                    grouped(counts["n_unrated"]),
                ],
            )
            for label, counts in classes.items()
        ],
        remarks,
        file="scores_by_class",
    )
