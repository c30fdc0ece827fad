"""A stored result of a label study as the numbers of a page: formatting, no statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import grouped, number, p_value, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import (
    ALPHA_MEANS,
    MAX_NAMES_ON_PAGE,
    Figure,
    Text,
)
from annotation.kinds.label.queries import category_tables
from annotation.kinds.label.queries.plots import phase_plots
from annotation.kinds.queries import thresholds
from annotation.kinds.queries.interval_words import interval_in_words
from annotation.kinds.rating.queries.figures import not_drawn
from annotation.kinds.rating.queries.plots import condition_name
from annotation.kinds.rating.queries.tables import Table
from annotation.models import Result

Statistics = Mapping[str, Any]

_DISTANCES = ("nominal", "masi", "jaccard")


@dataclass(frozen=True)
class PhaseShown:
    """One phase as the page shows it."""

    name: str
    n_answers: int
    n_units: int
    n_unanswered: int
    n_annotators: int
    figures: list[Figure]
    tables: list[Table]
    plots: list[Plot]
    # The missing figures, and why they are missing.
    missing: list[str]


@dataclass(frozen=True)
class ChangeShown:
    """What context changes; `reason` says why there is nothing."""

    reason: str
    figures: list[Figure]
    tables: list[Table]


def phases_shown(result: Result) -> list[PhaseShown]:
    names = result.statistics["categories"]["names"]
    shown = []
    for phase in result.statistics["phases"]:
        summary = phase["summary"]
        tables = [
            category_tables.categories(phase, names),
            category_tables.confusions(phase, names),
            category_tables.annotator_models(phase),
        ]
        shown.append(
            PhaseShown(
                name=condition_name(phase),
                n_answers=summary["n_answers"] - summary["n_repeats"],
                n_units=summary["n_units"],
                n_unanswered=summary["n_unanswered"],
                n_annotators=summary["n_annotators"],
                figures=_phase_figures(phase),
                tables=[table for table in tables if table],
                plots=phase_plots(phase, names),
                missing=_missing(phase),
            )
        )
    return shown


def change_shown(result: Result) -> ChangeShown:
    change = result.statistics["change"]
    if change["reason"]:
        return ChangeShown(in_words(change["reason"]), [], [])
    names = result.statistics["categories"]["names"]
    items, answers = change["items"], change["answers"]
    figures = [
        _changed(
            items,
            _("Items with a changed label"),
            _(
                "Share of items whose label in context differs from their label without it, among"
                " items with a label in both phases. The phases came in a fixed order, so effects"
                " of order and time are part of the changes. No interval is computed."
            ),
            is_headline=True,
            meaning=_(
                "Part of these changes is chance: labels of few answers also change if the same"
                " question is asked again."
            ),
        ),
        _changed(
            answers,
            _("Changed answers"),
            _(
                "Share of pairs of answers that differ. Each pair is one person's answers to an "
                "item in the two phases. Answers of the same person are not independent, so this "
                "table is not tested."
            ),
        ),
        _test(items["bowker"], _("Symmetry of the changes, p")),
        _test(items["stuart_maxwell"], _("Shares of the categories, p")),
    ]
    tables = [
        category_tables.square(
            name,
            compared["table"],
            names,
            remark,
        )
        for name, compared, remark in (
            (
                _("Labels of items without context and in context"),
                items,
                _("Numbers of items. Rows: without context; columns: in context."),
            ),
            (
                _("Answers of the same people without context and in context"),
                answers,
                _("Numbers of answers. Rows: without context; columns: in context."),
            ),
        )
        if compared["n"]
    ]
    return ChangeShown("", figures, tables)


def definitions(result: Result) -> list[str]:
    """Every text of the page that may name a reference."""
    phases = phases_shown(result)
    parts = [*(phase.figures for phase in phases), change_shown(result).figures]
    of_figures = [text for figures in parts for figure in figures for text in figure.texts]
    return [*of_figures, *(text for p in phases for table in p.tables for text in table.texts)]


# -- One phase ----------------------------------------------------------------------------------


def _phase_figures(phase: Statistics) -> list[Figure]:
    summary = phase["summary"]
    return [
        _labels(phase),
        *(_alpha(summary["alpha"][name]) for name in _DISTANCES if name in summary["alpha"]),
        _fleiss(summary["fleiss"]),
        _pairwise(summary["pairwise"]),
        _others(summary["others"]),
        _intra(summary["intra"], is_several=summary["several"]),
    ]


def _labels(phase: Statistics) -> Figure:
    labels, n_units = phase["summary"]["labels"], phase["summary"]["n_units"]
    remark = ""
    if not labels["reason"]:
        remark = _(
            "%(n)s of %(total)s items have a label; for %(half)s of these, more than half of the"
            " people chose it."
        ) % {
            "n": grouped(labels["n_with_label"]),
            "total": grouped(n_units),
            "half": grouped(labels["n_majority"]),
        }
        if keys := phase["without_label"]:
            n = labels["n_without_label"]
            named = ", ".join(keys[:MAX_NAMES_ON_PAGE]) + (", …" if n > MAX_NAMES_ON_PAGE else "")
            without = ngettext(
                "%(n)s item has no label: %(named)s.", "%(n)s items have no label: %(named)s.", n
            ) % {"n": grouped(n), "named": named}
            remark = f"{remark} {without}"
    return Figure(
        _("Items with a label"),
        percent(labels["n_with_label"] / n_units) if n_units else "–",
        in_words(labels["definition"]),
        reason=in_words(labels["reason"]),
        remark=remark,
        is_headline=True,
    )


def _alpha(alpha: Statistics) -> Figure:
    names = {
        "nominal": _("Krippendorff's alpha, nominal"),
        "jaccard": _("Krippendorff's alpha, Jaccard distance"),
        "masi": _("Krippendorff's alpha, MASI distance"),
    }
    has_value = alpha["alpha"] is not None
    spread, remark = interval_in_words(alpha["interval"], has_value=has_value)
    return Figure(
        names[alpha["distance"]],
        number(alpha["alpha"]),
        in_words(alpha["definition"]),
        reason=in_words(alpha["reason"]),
        spread=spread,
        remark=remark,
        is_headline=alpha["distance"] in {"nominal", "masi"},
        meaning=ALPHA_MEANS,
        verdict=thresholds.verdict_of(alpha["alpha"], thresholds.ALPHA, alpha["interval"]),
    )


def _fleiss(kappa: Statistics) -> Figure:
    remark = ""
    if kappa["kappa"] is not None:
        counted = _("%(n)s items with %(k)s answers each.") % {
            "n": grouped(kappa["n_units"]),
            "k": grouped(kappa["n_each"]),
        }
        remark = f"{counted} {_no_interval()}"
    return Figure(
        _("Fleiss' kappa"),
        number(kappa["kappa"]),
        in_words(kappa["definition"]),
        reason=in_words(kappa["reason"]),
        remark=remark,
    )


def _pairwise(agreement: Statistics) -> Figure:
    remark = ""
    if agreement["share"] is not None:
        counted = _("Mean of %(n)s items. In %(share)s of them, all answers are equal.") % {
            "n": grouped(agreement["n_units"]),
            "share": percent(agreement["unanimous"]),
        }
        remark = f"{counted} {_no_interval()}"
    return Figure(
        _("Pairwise agreement"),
        percent(agreement["share"]),
        in_words(agreement["definition"]),
        reason=in_words(agreement["reason"]),
        remark=remark,
        is_headline=True,
    )


def _others(agreement: Statistics) -> Figure:
    remark = ""
    if agreement["mean"] is not None:
        counted = _(
            "Mean over %(n)s people. Median %(median)s, lowest %(lowest)s, highest %(highest)s."
        ) % {
            "n": grouped(agreement["n_annotators"]),
            **{name: percent(agreement[name]) for name in ("median", "lowest", "highest")},
        }
        remark = f"{counted} {_no_interval()}"
    return Figure(
        _("Agreement with the others"),
        percent(agreement["mean"]),
        in_words(agreement["definition"]),
        reason=in_words(agreement["reason"]),
        remark=remark,
    )


def _intra(agreement: Statistics, *, is_several: bool) -> Figure:
    remark = ""
    if agreement["share"] is not None:
        remark = ngettext(
            "%(n)s repeated answer of %(people)s people; kappa %(kappa)s.",
            "%(n)s repeated answers of %(people)s people; kappa %(kappa)s.",
            agreement["n"],
        ) % {
            "n": grouped(agreement["n"]),
            "people": grouped(agreement["n_annotators"]),
            "kappa": number(agreement["kappa"]),
        }
        if is_several:
            common = _("Share of common categories: %(share)s.") % {
                "share": percent(agreement["jaccard"])
            }
            remark = f"{remark} {common}"
        elif agreement["kappa_reason"]:
            why = _("No kappa: %(reason)s.") % {"reason": in_words(agreement["kappa_reason"])}
            remark = f"{remark} {why}"
        remark = f"{remark} {_no_interval()}"
    return Figure(
        _("Intra-annotator agreement"),
        percent(agreement["share"]),
        in_words(agreement["definition"]),
        reason=in_words(agreement["reason"]),
        remark=remark,
    )


def _no_interval() -> str:
    return _("No interval is computed.")


def _missing(phase: Statistics) -> list[str]:
    """Why categories are not split by something."""
    names = {"domain": _("Categories by domain"), "source": _("Categories by source")}
    return not_drawn(names, phase["by"])


def _changed(
    change: Statistics,
    name: Text,
    definition: str,
    *,
    is_headline: bool = False,
    meaning: Text = "",
) -> Figure:
    remark = ""
    if change["n"]:
        remark = _("%(changed)s of %(n)s.") % {
            "changed": grouped(change["n_changed"]),
            "n": grouped(change["n"]),
        }
    return Figure(
        name,
        percent(change["share_changed"]),
        definition,
        reason=in_words(change["reason"]),
        remark=remark,
        is_headline=is_headline,
        meaning=meaning,
    )


def _test(test: Statistics, name: Text) -> Figure:
    remark = ""
    if test["p"] is not None:
        remark = _("Chi-square %(statistic)s, degrees of freedom: %(df)s.") % {
            "statistic": number(test["statistic"], 2),
            "df": grouped(test["df"]),
        }
    return Figure(
        name,
        "–" if test["p"] is None else p_value(test["p"]),
        in_words(test["definition"]),
        reason=in_words(test["reason"]),
        remark=remark,
    )
