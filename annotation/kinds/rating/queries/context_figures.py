"""What a rating study says across its phases, as the numbers of a page: formatting only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics.chart_frame import written
from annotation.basics.numbers import decimal, grouped, hours, number, p_value, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import Figure, Text
from annotation.kinds.rating.queries.context_plots import context_plots, waiting_plots
from annotation.kinds.rating.queries.figures import agreement_table, phases_shown
from annotation.kinds.rating.queries.tables import Table
from annotation.models import Result

Statistics = Mapping[str, Any]
# The columns of the selected items' correlations that round 1 has a part in, and that random
# subsets have one in.
_COLUMNS_OF_FIRST = (1, 2, 5)
_COLUMN_OF_CONTROL = 6


@dataclass(frozen=True)
class ContextShown:
    """The effect of context as the page shows it, or why it is not there."""

    reason: str
    main_test: str
    n_people_of_both: int
    figures: list[Figure]
    selected: Table | None
    sets: Table | None
    plots: list[Plot]


def context_shown(result: Result) -> ContextShown:
    statistics = result.statistics
    context = statistics["context"]
    if context["reason"]:
        return ContextShown(in_words(context["reason"]), "", 0, [], None, None, [])
    tests, main = context["tests"], context["main_test"]
    gains = tests["pooled"]["gains"]
    rows = [
        Figure(
            _("Mean gain from context"),
            number(gains["mean"]),
            _(
                "Score in context minus score without it, averaged over the items. No interval is "
                "computed. The phases came in a fixed order, so effects of order and time are "
                "part of the gain."
            ),
            reason="" if gains["n"] else _("no item was rated in both phases"),
            spread=_("standard deviation over items %(sd)s") % {"sd": number(gains["sd"])}
            if gains["sd"] is not None
            else "",
            is_headline=True,
        ),
        *(_test(tests[test], test) for test in sorted(tests, key=lambda test: test != main)),
    ]
    if tests[main]["equivalence"]:
        rows.append(_equivalence(tests[main], main))
    return ContextShown(
        "",
        _main_test(context),
        context["n_people_of_both"],
        rows,
        selected_table(statistics),
        sets_table(statistics),
        context_plots(statistics),
    )


def _main_test(context: Statistics) -> str:
    """Which test is the main one, and why."""
    name = {"paired": _("Main test: paired t-test."), "pooled": _("Main test: pooled t-test.")}
    if context["is_chosen"]:
        reason = _("It was chosen when the study was scored.")
    elif context["main_test"] == "paired":
        reason = _("Most items were rated by the same people in both phases.")
    else:
        reason = _("Most items were not rated by the same people in both phases.")
    return f"{name[context['main_test']]} {reason}"


def _equivalence(test: Statistics, test_name: str) -> Figure:
    """On how many items the effect is smaller than the margin."""
    equivalence = test["equivalence"]
    counts = {
        name: grouped(equivalence[f"n_{name}"])
        for name in ("equivalent", "different", "undecided")
    }
    remark = _(
        "Tested items: %(n)s. Equivalent: %(equivalent)s; different: %(different)s; undecided: "
        "%(undecided)s. Margin, in points: %(margin)s."
    ) % {
        **counts,
        "n": grouped(test["n_tested"]),
        "margin": written(equivalence["margin"]),
    }
    name = {
        "paired": _("Equivalent items, paired t-tests"),
        "pooled": _("Equivalent items, pooled t-tests"),
    }[test_name]
    share = equivalence["n_equivalent"] / test["n_tested"] if test["n_tested"] else None
    return Figure(
        name,
        percent(share),
        in_words(equivalence["definition"]),
        reason=in_words(test["reason"]),
        remark=remark if test["n_tested"] else "",
        is_headline=True,
    )


def _test(test: Statistics, test_name: str) -> Figure:
    name = {
        "pooled": _(
            "Items with p < %(level)s in the pooled t-test, not corrected (without any effect: "
            "about %(share)s; often fewer if the same people rated both phases)"
        ),
        "paired": _(
            "Items with p < %(level)s in the paired t-test, not corrected (without any effect: "
            "at most about %(share)s)"
        ),
    }[test_name]
    remark = corrected = ""
    if test["n_tested"]:
        corrected = _("After correction: %(share)s.") % {"share": percent(test["share_left"])}
        remark = ngettext(
            "%(below)s of %(n)s tested items has a p-value below %(level)s. After correction by "
            "Benjamini and Hochberg: %(left)s (%(share)s).",
            "%(below)s of %(n)s tested items have a p-value below %(level)s. After correction "
            "by Benjamini and Hochberg: %(left)s (%(share)s).",
            test["n_below"],
        ) % {
            "below": grouped(test["n_below"]),
            "n": grouped(test["n_tested"]),
            "level": decimal(test["level"], 2),
            "left": grouped(test["n_left"]),
            "share": percent(test["share_left"]),
        }
    untested = [
        ngettext(
            "%(n)s item was not tested: %(reason)s.",
            "%(n)s items were not tested: %(reason)s.",
            untested["n"],
        )
        % {"n": grouped(untested["n"]), "reason": in_words(untested["reason"])}
        for untested in test["untested"]
    ]
    return Figure(
        name % {"level": decimal(test["level"], 2), "share": percent(test["level"], 0)},
        percent(test["share_below"]),
        in_words(test["definition"]),
        reason=in_words(test["reason"]),
        meaning=corrected,
        remark=" ".join([remark, *untested]).strip() if remark else "",
        is_headline=True,
    )


def set_name(name: str) -> str:
    """What a selection of items is called in the active language."""
    return {
        "all": _("all items"),
        "N1": _("N1: round 1 rating at most 1 from the expected value of its class"),
        "N2": _("N2: round 1 rating at most 2 from the expected value of its class"),
        "significant_pooled": _("items with p < 0.05 (not corrected), pooled t-test"),
        "significant_paired": _("items with p < 0.05 (not corrected), paired t-test"),
    }.get(name, name)


def are_chosen_by_difference(name: str) -> bool:
    """Whether a selection has the items whose phases differ.

    Their errors are larger than those of other items, so their correlations are lower even
    without any effect of context. A p-value against random subsets would be too small.
    """
    return name.startswith("significant_")


def selected_table(statistics: Statistics) -> Table | None:
    """Correlations of round 1 and of both phases over all items and over selections of them."""
    rows = statistics["selected"]
    if not rows:
        return None
    has_first = any(_has_first(row) for row in rows)
    remarks: list[tuple[Text, str, bool]] = []
    shown: list[tuple[Text, list[str]]] = []
    for row in rows:
        name, control = set_name(row["name"]), row["control"]
        has_p_value = control and not are_chosen_by_difference(row["name"])
        # Older results have no correlations with round 1.
        with_first = [row.get(f"first_x_{side}") for side in ("free", "dependent")]
        shown.append(
            (
                name,
                [
                    grouped(row["n"]),
                    *(
                        number(correlation["pearson"]) if correlation else "–"
                        for correlation in with_first
                    ),
                    number(row["pearson"]),
                    number(row["spearman"]),
                    number(row["partial"]["value"]),
                    p_value(control["p"]) if has_p_value and control["p"] is not None else "–",
                ],
            )
        )
        if control:
            controls = [
                correlation["control"] if correlation else None for correlation in with_first
            ]
            cells = [_control_cell(cell) for cell in (*controls, control)]
            shown.append((_("random subsets of the same size"), ["", *cells, "", "", ""]))
            if not has_p_value:
                remark = _(
                    "chosen by the difference between their phases, so they correlate less even "
                    "without any effect of context. No p-value is shown."
                )
                remarks.append((name, remark, False))
        if row["reason"]:
            remarks.append((name, in_words(row["reason"]), True))
        elif not has_first:
            continue
        elif row["partial"]["reason"]:
            remark = _("no partial correlation, because %(reason)s.") % {
                "reason": in_words(row["partial"]["reason"])
            }
            remarks.append((name, remark, False))
        elif note := row["partial"].get("note"):
            remark = _("partial correlation: %(note)s") % {"note": in_words(note)}
            remarks.append((name, remark, False))
    if has_first:
        remarks.append((_("partial"), in_words(rows[0]["partial"]["definition"]), False))
    if control := next((row["control"] for row in rows if row["control"]), None):
        remarks.append((_("random subsets"), in_words(control["definition"]), False))
    header: list[Text] = [
        _("items"),
        _("round 1 × without context, Pearson"),
        _("round 1 × in context, Pearson"),
        _("without context × in context, Pearson"),
        _("without context × in context, Spearman"),
        _("partial, given round 1"),
        _("p-value against random subsets"),
    ]
    title = _("Selected items: correlations between round 1 and the phases")
    places = [*range(len(header))]
    if not has_first:
        title = _("Selected items: correlations between the phases")
        places = [place for place in places if place not in _COLUMNS_OF_FIRST]
    if not any(row["control"] and not are_chosen_by_difference(row["name"]) for row in rows):
        places.remove(_COLUMN_OF_CONTROL)
    return Table(
        title,
        [header[place] for place in places],
        [(name, [cells[place] for place in places]) for name, cells in shown],
        _once(remarks),
        file="set_correlations",
    )


def _has_first(row: Statistics) -> bool:
    """Whether items of a row have a rating from an earlier round."""
    # Older results have no correlations with round 1.
    correlations = [row.get(f"first_x_{side}") for side in ("free", "dependent")]
    is_in_either = any(correlation and correlation["n"] for correlation in correlations)
    return is_in_either or row["partial"]["value"] is not None


def _control_cell(control: Statistics | None) -> str:
    if control is None or control["mean"] is None:
        return "–"
    return _("%(mean)s (%(low)s to %(high)s)") % {
        name: number(control[name]) for name in ("mean", "low", "high")
    }


def sets_table(statistics: Statistics) -> Table | None:
    """Mean and variance of round 1's ratings and of both phases' scores, by set of items."""
    rows = [row for row in statistics["selected"] if "moments" in row]
    if not rows:
        return None
    sides = {
        "first": _("round 1"),
        "free": _("without context"),
        "dependent": _("in context"),
    }
    if not any(row["moments"]["first"]["n"] for row in rows):
        del sides["first"]
    header: list[Text] = []
    for name in sides.values():
        header += [
            _("%(side)s: items") % {"side": name},
            _("%(side)s: mean") % {"side": name},
            _("%(side)s: variance") % {"side": name},
        ]
    shown: list[tuple[Text, list[str]]] = []
    for row in rows:
        cells = []
        for side in sides:
            moments = row["moments"][side]
            cells += [grouped(moments["n"]), number(moments["mean"]), number(moments["variance"])]
        shown.append((set_name(row["name"]), cells))
    title = _("Selected items: means and variances")
    return Table(title, header, shown, [], file="score_sets")


def _once(remarks: Sequence[tuple[Text, str, bool]]) -> list[tuple[Text, str, bool]]:
    """What is said of several rows in the same words, once."""
    names_by_text: dict[tuple[str, bool], list[str]] = {}
    for name, text, is_missing in remarks:
        names_by_text.setdefault((text, is_missing), []).append(str(name))
    return [
        ("; ".join(names), text, is_missing) for (text, is_missing), names in names_by_text.items()
    ]


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
            % {"first": waiting["from"], "second": waiting["to"]},
            _waiting(waiting, is_simulated=result.population == "simulated"),
            plots.get(f"waiting-{waiting['to']}"),
        )
        for waiting in result.statistics["waiting"]
    ]


def _waiting(waiting: Statistics, *, is_simulated: bool) -> Figure:
    remark = ""
    if waiting["n"]:
        remark = _(
            "Median in hours; people: %(n)s. Interquartile range: %(q1)s to %(q3)s; range: "
            "%(low)s to %(high)s."
        ) % {
            "n": grouped(waiting["n"]),
            "q1": hours(waiting["quartile_1"]),
            "q3": hours(waiting["quartile_3"]),
            "low": hours(waiting["min"]),
            "high": hours(waiting["max"]),
        }
        if waiting["delay_hours"] is not None:
            planned = _("Planned: at least %(hours)s hours.") % {
                "hours": number(waiting["delay_hours"], 1)
            }
            if is_simulated:
                planned = f"{planned} " + _("Simulated people may skip the pause.")
            remark = f"{remark} {planned}"
    return Figure(
        _("Waiting time, phases %(first)s and %(second)s")
        % {"first": waiting["from"], "second": waiting["to"]},
        _("%(n)s h") % {"n": hours(waiting["median"])} if waiting["n"] else "–",
        in_words(waiting["definition"]),
        reason=in_words(waiting["reason"]),
        remark=remark,
        is_headline=True,
    )


def diagonal_shown(result: Result) -> Table | None:
    """How many items each diagonal filter keeps; None if there is nothing to filter."""
    diagonal = result.statistics["diagonal"]
    if diagonal["reason"]:
        return None
    rows: list[tuple[Text, list[str]]] = []
    names = sorted(diagonal["expected"], key=lambda name: -diagonal["expected"][name])
    for limit in diagonal["limits"]:
        cells = [
            f"{limit['classes'][name]['n_kept']} / {limit['classes'][name]['n']}" for name in names
        ]
        rows.append((f"N{limit['limit']:g}", [grouped(limit["n_kept"]), *cells]))
    remarks: list[tuple[Text, str, bool]] = [
        (f"N{limit['limit']:g}", in_words(limit["definition"]), False)
        for limit in diagonal["limits"]
    ]
    if n := diagonal["n_left_out"]:
        remark = ngettext(
            "%(n)s item is left out because it lacks a round 1 rating or a class.",
            "%(n)s items are left out because they lack a round 1 rating or a class.",
            n,
        ) % {"n": grouped(n)}
        remarks.append((_("left out"), remark, False))
    header: list[Text] = [_("items kept")]
    header += [f"{name} ({number(diagonal['expected'][name], 1)})" for name in names]
    return Table(
        _("Items near the expected value of their class"),
        header,
        rows,
        remarks,
        file="diagonal_filters",
    )


def definitions(result: Result) -> list[str]:
    """Every text of the page that may name a reference."""
    context = context_shown(result)
    phases = phases_shown(result)
    figures = [figure for phase in phases for figure in phase.figures]
    texts = [text for figure in [*figures, *context.figures] for text in figure.texts]
    tables = [agreement_table(result), context.selected, diagonal_shown(result)]
    for table in (*tables, *(table for phase in phases for table in phase.tables)):
        texts += table.texts if table else []
    return texts
