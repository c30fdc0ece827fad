"""What a rating study says across its phases, as the numbers of a page: formatting only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.numbers import decimal, grouped, hours, number, p_value, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import Figure, Text
from annotation.kinds.rating.queries.context_plots import context_plots, waiting_plots
from annotation.kinds.rating.queries.figures import Table, agreement_table, phases_shown
from annotation.models import Result

Of = Mapping[str, Any]


@dataclass(frozen=True)
class ContextShown:
    """The effect of context as the page shows it, or why it is not there."""

    reason: str
    n_people_of_both: int
    figures: list[Figure]
    selected: Table | None
    sets: Table | None
    plots: list[Plot]


def context_shown(result: Result) -> ContextShown:
    statistics = result.statistics
    of = statistics["context"]
    if of["reason"]:
        return ContextShown(in_words(of["reason"]), 0, [], None, None, [])
    gains = of["tests"]["pooled"]["gains"]
    found = [
        Figure(
            _("Gain from context"),
            number(gains["mean"]),
            _("Score in context less score without it, mean over the items."),
            reason="" if gains["n"] else _("no item was rated in both phases"),
            spread=_("standard deviation over items %(sd)s") % {"sd": number(gains["sd"])}
            if gains["sd"] is not None
            else "",
            is_headline=True,
        ),
        *(
            _test(of["tests"][test], name)
            for test, name in (
                ("pooled", _("Items with an effect, pooled t-test")),
                ("paired", _("Items with an effect, paired t-test")),
            )
        ),
    ]
    return ContextShown(
        "",
        of["n_people_of_both"],
        found,
        selected_table(statistics),
        sets_table(statistics),
        context_plots(statistics),
    )


def _test(of: Of, name: Text) -> Figure:
    remark = ""
    if of["n_tested"]:
        remark = ngettext(
            "%(below)s of %(n)s items tested has a p-value below %(level)s. Left after the"
            " correction of Benjamini and Hochberg: %(left)s (%(share)s).",
            "%(below)s of %(n)s items tested have a p-value below %(level)s. Left after the"
            " correction of Benjamini and Hochberg: %(left)s (%(share)s).",
            of["n_below"],
        ) % {
            "below": grouped(of["n_below"]),
            "n": grouped(of["n_tested"]),
            "level": decimal(of["level"], 2),
            "left": grouped(of["n_left"]),
            "share": percent(of["share_left"]),
        }
    untested = [
        ngettext(
            "%(n)s item not tested: %(reason)s.",
            "%(n)s items not tested: %(reason)s.",
            one["n"],
        )
        % {"n": grouped(one["n"]), "reason": in_words(one["reason"])}
        for one in of["untested"]
    ]
    return Figure(
        name,
        percent(of["share_below"]),
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        remark=" ".join([remark, *untested]).strip() if remark else "",
        is_headline=True,
    )


def set_name(name: str) -> str:
    """What a selection of items is called in the active language."""
    return {
        "all": _("all items"),
        "N1": _("N1: rating of round 1 at most 1 from its class"),
        "N2": _("N2: rating of round 1 at most 2 from its class"),
        "significant_pooled": _("effect of context, pooled t-test"),
        "significant_paired": _("effect of context, paired t-test"),
    }.get(name, name)


def selected_table(statistics: Of) -> Table | None:
    """Correlations of round 1 and of both phases over all items and over selections of them."""
    rows = statistics["selected"]
    if not rows:
        return None
    remarks: list[tuple[Text, str, bool]] = []
    shown: list[tuple[Text, list[str]]] = []
    for row in rows:
        name, control = set_name(row["name"]), row["control"]
        # Older results have no correlations with round 1.
        with_first = [row.get(f"first_x_{side}") for side in ("free", "dependent")]
        shown.append(
            (
                name,
                [
                    grouped(row["n"]),
                    *(number(of["pearson"]) if of else "–" for of in with_first),
                    number(row["pearson"]),
                    number(row["spearman"]),
                    number(row["partial"]["value"]),
                    p_value(control["p"]) if control and control["p"] is not None else "–",
                ],
            )
        )
        if control:
            controls = [of["control"] if of else None for of in with_first]
            cells = [_control_cell(of) for of in (*controls, control)]
            shown.append((_("random subsets of as many"), ["", *cells, "", "", ""]))
        if row["reason"]:
            remarks.append((name, in_words(row["reason"]), True))
        elif row["partial"]["reason"]:
            said = _("no partial correlation: %(reason)s") % {
                "reason": in_words(row["partial"]["reason"])
            }
            remarks.append((name, said, True))
        elif note := row["partial"].get("note"):
            said = _("partial correlation: %(note)s") % {"note": in_words(note)}
            remarks.append((name, said, False))
    remarks.append((_("partial"), in_words(rows[0]["partial"]["definition"]), False))
    if control := next((row["control"] for row in rows if row["control"]), None):
        remarks.append((_("random subsets"), in_words(control["definition"]), False))
    return Table(
        _("Selected items: do the rounds and phases agree?"),
        [
            _("items"),
            _("round 1 × without context"),
            _("round 1 × in context"),
            _("without × in context"),
            _("the same, Spearman"),
            _("partial, given round 1"),
            _("p of without × in context"),
        ],
        shown,
        _once(remarks),
        file="set_correlations",
    )


def _control_cell(control: Of | None) -> str:
    if control is None or control["mean"] is None:
        return "–"
    return _("%(mean)s (%(low)s to %(high)s)") % {
        name: number(control[name]) for name in ("mean", "low", "high")
    }


def sets_table(statistics: Of) -> Table | None:
    """Mean and variance of round 1's ratings and of both phases' scores, by set of items."""
    rows = [row for row in statistics["selected"] if "moments" in row]
    if not rows:
        return None
    header: list[Text] = []
    for side in (_("round 1"), _("without context"), _("in context")):
        header += [
            _("%(side)s: items") % {"side": side},
            _("mean"),
            _("variance"),
        ]
    shown: list[tuple[Text, list[str]]] = []
    for row in rows:
        cells = []
        for side in ("first", "free", "dependent"):
            of = row["moments"][side]
            cells += [grouped(of["n"]), number(of["mean"]), number(of["variance"])]
        shown.append((set_name(row["name"]), cells))
    title = _("Ratings and scores of selected items")
    return Table(title, header, shown, [], file="score_sets")


def _once(remarks: Sequence[tuple[Text, str, bool]]) -> list[tuple[Text, str, bool]]:
    """What is said of several rows in the same words, once."""
    of: dict[tuple[str, bool], list[str]] = {}
    for name, text, is_missing in remarks:
        of.setdefault((text, is_missing), []).append(str(name))
    return [("; ".join(names), text, is_missing) for (text, is_missing), names in of.items()]


@dataclass(frozen=True)
class WaitingShown:
    """The waiting times before one phase."""

    name: str
    figure: Figure
    plot: Plot | None


def waiting_shown(result: Result) -> list[WaitingShown]:
    plots = {plot.key: plot for plot in waiting_plots(result.statistics)}
    return [
        WaitingShown(
            _("Between phases %(first)s and %(second)s")
            % {"first": of["from"], "second": of["to"]},
            _waiting(of),
            plots.get(f"waiting-{of['to']}"),
        )
        for of in result.statistics["waiting"]
    ]


def _waiting(of: Of) -> Figure:
    remark = ""
    if of["n"]:
        remark = _(
            "Hours, median of %(n)s scored runs; half of them waited %(q1)s to %(q3)s, all %(low)s"
            " to %(high)s."
        ) % {
            "n": grouped(of["n"]),
            "q1": hours(of["quartile_1"]),
            "q3": hours(of["quartile_3"]),
            "low": hours(of["min"]),
            "high": hours(of["max"]),
        }
        if of["delay_hours"] is not None:
            planned = _("Planned: at least %(hours)s.") % {"hours": number(of["delay_hours"], 1)}
            remark = f"{remark} {planned}"
    return Figure(
        _("Waiting time, phases %(first)s and %(second)s")
        % {"first": of["from"], "second": of["to"]},
        _("%(n)s h") % {"n": hours(of["median"])} if of["n"] else "–",
        in_words(of["definition"]),
        reason=in_words(of["reason"]),
        remark=remark,
        is_headline=True,
    )


def diagonal_shown(result: Result) -> Table | None:
    """How many items each diagonal filter keeps; None where there is nothing to filter."""
    of = result.statistics["diagonal"]
    if of["reason"]:
        return None
    rows: list[tuple[Text, list[str]]] = []
    names = sorted(of["expected"], key=lambda name: -of["expected"][name])
    for one in of["limits"]:
        kept = [
            f"{one['classes'][name]['n_kept']} / {one['classes'][name]['n']}" for name in names
        ]
        rows.append((f"N{one['limit']:g}", [grouped(one["n_kept"]), *kept]))
    remarks: list[tuple[Text, str, bool]] = [
        (f"N{one['limit']:g}", in_words(one["definition"]), False) for one in of["limits"]
    ]
    if n := of["n_left_out"]:
        said = ngettext(
            "%(n)s item lacks a rating of round 1 or one of these classes, and is in none of"
            " them.",
            "%(n)s items lack a rating of round 1 or one of these classes, and are in none of"
            " them.",
            n,
        ) % {"n": grouped(n)}
        remarks.append((_("left out"), said, False))
    header: list[Text] = [_("items kept")]
    header += [f"{name} ({number(of['expected'][name], 1)})" for name in names]
    return Table(
        _("Items near what their class leads to expect"),
        header,
        rows,
        remarks,
        file="diagonal_filters",
    )


def definitions(result: Result) -> list[str]:
    """Every text of the page that may name a reference."""
    found = [figure.definition for phase in phases_shown(result) for figure in phase.figures]
    context = context_shown(result)
    found += [figure.definition for figure in context.figures]
    for table in (agreement_table(result), context.selected, diagonal_shown(result)):
        if table:
            found += [text for _name, text, _missing in table.remarks]
    return found
