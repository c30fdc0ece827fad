"""A stored result as the plots of a page and of a paper: binning and captions, no statistics."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation import charts
from annotation.models import Result
from annotation.numbers import grouped, number
from annotation.queries.summaries import Summary, by_rule, value_of
from annotation.services.scoring import GROUP_NAMES

Text = str | Promise

# Groups in one plot: half a metre of bars at most. The table and the data have every group.
MOST_BARS = 60


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
        for rule, halves in by_rule(summary)
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


def group_plot(name: str, title: str, labels: Sequence[str], cells: Sequence[Summary]) -> Plot:
    """Agreement of each group: one bar, as far as they find room."""
    values = [
        (label, value_of(cell, "alpha.joint.slot"))
        for label, cell in zip(labels, cells, strict=True)
    ]
    caption = _(
        "Krippendorff's alpha of best and worst picks together (slot coding) in %(groups)s groups"
        " of %(answers)s answers. 1: perfect agreement; 0: what chance gives."
    ) % {
        "groups": grouped(len(cells)),
        "answers": grouped(sum(cell["n_judgments"] for cell in cells)),
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
            for (label, value), cell in zip(values, cells, strict=True)
        ],
    )


def _drawn(cells: Sequence[Summary]) -> list[int]:
    """The places of the groups that a plot shows: those of the most answers, in their order."""
    answered = [cell["n_judgments"] for cell in cells]
    return sorted(sorted(range(len(cells)), key=lambda place: -answered[place])[:MOST_BARS])
