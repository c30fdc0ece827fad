"""A stored result of a selection study as tables and plots: formatting, no statistics."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from annotation.basics import charts
from annotation.basics.numbers import grouped, number, percent
from annotation.basics.plot import Plot
from annotation.basics.sentences import in_words
from annotation.kinds.best_worst.queries.figures import Figure, Text
from annotation.kinds.rating.queries.plots import bars_of
from annotation.kinds.rating.queries.tables import Table
from annotation.models import Result

Statistics = Mapping[str, Any]


def headlines(statistics: Statistics) -> list[Figure]:
    """The cards above the plots: how many pairs there are, and how well they fit their class."""
    by_name = {each["name"]: each for each in statistics["sets"]}
    raw = by_name["raw"]
    cards = [
        Figure(
            _("Pairs chosen and rated"),
            grouped(raw["n"]),
            definition="",
            meaning=_("In the next round, other people rate each pair."),
        )
    ]
    for name, label in (
        ("N1", _("Rated within 1 of the expected value")),
        ("N2", _("Rated within 2 of the expected value")),
    ):
        share = by_name[name]["n"] / raw["n"] if raw["n"] else None
        n = grouped(by_name[name]["n"])
        cards.append(
            Figure(
                label,
                percent(share),
                definition="",
                meaning=_(
                    "Pairs with a rating near the expected value of their intended class: %(n)s."
                )
                % {"n": n},
            )
        )
    return cards


def class_table(statistics: Statistics) -> Table:
    """Number, mean and variance of the ratings of each intended class."""
    header: list[Text] = [_("ratings"), _("mean"), _("variance"), _("expected")]
    rows: list[tuple[Text, list[str]]] = [
        (
            row["name"],
            [
                *_moments(row),
                number(statistics["expected"][row["name"]], 1),
            ],
        )
        for row in statistics["classes"]
    ]
    remarks: list[tuple[Text, str, bool]] = [
        (_("ratings"), in_words(statistics["definition"]), False)
    ]
    return Table(_("Ratings by intended class"), header, rows, remarks + _reasons(statistics))


def _reasons(statistics: Statistics) -> list[tuple[Text, str, bool]]:
    return [
        (row["name"], in_words(row["reason"]), True)
        for row in statistics["classes"]
        if row["reason"]
    ]


def set_table(statistics: Statistics) -> Table:
    """Number, mean and variance of the ratings of all pairs and of selections of them."""
    header: list[Text] = [_("pairs"), _("mean"), _("variance")]
    rows: list[tuple[Text, list[str]]] = []
    remarks: list[tuple[Text, str, bool]] = []
    for set_statistics in statistics["sets"]:
        name = set_name(set_statistics["name"], statistics)
        rows.append((name, _moments(set_statistics)))
        if set_statistics["reason"]:
            remarks.append((name, in_words(set_statistics["reason"]), True))
    return Table(_("All pairs and filtered pairs"), header, rows, remarks)


def _moments(moments: Statistics) -> list[str]:
    return [grouped(moments["n"]), number(moments["mean"]), number(moments["variance"])]


def set_name(name: str, statistics: Statistics) -> str:
    """What a set of pairs is called in the active language."""
    kind, _separator, slug = name.partition(":")
    if slug:
        sentence = {
            "paired": _("p < 0.05 (not corrected) for context in %(study)s, paired t-test"),
            "pooled": _("p < 0.05 (not corrected) for context in %(study)s, pooled t-test"),
        }[statistics["tests"][slug]]
        return sentence % {"study": statistics["rounds"][slug]}
    return {
        "raw": _("raw: all pairs"),
        "N1": _("N1: rating at most 1 from the expected value of its class"),
        "N2": _("N2: rating at most 2 from the expected value of its class"),
    }[kind]


def plots(statistics: Statistics) -> list[Plot]:
    """Ratings by class, and of all classes together."""
    if not sum(statistics["counts"]):
        return []
    return [_class_plot(statistics), _rating_plot(statistics)]


def every_plot(result: Result) -> list[Plot]:
    return plots(result.statistics)


def _class_plot(statistics: Statistics) -> Plot:
    bars = bars_of(statistics["edges"])
    title = _("Ratings by intended class")
    moments = "; ".join(
        f"{row['name']}: {number(row['mean'], 2)} ({number(row['variance'], 2)})"
        for row in statistics["classes"]
    )
    caption = _(
        "Frequency of each rating in each intended class; the person who chose a pair also "
        "rated it. Mean (variance): %(classes)s."
    ) % {"classes": moments}
    return Plot(
        "ratings-by-class",
        title,
        caption,
        charts.lines(
            [
                (
                    row["name"],
                    [
                        ((low + high) / 2, n)
                        for (low, high), n in zip(bars, row["counts"], strict=True)
                    ],
                )
                for row in statistics["classes"]
            ],
            title=title,
            x_label=_("rating"),
            y_label=_("pairs"),
            x=(statistics["edges"][0], statistics["edges"][-1]),
            y=(0.0, 0.0),
            description=caption,
        ),
        [_("class"), _("rating from"), _("to"), _("pairs")],
        [
            [row["name"], low, high, n]
            for row in statistics["classes"]
            for (low, high), n in zip(bars, row["counts"], strict=True)
        ],
        digits=2,
    )


def _rating_plot(statistics: Statistics) -> Plot:
    raw = statistics["sets"][0]
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
            statistics["edges"],
            statistics["counts"],
            title=title,
            x_label=_("rating"),
            y_label=_("pairs"),
            description=caption,
        ),
        [_("rating from"), _("to"), _("pairs")],
        [
            [low, high, n]
            for (low, high), n in zip(
                bars_of(statistics["edges"]), statistics["counts"], strict=True
            )
        ],
        digits=2,
    )
