"""A stored result of a selection study as tables and plots: formatting, no statistics."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics import charts
from annotation.basics.numbers import grouped, number
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import Text
from annotation.kinds.rating.queries.figures import Table
from annotation.kinds.rating.queries.plots import bars_of
from annotation.models import Result

Of = Mapping[str, Any]


def class_table(statistics: Of) -> Table:
    """Number, mean and variance of the ratings of each intended class."""
    header: list[Text] = [_("ratings"), _("mean"), _("variance"), _("expected")]
    rows: list[tuple[Text, list[str]]] = [
        (one["name"], [*_moments(one), number(statistics["expected"][one["name"]], 1)])
        for one in statistics["classes"]
    ]
    remarks: list[tuple[Text, str, bool]] = [
        (_("ratings"), in_words(statistics["definition"]), False)
    ]
    return Table(_("Ratings by intended class"), header, rows, remarks + _reasons(statistics))


def _reasons(statistics: Of) -> list[tuple[Text, str, bool]]:
    return [
        (one["name"], in_words(one["reason"]), True)
        for one in statistics["classes"]
        if one["reason"]
    ]


def set_table(statistics: Of) -> Table:
    """Number, mean and variance of the ratings of all pairs and of selections of them."""
    header: list[Text] = [_("pairs"), _("mean"), _("variance")]
    rows: list[tuple[Text, list[str]]] = []
    remarks: list[tuple[Text, str, bool]] = []
    for one in statistics["sets"]:
        name = set_name(one["name"], statistics)
        rows.append((name, _moments(one)))
        if one["reason"]:
            remarks.append((name, in_words(one["reason"]), True))
    return Table(_("All pairs, and those that filters keep"), header, rows, remarks)


def _moments(of: Of) -> list[str]:
    return [grouped(of["n"]), number(of["mean"]), number(of["variance"])]


def set_name(name: str, statistics: Of) -> str:
    """What a set of pairs is called in the active language."""
    kind, _separator, slug = name.partition(":")
    if slug:
        return _("significant effect of context in %(study)s") % {
            "study": statistics["rounds"][slug]
        }
    return {
        "raw": _("raw: all pairs"),
        "N1": _("N1: rating at most 1 from its class"),
        "N2": _("N2: rating at most 2 from its class"),
    }[kind]


def plots(statistics: Of) -> list[Plot]:
    """Ratings by class, and of all classes together."""
    if not sum(statistics["counts"]):
        return []
    return [_class_plot(statistics), _rating_plot(statistics)]


def every_plot(result: Result) -> list[Plot]:
    return plots(result.statistics)


def _class_plot(of: Of) -> Plot:
    bars = bars_of(of["edges"])
    title = _("Ratings by intended class")
    said = "; ".join(
        f"{one['name']}: {number(one['mean'], 2)} ({number(one['variance'], 2)})"
        for one in of["classes"]
    )
    caption = _(
        "How often each rating was given to the pairs chosen for each class, by the person who"
        " chose them. Mean (variance): %(classes)s."
    ) % {"classes": said}
    return Plot(
        "ratings-by-class",
        title,
        caption,
        charts.lines(
            [
                (
                    one["name"],
                    [
                        ((low + high) / 2, n)
                        for (low, high), n in zip(bars, one["counts"], strict=True)
                    ],
                )
                for one in of["classes"]
            ],
            title=title,
            x_label=_("rating"),
            y_label=_("pairs"),
            x=(of["edges"][0], of["edges"][-1]),
            y=(0.0, 0.0),
            description=caption,
        ),
        [_("class"), _("rating from"), _("to"), _("pairs")],
        [
            [one["name"], low, high, n]
            for one in of["classes"]
            for (low, high), n in zip(bars, one["counts"], strict=True)
        ],
        digits=2,
    )


def _rating_plot(of: Of) -> Plot:
    raw = of["sets"][0]
    title = _("Distribution of ratings")
    caption = _("Ratings of %(n)s pairs of all classes: mean %(mean)s, variance %(variance)s.") % {
        "n": grouped(raw["n"]),
        "mean": number(raw["mean"]),
        "variance": number(raw["variance"]),
    }
    return Plot(
        "ratings",
        title,
        caption,
        charts.histogram(
            of["edges"],
            of["counts"],
            title=title,
            x_label=_("rating"),
            y_label=_("pairs"),
            description=caption,
        ),
        [_("rating from"), _("to"), _("pairs")],
        [
            [low, high, n]
            for (low, high), n in zip(bars_of(of["edges"]), of["counts"], strict=True)
        ],
        digits=2,
    )
