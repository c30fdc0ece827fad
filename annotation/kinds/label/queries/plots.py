"""A label study's result as plots for a page and a paper: captions, no statistics."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.basics import charts_of_bars
from annotation.basics.numbers import grouped
from annotation.basics.plot import Plot
from annotation.core.queries.summaries import in_order
from annotation.kinds.best_worst.queries.plots import MAX_BARS, MAX_TABLE_ROWS
from annotation.kinds.rating.queries.plots import condition_name
from annotation.models import Result

Statistics = Mapping[str, Any]
# Letters of two names beside a bar, and those that each has at least.
_ROOM, _ROOM_OF_ONE = charts_of_bars.MAX_BAR_NAME - 2, 14


def every_plot(result: Result) -> list[Plot]:
    """Every figure of a label study's result, in the order of its page."""
    names = result.statistics["categories"]["names"]
    return [plot for phase in result.statistics["phases"] for plot in phase_plots(phase, names)]


def phase_plots(phase: Statistics, names: Sequence[str]) -> list[Plot]:
    plots = [
        _distribution(phase, names),
        *(_split(phase, names, split, groups) for split, groups in sorted(phase["by"].items())),
    ]
    return [plot for plot in plots if plot is not None]


def _distribution(phase: Statistics, names: Sequence[str]) -> Plot | None:
    """How often each category was chosen, and how often it is an item's label."""
    summary = phase["summary"]
    n_answers = summary["n_answers"] - summary["n_repeats"]
    if not n_answers:
        return None
    title = _("Categories, %(phase)s") % {"phase": condition_name(phase)}
    caption = ngettext(
        "Share of each category in the %(n)s answer.",
        "Share of each category in the %(n)s answers.",
        n_answers,
    ) % {"n": grouped(n_answers)}
    if summary["several"]:
        caption = f"{caption} {_several()}"
    rows = list(zip(names, summary["categories"], strict=True))
    n_labels = summary["labels"]["n_with_label"]
    return Plot(
        f"categories-{phase['number']}",
        title,
        caption,
        charts_of_bars.bars(
            [(name, category["share"]) for name, category in rows],
            title=title,
            x_label=_("share of the answers"),
            description=caption,
        ),
        [
            _("category"),
            _("answers"),
            _("share of the answers"),
            _("items with this label"),
            _("share of the items with a label"),
        ],
        [
            [
                name,
                category["n_answers"],
                category["share"],
                category["n_labels"],
                category["n_labels"] / n_labels if n_labels else None,
            ]
            for name, category in rows
        ],
    )


def _split(
    phase: Statistics, names: Sequence[str], split: str, split_statistics: Statistics
) -> Plot | None:
    """The same in each domain or source, category by category."""
    groups = {
        label: counts
        for label, counts in in_order(split_statistics["groups"]).items()
        if counts["n_answers"]
    }
    if not groups:
        return None
    splits = {"domain": _("domain"), "source": _("source")}
    title = _("Categories by %(split)s, %(phase)s") % {
        "split": splits[split],
        "phase": condition_name(phase),
    }
    caption = _(
        "Each bar shows the share of a category in the answers to the items of one group, so "
        "groups of different sizes are comparable."
    )
    # Groups of the most answers, so that every category of a group that is drawn has its bar.
    largest = sorted(groups, key=lambda label: -groups[label]["n_answers"])
    drawn = [label for label in groups if label in largest[: max(1, MAX_BARS // len(names))]]
    if len(drawn) < len(groups):
        left_out = _("The figure shows the %(n)s of %(total)s groups with the most answers.") % {
            "n": grouped(len(drawn)),
            "total": grouped(len(groups)),
        }
        caption = f"{caption} {left_out}"
    if phase["summary"]["several"]:
        caption = f"{caption} {_several()}"
    return Plot(
        f"categories-{phase['number']}-by-{slugify(split)}",
        title,
        caption,
        charts_of_bars.bars(
            [
                (
                    _both(name, label or _("unknown")),
                    groups[label]["answers"][k] / groups[label]["n_answers"],
                )
                for k, name in enumerate(names)
                for label in drawn
            ],
            title=title,
            x_label=_("share of the answers"),
            description=caption,
        ),
        [splits[split], _("category"), _("answers"), _("share"), _("items with this label")],
        [
            [
                label,
                name,
                counts["answers"][k],
                counts["answers"][k] / counts["n_answers"],
                counts["labels"][k],
            ]
            for label, counts in groups.items()
            for k, name in enumerate(names)
        ],
        most_rows=MAX_TABLE_ROWS,
    )


def _both(category: str, group: str) -> str:
    """As much of a category and a group as stands beside a bar; the data have both in full."""
    category = _short(category, max(_ROOM_OF_ONE, _ROOM - len(group)))
    return f"{category}: {_short(group, max(_ROOM_OF_ONE, _ROOM - len(category)))}"


def _short(name: str, room: int) -> str:
    return name if len(name) <= room else f"{name[: room - 1]}…"


def _several() -> str:
    return _("Answers may contain several categories, so the shares can add up to more than one.")
