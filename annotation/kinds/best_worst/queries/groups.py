"""A stored result by groups of its answers: the table, what is to be said of it, and its plot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.basics.numbers import grouped, number, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.core.queries.summaries import (
    GROUP_NAMES,
    Summary,
    in_order,
    interval_of,
    value_of,
)
from annotation.kinds.best_worst.queries.plots import group_plot, overall_plots
from annotation.kinds.queries.interval_words import about_interval, with_ends
from annotation.kinds.queries.said_once import said_once
from annotation.models import Result
from shell.messages import Message, apart

Text = str | Promise

# The column, its place in `Summary.figures`, and how it is read from a summary.
_COLUMNS: tuple[tuple[str, Text, bool], ...] = (
    ("split_half.fixed.spearman", gettext_lazy("split-half ρ (GiCCS)"), False),
    ("split_half.random.spearman", gettext_lazy("split-half ρ (random)"), False),
    ("alpha.best.slot", gettext_lazy("α best, slot coding"), False),
    ("alpha.worst.slot", gettext_lazy("α worst, slot coding"), False),
    ("alpha.joint.slot", gettext_lazy("α best and worst, slot coding"), False),
    ("strong_agreement.best", gettext_lazy("strong agreement, best"), True),
    ("strong_agreement.worst", gettext_lazy("strong agreement, worst"), True),
)


@dataclass(frozen=True)
class GroupRemark:
    """What has to be known of some figures of some groups: a reason, a note or a warning."""

    groups: str
    columns: str
    text: str
    # These groups lack the figures; the means are over the other groups.
    is_left_out: bool


@dataclass(frozen=True)
class GroupTable:
    name: str
    header: list[Text]
    rows: list[tuple[str, list[str]]]
    # Means over the cells and the pooled answers, set apart at the foot.
    feet: list[tuple[Text, list[str]]]
    remarks: list[GroupRemark]
    # None if no group has a value.
    plot: Plot | None


def group_tables(result: Result) -> list[GroupTable]:
    """Agreement and reliability by group, as GiCCS's Tables 1 and 3."""
    tables = []
    header: list[Text] = [_("answers"), _("tuples"), _("items")]
    header += [label for _figure, label, _share in _COLUMNS]
    for name, group in result.statistics.get("groups", {}).items():
        cells = in_order(group["cells"])
        labels = [_in_words(label) for label in cells]
        feet: list[tuple[Text, list[str]]] = []
        for weighting, label in (
            ("cells", _("mean of the groups, unweighted")),
            ("judgments", _("mean of the groups, weighted by answers")),
        ):
            means = group["means"][weighting]
            feet.append(
                (
                    label,
                    ["", "", ""]
                    + [
                        _mean(means[figure], is_share=is_share)
                        for figure, _label, is_share in _COLUMNS
                    ],
                )
            )
        feet.append((_("all answers pooled"), _cells(result.statistics["overall"])))
        title = _("Agreement by %(group)s") % {"group": str(GROUP_NAMES.get(name, name))}
        tables.append(
            GroupTable(
                name=str(GROUP_NAMES.get(name, name)),
                header=header,
                rows=list(zip(labels, map(_cells, cells.values()), strict=True)),
                feet=feet,
                remarks=[
                    *_remarks(cells, result.statistics["overall"]),
                    *_of_means(group["means"], [str(label) for label, _cells in feet[:2]]),
                ],
                plot=group_plot(name, title, labels, list(cells.values())),
            )
        )
    return tables


def every_plot(result: Result) -> list[Plot]:
    """Every figure of a result, in the order of its page."""
    return [*overall_plots(result), *(table.plot for table in group_tables(result) if table.plot)]


def _cells(summary: Summary) -> list[str]:
    counts = [grouped(summary[name]) for name in ("n_judgments", "n_tuples", "n_items")]
    return counts + [
        with_ends(
            (percent if is_share else number)(value_of(summary, figure)),
            interval_of(summary, figure),
        )
        for figure, _label, is_share in _COLUMNS
    ]


def _mean(mean: Mapping[str, Any], *, is_share: bool) -> str:
    """A mean over groups; over how many, if some lack the figure."""
    value = (percent if is_share else number)(mean["value"])
    if not mean["without"]:
        return value
    return _("%(value)s (%(n)s of %(total)s groups)") % {
        "value": value,
        "n": mean["n_cells"],
        "total": mean["n_cells"] + len(mean["without"]),
    }


def _in_words(label: str) -> str:
    """A group's label, its empty parts said to be unknown."""
    return " / ".join(part or _("unknown") for part in label.split(" / "))


def _said_of(cell: Summary, figure: str) -> list[tuple[str, bool]]:
    """Reason, notes and warning of one figure of a group, and whether it has no value."""
    kind, name, *path = figure.split(".")
    statistic = cell[kind][name]
    if kind == "alpha":
        statistic = statistic[path[0]]
    remarks = [(statistic.get(key), False) for key in ("note", "warning")]
    if value_of(cell, figure) is None:
        remarks.insert(0, (statistic["reason"], True))
    return [
        (sentence, is_left_out)
        for text, is_left_out in remarks
        if text
        for sentence in apart(text)
    ]


def _explanation(text: str) -> str:
    """What a note says after its own counts, which differ from group to group."""
    if isinstance(text, Message):
        _counts, _colon, explanation = text.template.partition(": ")
        if explanation and "%(" not in explanation:
            return explanation
    return text


def _remarks(cells: Mapping[str, Summary], overall: Summary) -> list[GroupRemark]:
    """What is said of the figures of the groups, each thing once for all that it is said of.

    What explains a figure and stands beside that of all answers is not said again.
    """
    known = {
        _explanation(text)
        for figure, _column, _share in _COLUMNS
        for text, is_left_out in _said_of(overall, figure)
        if not is_left_out
    }
    reasons: dict[tuple[str, str], list[str]] = {}
    mentions: list[tuple[tuple[str, str], str]] = []
    for label, cell in cells.items():
        for figure, column, _share in _COLUMNS:
            for text, is_left_out in _said_of(cell, figure):
                if is_left_out:
                    reasons.setdefault((label, text), []).append(str(column))
                elif _explanation(text) not in known:
                    mentions.append(((label, str(column)), text))
            about = about_interval(interval_of(cell, figure))
            if about and value_of(cell, figure) is not None:
                mentions.append(((label, str(column)), about))
    groups: dict[tuple[str, str], list[str]] = {}
    for (label, text), named in reasons.items():
        groups.setdefault(("; ".join(named), text), []).append(_in_words(label))
    remarks = [
        GroupRemark("; ".join(labels), named, in_words(text), is_left_out=True)
        for (named, text), labels in groups.items()
    ]
    for of_text, text in said_once(mentions):
        labels = dict.fromkeys(_in_words(label) for label, _column in of_text)
        columns = dict.fromkeys(column for _label, column in of_text)
        remarks.append(GroupRemark("; ".join(labels), "; ".join(columns), text, is_left_out=False))
    return remarks


def _of_means(means: Mapping[str, Any], labels: Sequence[str]) -> list[GroupRemark]:
    """Why means over groups have no interval."""
    why = {mean["interval_reason"] for figures in means.values() for mean in figures.values()}
    return [
        GroupRemark("; ".join(labels), "", in_words(about_interval({"reason": reason})), False)
        for reason in why
    ]
