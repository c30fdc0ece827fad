"""A stored result as the tables and plots of a page: formatting and binning, no statistics."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation import charts
from annotation.models import Result
from annotation.numbers import decimal, grouped
from annotation.reported import in_words
from annotation.services.scoring import GROUP_NAMES

Text = str | Promise
Summary = Mapping[str, Any]


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


@dataclass(frozen=True)
class GroupRemark:
    """What has to be known of some figures of some groups: a reason, a note or a warning."""

    groups: str
    columns: str
    text: str
    # The groups lack these figures, and the means are over the others.
    is_left_out: bool


@dataclass(frozen=True)
class GroupTable:
    name: str
    header: list[Text]
    rows: list[tuple[str, list[str]]]
    # Means over the cells and the pooled answers, set apart at the foot.
    feet: list[tuple[Text, list[str]]]
    remarks: list[GroupRemark]
    plot: "Plot"


@dataclass(frozen=True)
class Plot:
    """A figure as a paper prints it: the drawing, its caption, and the data behind it."""

    # What its files and its address are called by.
    key: str
    title: str
    caption: str
    svg: SafeString
    header: list[Text]
    # As the file has them: every digit, nothing where there is no value.
    data: list[list[str | int | float | None]]
    digits: int = 3

    @property
    def rows(self) -> list[list[str]]:
        """As the page has them."""
        return [
            [
                str(cell) if isinstance(cell, str | int) else number(cell, self.digits)
                for cell in row
            ]
            for row in self.data
        ]


def number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else decimal(value, digits)


def percent(value: float | None) -> str:
    return "–" if value is None else _("%(n)s %%") % {"n": decimal(100 * value, 1)}


def figures(summary: Summary) -> list[Figure]:
    """The numbers of one summary, the most quoted ones first."""
    found = []
    names = {
        "random": _("Split-half reliability, random halves"),
        "fixed": _("Split-half reliability, as GiCCS"),
    }
    for rule, halves in _by_rule(summary):
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


# Column, where it stands in `Summary.figures`, and how it is read from a summary.
_COLUMNS: tuple[tuple[str, Text, bool], ...] = (
    ("split_half.fixed.spearman", gettext_lazy("SHR ρ (GiCCS)"), False),
    ("split_half.random.spearman", gettext_lazy("SHR ρ (random)"), False),
    ("alpha.best.slot", gettext_lazy("α best, slot coding"), False),
    ("alpha.worst.slot", gettext_lazy("α worst, slot coding"), False),
    ("alpha.joint.slot", gettext_lazy("α joint, slot coding"), False),
    ("strong_agreement.best", gettext_lazy("strong, best"), True),
    ("strong_agreement.worst", gettext_lazy("strong, worst"), True),
)


# Groups in one plot: half a metre of bars at most. The table and the data have every group.
MOST_BARS = 60

# Where a statistic of a summary has its value.
_VALUES = {"split_half": "mean", "alpha": "alpha", "strong_agreement": "share"}


def _of(summary: Summary, figure: str) -> float | None:
    kind, *path = figure.split(".")
    value: Any = summary[kind]
    for part in path:
        value = value[part]
    value = value[_VALUES[kind]]
    return None if value is None else float(value)


def _cells(summary: Summary) -> list[str]:
    counts = [grouped(summary[name]) for name in ("n_judgments", "n_tuples", "n_items")]
    return counts + [
        (percent if is_share else number)(_of(summary, figure))
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
    """Reason, note and warning of one figure of a group, and whether it has no value."""
    kind, name, *path = figure.split(".")
    statistic = cell[kind][name]
    if kind == "alpha":
        statistic = statistic[path[0]]
    said = [(statistic.get(key), False) for key in ("note", "warning")]
    if _of(cell, figure) is None:
        said.insert(0, (statistic["reason"], True))
    return [(in_words(text), is_left_out) for text, is_left_out in said if text]


_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def _explanation(text: str) -> str:
    """What a note says after its own counts, which differ from group to group."""
    return text.partition(": ")[2] or text


def in_one(texts: Sequence[str]) -> str:
    """Sentences that differ in their numbers alone as one, with the range of each number."""
    columns = zip(*(_NUMBER.findall(text) for text in texts), strict=True)
    ranges = iter(
        [
            low if low == high else _("%(low)s to %(high)s") % {"low": low, "high": high}
            for column in columns
            for low, high in [(min(column, key=_value), max(column, key=_value))]
        ]
    )
    return _NUMBER.sub(lambda _match: next(ranges), texts[0])


def _value(number: str) -> float:
    """For ordering only: the last point or comma is taken for that of a decimal."""
    *whole, last = re.split("[.,]", number)
    return float(f"{''.join(whole)}.{last}" if whole else last)


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
    notes: dict[str, list[tuple[str, str, str]]] = {}
    for label, cell in cells.items():
        for figure, column, _share in _COLUMNS:
            for text, is_left_out in _said_of(cell, figure):
                if is_left_out:
                    reasons.setdefault((label, text), []).append(str(column))
                elif _explanation(text) not in known:
                    said_before = notes.setdefault(_NUMBER.sub("#", text), [])
                    said_before.append((label, str(column), text))
    groups: dict[tuple[str, str], list[str]] = {}
    for (label, text), named in reasons.items():
        groups.setdefault(("; ".join(named), text), []).append(_in_words(label))
    said = [
        GroupRemark("; ".join(labels), named, text, is_left_out=True)
        for (named, text), labels in groups.items()
    ]
    for of in notes.values():
        labels = dict.fromkeys(_in_words(label) for label, _c, _t in of)
        columns = dict.fromkeys(column for _l, column, _t in of)
        text = in_one([text for _l, _c, text in of])
        said.append(GroupRemark("; ".join(labels), "; ".join(columns), text, is_left_out=False))
    return said


# PostgreSQL keeps the keys of JSON in an order of its own; figures and tables have theirs.
def _by_rule(summary: Summary) -> list[tuple[str, Any]]:
    rules = ("random", "fixed")
    return [(rule, summary["split_half"][rule]) for rule in rules if rule in summary["split_half"]]


def _in_order(cells: Mapping[str, Summary]) -> dict[str, Summary]:
    """By label; numbers in labels by their value."""
    return dict(
        sorted(
            cells.items(),
            key=lambda cell: [
                int(part) if place % 2 else part
                for place, part in enumerate(re.split(r"([0-9]+)", cell[0]))
            ],
        )
    )


def group_tables(result: Result) -> list[GroupTable]:
    """Agreement and reliability by group, as GiCCS's Tables 1 and 3."""
    tables = []
    header: list[Text] = [_("answers"), _("tuples"), _("items")]
    header += [label for _figure, label, _share in _COLUMNS]
    for name, group in result.statistics.get("groups", {}).items():
        cells = _in_order(group["cells"])
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
                rows=[(_in_words(label), _cells(cell)) for label, cell in cells.items()],
                feet=feet,
                remarks=_remarks(cells, result.statistics["overall"]),
                plot=_group_plot(name, title, cells),
            )
        )
    return tables


def _group_plot(name: str, title: str, cells: Mapping[str, Summary]) -> Plot:
    """Agreement of each group: one bar, as far as they find room."""
    values = [(_in_words(label), _of(cell, "alpha.joint.slot")) for label, cell in cells.items()]
    caption = _(
        "Krippendorff's alpha of best and worst picks together (slot coding) in %(groups)s groups"
        " of %(answers)s answers. 1: perfect agreement; 0: what chance gives."
    ) % {
        "groups": grouped(len(cells)),
        "answers": grouped(sum(cell["n_judgments"] for cell in cells.values())),
    }
    drawn = _drawn(cells)
    n_left_out = len(cells) - len(drawn)
    if n_left_out:
        left_out = ngettext(
            "Drawn are the %(drawn)s groups with the most answers; %(n)s more group is in the"
            " table only.",
            "Drawn are the %(drawn)s groups with the most answers; %(n)s more groups are in the"
            " table only.",
            n_left_out,
        ) % {"drawn": len(drawn), "n": grouped(n_left_out)}
        caption = f"{caption} {left_out}"
    return Plot(
        f"agreement-by-{slugify(name)}",
        title,
        caption,
        charts.bars(
            [values[place] for place in drawn],
            title=title,
            x_label=_("alpha, best and worst together (slot coding)"),
            description=caption,
        ),
        [
            GROUP_NAMES.get(name, name),
            _("answers"),
            _("tuples"),
            _("items"),
            _("alpha, best and worst together (slot coding)"),
        ],
        [
            [label, *(cell[n] for n in ("n_judgments", "n_tuples", "n_items")), value]
            for (label, value), cell in zip(values, cells.values(), strict=True)
        ],
    )


def _drawn(cells: Mapping[str, Summary]) -> list[int]:
    """The places of the groups that a plot shows: those of the most answers, in their order."""
    answered = [cell["n_judgments"] for cell in cells.values()]
    return sorted(sorted(range(len(cells)), key=lambda place: -answered[place])[:MOST_BARS])


def plots(result: Result) -> list[Plot]:
    """Every figure of a result, in the order of its page."""
    return [*overall_plots(result), *(table.plot for table in group_tables(result))]


def overall_plots(result: Result) -> list[Plot]:
    scores = list(result.item_scores.order_by("item__number").values_list("score", "appearances"))
    return [
        score_plot([score for score, _n in scores if score is not None], result.n_judgments),
        repeat_plot(result.statistics["overall"]),
        appearance_plot([n for _score, n in scores], result.n_judgments),
    ]


def score_plot(scores: Sequence[float], n_answers: int = 0) -> Plot:
    """How the scores are distributed, in twenty intervals of a tenth."""
    edges = [-1 + k / 10 for k in range(21)]
    # The greatest score belongs to the last interval, not to one of its own.
    counts = Counter(min(int((score + 1) * 10 + 1e-9), 19) for score in scores)
    heights = [counts[k] for k in range(20)]
    title = _("Distribution of scores")
    caption = _(
        "Scores of %(n)s items from %(answers)s answers. The score is the share of the answers"
        " showing an item that chose it as best, minus the share that chose it as worst: from −1"
        " to 1. Each bar is an interval of 0.1."
    ) % {"n": grouped(len(scores)), "answers": grouped(n_answers)}
    return Plot(
        "scores",
        title,
        caption,
        charts.histogram(
            edges,
            heights,
            title=title,
            x_label=_("score (best share minus worst share)"),
            y_label=_("items"),
            description=caption,
        ),
        [_("score from"), _("to"), _("items")],
        [
            [round(low, 1) + 0.0, round(low + 0.1, 1) + 0.0, n]
            for low, n in zip(edges, heights, strict=False)
        ],
        digits=1,
    )


def appearance_plot(appearances: Sequence[int], n_answers: int = 0) -> Plot:
    """How often items were shown in the answers counted."""
    low, high = min(appearances, default=0), max(appearances, default=0)
    width = max(1, -(-(high - low + 1) // 20))
    n_bars = -(-(high - low + 1) // width)
    counts = Counter((n - low) // width for n in appearances)
    heights = [counts[k] for k in range(n_bars)]
    starts = [low + k * width for k in range(n_bars)]
    # A bar stands over its whole numbers; one alone would be as broad as the plot.
    margin = max(0, 5 - n_bars)
    edges = [start - 0.5 for start in range(low - margin * width, high + 1, width)]
    edges += [edges[-1] + width * (k + 1) for k in range(margin + 1)]
    title = _("Appearances")
    says = (
        _("Each of %(n)s items was shown in %(low)s of %(answers)s answers.")
        if low == high
        else _(
            "How many of %(answers)s answers showed each of %(n)s items: from %(low)s to %(high)s."
        )
    )
    caption = says % {
        "answers": grouped(n_answers),
        "n": grouped(len(appearances)),
        "low": grouped(low),
        "high": grouped(high),
    }
    return Plot(
        "appearances",
        title,
        caption,
        charts.histogram(
            edges,
            [0] * margin + heights + [0] * margin,
            title=title,
            x_label=_("answers that showed the item"),
            y_label=_("items"),
            description=caption,
            x_ticks=[start + (width - 1) / 2 for start in starts] if n_bars <= 10 else None,
        ),
        [_("appearances from"), _("to"), _("items")],
        [[start, start + width - 1, n] for start, n in zip(starts, heights, strict=True)],
    )


def repeat_plot(summary: Summary) -> Plot:
    """Split-half reliability in every repeat, by rule."""
    names = {"random": _("random halves"), "fixed": _("as GiCCS")}
    series = [
        (str(names.get(rule, rule)), halves["spearman"]["values"])
        for rule, halves in _by_rule(summary)
    ]
    n = max((len(values) for _name, values in series), default=0)
    title = _("Split-half reliability of each repeat")
    caption = _(
        "Spearman's correlation between the scores from two halves of %(answers)s answers, in each"
        " of %(n)s random splits. Dots: random halves; hollow triangles: halves as GiCCS made"
        " them. Lines: their means."
    ) % {"answers": grouped(summary["n_judgments"]), "n": n}
    return Plot(
        "reliability",
        title,
        caption,
        charts.dots(
            series,
            title=title,
            x_label=_("repeat"),
            y_label=_("Spearman"),
            description=caption,
        ),
        [_("repeat"), *(name for name, _values in series)],
        [
            [k + 1, *(values[k] if k < len(values) else None for _n, values in series)]
            for k in range(n)
        ],
    )
