"""How often the categories of a label study were chosen and confused, as tables of a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from annotation.basics.numbers import grouped, number, percent
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import Text
from annotation.kinds.queries.interval_words import about_interval
from annotation.kinds.queries.said_once import said_once
from annotation.kinds.rating.queries.plots import condition_name
from annotation.kinds.rating.queries.tables import Table
from annotation.models import Result

Statistics = Mapping[str, Any]


def categories_by_phase(result: Result) -> Table | None:
    """How often each category is named, phase beside phase; None of a single phase."""
    phases = result.statistics["phases"]
    if len(phases) < 2:
        return None
    header: list[Text] = []
    for phase in phases:
        n = {"n": phase["number"]}
        header += [
            _("phase %(n)s: answers") % n,
            _("phase %(n)s: share of the answers") % n,
            _("phase %(n)s: items with this label") % n,
        ]
    rows: list[tuple[Text, list[str]]] = []
    for k, name in enumerate(result.statistics["categories"]["names"]):
        cells = []
        for phase in phases:
            counts = phase["summary"]["categories"][k]
            cells += [
                grouped(counts["n_answers"]),
                percent(counts["share"]),
                grouped(counts["n_labels"]),
            ]
        rows.append((name, cells))
    conditions = capfirst("; ".join(condition_name(phase) for phase in phases))
    return Table(
        _("Categories in each phase"),
        header,
        rows,
        [(_("phases"), f"{conditions}.", False)],
    )


def categories(phase: Statistics, names: Sequence[str]) -> Table:
    """How often each category was chosen, and how far people agree on it."""
    rows: list[tuple[Text, list[str]]] = []
    remarks: list[tuple[Text, str, bool]] = []
    mentions: list[tuple[str, str]] = []
    for name, category in zip(names, phase["summary"]["categories"], strict=True):
        ends, interval = category["interval"] or {"low": None}, "–"
        if ends["low"] is not None:
            interval = _("%(low)s to %(high)s") % {
                "low": number(ends["low"]),
                "high": number(ends["high"]),
            }
        cells = [
            grouped(category["n_answers"]),
            percent(category["share"]),
            grouped(category["n_labels"]),
        ]
        rows.append(
            (name, [*cells, number(category["alpha"]), interval, number(category["kappa"])])
        )
        if category["reason"]:
            remarks.append((name, in_words(category["reason"]), True))
        elif about := about_interval(category["interval"]):
            mentions.append((name, about))
    remarks += [("; ".join(named), text, False) for named, text in said_once(mentions)]
    header: list[Text] = [
        _("answers"),
        _("share of the answers"),
        _("items with this label"),
        _("alpha"),
        _("interval of alpha"),
        _("Fleiss' kappa"),
    ]
    definition = _("Alpha and kappa compare this category with all others together.")
    name = _("Agreement on each category, %(phase)s") % {"phase": condition_name(phase)}
    return Table(name, header, rows, [(_("category"), definition, False), *remarks])


def confusions(phase: Statistics, names: Sequence[str]) -> Table | None:
    summary, of_phase = phase["summary"], {"phase": condition_name(phase)}
    if summary["confusions"] is not None:
        definition = _(
            "Numbers of pairs of people who gave these two answers to the same item. The table "
            "is symmetric, so each disagreement appears twice."
        )
        table, name = (
            summary["confusions"],
            _("Which categories people confuse, %(phase)s") % of_phase,
        )
    else:
        definition = _(
            "Answers with both categories. The diagonal counts all answers with that category."
        )
        table, name = summary["together"], _("Categories chosen together, %(phase)s") % of_phase
    return square(name, table, names, definition) if any(map(any, table)) else None


def annotator_models(phase: Statistics) -> Table | None:
    """What models of annotators say beside the most frequent answers; None without a model."""
    names = {"dawid-skene": _("Dawid and Skene"), "mace": "MACE", "glad": "GLAD"}
    rows: list[tuple[Text, list[str]]] = []
    remarks: list[tuple[Text, str, bool]] = [
        (
            _("labels"),
            _(
                "The labels of this study are always the most frequent answers. Models of "
                "annotators stand beside them: they estimate how able each person is, which "
                "means something else in each model, and weigh the answers by it."
            ),
            False,
        )
    ]
    for key, model in phase["models"].items():
        if model["reason"]:
            remarks.append((names[key], in_words(model["reason"]), True))
            continue
        rows.append(
            (
                names[key],
                [
                    *(grouped(model[n]) for n in ("n_different", "n_of_tied")),
                    percent(model["ability_median"]),
                ],
            )
        )
        remarks.append((names[key], in_words(model["definition"]), False))
    if not phase["models"]:
        return None
    header: list[Text] = [
        _("items with another label"),
        _("tied items with a label"),
        _("median ability (see below)"),
    ]
    title = _("Models of annotators, %(phase)s") % {"phase": condition_name(phase)}
    return Table(title, header, rows, remarks, is_folded=True)


def square(
    name: Text, table: Sequence[Sequence[int]], names: Sequence[str], definition: str
) -> Table:
    rows: list[tuple[Text, list[str]]] = [
        (label, [grouped(n) for n in row]) for label, row in zip(names, table, strict=True)
    ]
    return Table(name, list(names), rows, [(_("cells"), definition, False)])
