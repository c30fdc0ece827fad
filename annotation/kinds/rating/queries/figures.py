"""A stored result of a rating study as the numbers of a page: formatting, no statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal, grouped, number, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import MOST_NAMED, Figure, Text
from annotation.kinds.rating.queries.plots import by_score, condition_name, phase_plots
from annotation.models import Result, Study

Of = Mapping[str, Any]

# Orders of their own: PostgreSQL keeps the keys of JSON in another one.
_LEVELS = ("interval", "ordinal", "nominal", "ratio")
_KINDS = ("1,1", "1,k", "2,1", "2,k", "3,1", "3,k")


@dataclass(frozen=True)
class Table:
    """Rows of text; a row's remark says why something of it is missing."""

    name: Text
    header: list[Text]
    rows: list[tuple[Text, list[str]]]
    # What each row is, or why it lacks something: (name, text, whether it lacks something).
    remarks: list[tuple[Text, str, bool]]
    # What its TSV and LaTeX are called by; empty where it has none.
    file: str = ""


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
    # What of the figures is missing, and why.
    missing: list[str]


def phases_shown(result: Result) -> list[PhaseShown]:
    found = []
    for phase in result.statistics["phases"]:
        summary = phase["summary"]
        tables = [_calibration_table(phase), _class_table(phase)]
        found.append(
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
    return found


def agreement_table(result: Result) -> Table:
    """Inter- and intra-annotator agreement of every phase, as the Czech study's table."""
    rows: list[tuple[Text, list[str]]] = []
    remarks: dict[str, tuple[Text, str, bool]] = {}
    for phase in result.statistics["phases"]:
        summary = phase["summary"]
        for name, of in (
            (_("inter, the rating itself in the mean"), summary["inter_annotator"]["with_itself"]),
            (_("inter, mean of the others"), summary["inter_annotator"]["without_itself"]),
            (_("intra, in the same booklet"), summary["intra_annotator"]),
            (_("intra, against the earlier round"), phase["repeats"]["earlier_round"]),
        ):
            label = f"{condition_name(phase)}: {name}"
            cells = [number(of[figure]) for figure in ("pearson", "spearman", "rmse", "mse")]
            rows.append((label, [*cells, grouped(of["n"])]))
            remarks.setdefault(name, (name, in_words(of["definition"]), False))
            if of["reason"]:
                remarks[label] = (label, in_words(of["reason"]), True)
    header: list[Text] = [_("Pearson"), _("Spearman"), _("RMSE"), _("MSE"), _("pairs of values")]
    # What each is comes before what is missing.
    said = sorted(remarks.values(), key=lambda remark: remark[2])
    return Table(_("Agreement"), header, rows, said, file="agreement")


def _missing(phase: Of) -> list[str]:
    """Why the scores are not split by something, or there is no curve by thinking time."""
    names = {
        "domain": _("Scores by domain"),
        "source": _("Scores by source"),
        "class": _("Scores by intended class"),
        "time": _("Error by thinking time"),
    }
    splits = {**phase["by"], "class": phase["by_class"]}
    if by_time := phase["summary"]["error_by_thinking_time"]:
        splits["time"] = by_time
    return not_drawn(names, splits)


def not_drawn(names: Mapping[str, str], splits: Mapping[str, Of]) -> list[str]:
    """Which of these there is no plot of, in the order of the names, and why."""
    return [
        _("%(name)s: not drawn, because %(reason)s.")
        % {"name": name, "reason": in_words(splits[split]["reason"])}
        for split, name in names.items()
        if split in splits and splits[split]["reason"]
    ]


# -- One phase ----------------------------------------------------------------------------------


def _phase_figures(phase: Of, result: Result) -> list[Figure]:
    summary = phase["summary"]
    return [
        _alpha(summary["alpha"][_LEVELS[0]], is_headline=True),
        *(_alpha(summary["alpha"][level]) for level in _LEVELS[1:]),
        *(_icc(summary["icc"][kind], is_headline=kind == "1,k") for kind in _KINDS),
        *(
            _error_bound(summary["error_bound"][kind], name, is_headline=kind == "paper")
            for kind, name in (
                ("paper", _("Error bound, as the Czech study")),
                ("unbiased", _("Error bound, unbiased")),
            )
        ),
        _raters(summary["raters"]),
        _calibration(phase["calibration"]),
        _majorities(phase["aggregates"], result.statistics["scale"]),
        _earlier(phase["earlier_rating"], result.study),
    ]


def interval(of: Of) -> str:
    if of["low"] is None:
        return ""
    return _("95 %% interval %(low)s to %(high)s") % {
        "low": number(of["low"]),
        "high": number(of["high"]),
    }


def _alpha(of: Of, *, is_headline: bool = False) -> Figure:
    names = {
        "interval": _("Alpha, interval"),
        "ordinal": _("Alpha, ordinal"),
        "nominal": _("Alpha, nominal"),
        "ratio": _("Alpha, ratio"),
    }
    return Figure(
        names[of["level"]],
        number(of["alpha"]),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        spread=interval(of),
        remark=remark_of_interval(of),
        is_headline=is_headline,
    )


def remark_of_interval(of: Of) -> str:
    """What was drawn again for the interval of an alpha, or why there is none."""
    if of["low"] is not None:
        said = (
            _("%(resamples)s repeats in which the groups of items were drawn again.")
            if of["resampled"] == "pools"
            else _("%(resamples)s repeats in which %(n)s items were drawn again.")
        )
        return said % {"resamples": grouped(of["n_resamples"]), "n": grouped(of["n_units"])}
    if of["alpha"] is not None and of["interval_reason"]:
        return _("No interval: %(reason)s.") % {"reason": in_words(of["interval_reason"])}
    return ""


def _icc(of: Of, *, is_headline: bool = False) -> Figure:
    remark = ""
    if of["icc"] is not None:
        remark = ngettext(
            "%(n)s item; ratings of each: %(k)s, which is Donner's n0. It lies a little below the"
            " mean where items have different numbers.",
            "%(n)s items; ratings of each: %(k)s, which is Donner's n0. It lies a little below the"
            " mean where items have different numbers.",
            of["n_units"],
        ) % {
            "n": grouped(of["n_units"]),
            "k": decimal(of["k"], 1),
        }
    return Figure(
        f"ICC({of['kind']})",
        number(of["icc"]),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        spread=interval(of),
        remark=remark,
        is_headline=is_headline,
    )


def _error_bound(of: Of, name: Text, *, is_headline: bool) -> Figure:
    remark = ""
    if of["value"] is not None:
        remark = _("Its root, in units of the scale: %(root)s. Of %(n)s items.") % {
            "root": number(of["root"]),
            "n": grouped(of["n_units"]),
        }
    return Figure(
        name,
        number(of["value"], 4),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        remark=remark,
        is_headline=is_headline,
    )


def _raters(of: Of) -> Figure:
    pearson = of["pearson"]
    remark = ""
    if pearson["mean"] is not None:
        remark = _(
            "Pearson, mean of %(n)s people; best %(best)s, worst %(worst)s. Spearman %(spearman)s."
        ) % {
            "n": grouped(of["n_raters"]),
            "best": number(pearson["best"]),
            "worst": number(pearson["worst"]),
            "spearman": number(of["spearman"]["mean"]),
        }
    return Figure(
        _("Typical human"),
        number(pearson["mean"]),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        spread=_("standard deviation over people %(sd)s") % {"sd": number(pearson["sd"])}
        if pearson["sd"] is not None
        else "",
        remark=remark,
        is_headline=True,
    )


def _calibration(of: Of) -> Figure:
    remark = ""
    if of["rmse"] is not None:
        remark = _(
            "Root of the mean square, of %(n)s ratings. Mean %(mean)s; mean size %(size)s."
        ) % {
            "n": grouped(of["n"]),
            "mean": number(of["mean_deviation"]),
            "size": number(of["mean_absolute_deviation"]),
        }
    return Figure(
        _("Calibration block, deviation"),
        number(of["rmse"]),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        remark=remark,
    )


def _majorities(of: Of, scale: Of) -> Figure:
    ties = of["ties"]
    remark = ""
    if not of["reason"]:
        remark = _(
            "%(n)s of %(total)s items have a majority, %(half)s of them by more than half."
        ) % {
            "n": grouped(of["n_with_majority"]),
            "total": grouped(of["n_rated"]),
            "half": grouped(of["n_more_than_half"]),
        }
        if ties:
            named = ", ".join(ties[:MOST_NAMED]) + (", …" if of["n_ties"] > MOST_NAMED else "")
            tied = ngettext(
                "%(n)s item has a tie: %(named)s",
                "%(n)s items have a tie: %(named)s",
                of["n_ties"],
            ) % {"n": grouped(of["n_ties"]), "named": named}
            remark = f"{remark} {tied}"
    return Figure(
        _("Items with a majority"),
        percent(of["n_with_majority"] / of["n_rated"]) if of["n_rated"] else "–",
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        remark=remark,
    )


def _earlier(of: Of, study: Study) -> Figure:
    before = study.earlier_round
    remark = ""
    if of["pearson"] is not None:
        remark = _("Pearson, over %(n)s items. Spearman %(spearman)s.") % {
            "n": grouped(of["n"]),
            "spearman": number(of["spearman"]),
        }
    return Figure(
        _("Agreement with the ratings of “%(study)s”") % {"study": before.title}
        if before
        else _("Agreement with the earlier rating"),
        number(of["pearson"]),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        remark=remark,
    )


def _calibration_table(phase: Of) -> Table | None:
    items = phase["calibration"]["items"]
    if not items:
        return None
    return Table(
        _("Calibration items"),
        [_("expected"), _("mean"), _("standard deviation"), _("ratings")],
        [
            (
                one["item"],
                [
                    number(one["expected"], 2),
                    number(one["mean"], 2),
                    number(one["sd"], 2),
                    grouped(one["n"]),
                ],
            )
            for one in items
        ],
        [],
        file="calibration_items",
    )


def _class_table(phase: Of) -> Table | None:
    classes = by_score(phase["by_class"]["classes"])
    if not classes:
        return None
    remarks: list[tuple[Text, str, bool]] = [
        (_("class"), in_words(phase["by_class"]["definition"]), False)
    ]
    if n := phase["by_class"]["n_without_class"]:
        said = ngettext(
            "%(n)s item without an intended class is left out.",
            "%(n)s items without an intended class are left out.",
            n,
        ) % {"n": grouped(n)}
        remarks.append((_("left out"), said, False))
    return Table(
        _("Scores by intended class"),
        [_("items"), _("mean"), _("standard deviation"), _("items without a rating")],
        [
            (
                label,
                [
                    grouped(one["n"]),
                    number(one["mean"], 2),
                    number(one["sd"], 2),
                    grouped(one["n_unrated"]),
                ],
            )
            for label, one in classes.items()
        ],
        remarks,
        file="scores_by_class",
    )
