"""The tables of a rating result: what its page shows of each phase and across them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from annotation.core.exports.columns import Column
from annotation.kinds.exports.table_of_result import (
    NOT_COMPUTED,
    ResultTable,
    interval_columns,
    interval_notes,
    number_column,
    reason_column,
    result_table,
)
from annotation.kinds.rating.exports import context_tables

Statistics = Mapping[str, Any]

# What the interval of an ICC of the kinds 2 and 3 takes for granted.
BY_F = "by the F distribution, for normal ratings of people who are equally careful"
# The names in LaTeX, which replace those in the files.
_WORDS = {
    "inter_with_itself": "inter-annotator, mean of all annotators",
    "inter_without_itself": "inter, mean of the others",
    "intra": "intra-annotator, same booklet",
    "intra_earlier_round": "intra-annotator, earlier round",
}


def tables_of(statistics: Statistics) -> list[ResultTable]:
    """The tables for which the result has rows."""
    tables = [
        _statistics(statistics),
        _agreement(statistics),
        context_tables.effects(statistics),
        context_tables.waiting(statistics),
        _decision_study(statistics),
        _calibration(statistics),
        _classes(statistics),
        context_tables.filters(statistics),
        context_tables.correlations(statistics),
        context_tables.sets(statistics),
    ]
    return [table for table in tables if table.records]


class Statistic(NamedTuple):
    """A statistic of a phase."""

    phase: int
    name: str
    # The name in words.
    words: str
    value: float | None
    # The stored figures with the interval, or with the reason why the value is missing.
    details: Statistics
    n: int | None


def _statistics(statistics: Statistics) -> ResultTable:
    """What the page says of each phase: agreement, error bounds, the calibration block."""
    records = [record for phase in statistics["phases"] for record in _of_phase(phase)]
    words = {record.name: record.words for record in records}
    return result_table(
        "phase_statistics",
        "The statistics of each phase, such as agreement. One row for each phase and statistic.",
        [
            Column("phase", "number of the phase", lambda row: row.phase),
            Column(
                "statistic",
                "name of the statistic. "
                + "; ".join(f"`{name}`: {meaning}" for name, meaning in words.items()),
                lambda row: row.name,
            ),
            number_column("value", "value of the statistic", lambda row: row.value),
            *interval_columns(_interval),
            Column(
                "n",
                "number of items; for `typical_human_…` number of people, for `calibration_…`"
                " number of ratings",
                lambda row: row.n,
            ),
            reason_column(lambda row: row.details),
        ],
        records,
        printed=("phase", "statistic", "value", "low", "high", "interval_over", "n"),
        caption="Statistics of each phase, with 95 % intervals and what they generalise to.",
        notes=interval_notes(
            (f"phase {record.phase}, {record.words}", _interval(record))
            for record in records
            if record.value is not None
        ),
        words={**words, "interval_over": "over"},
    )


def _interval(record: Statistic) -> Statistics:
    """The jackknife's where there is one, else the one by the F distribution."""
    details = record.details
    if details.get("interval"):
        interval: Statistics = details["interval"]
        return interval
    if details.get("low") is None or record.value is None:
        return NOT_COMPUTED if record.value is not None else {}
    # ICC(2,.) and ICC(3,.), of which the latter takes the people for given [ShroutFleiss1979].
    over = "people and items" if details["kind"].startswith("2") else "items"
    return {**details, "over": over, "method": BY_F}


def _of_phase(phase: Statistics) -> Iterator[Statistic]:
    """Every statistic of a phase, in the order of the page."""
    number = phase["number"]
    summary = phase["summary"]
    for level in ("interval", "ordinal", "nominal", "ratio"):
        alpha = summary["alpha"][level]
        label = f"Krippendorff's alpha, {level}"
        yield Statistic(number, f"alpha_{level}", label, alpha["alpha"], alpha, alpha["n_units"])
    for kind in ("1,1", "1,k", "2,1", "2,k", "3,1", "3,k"):
        icc = summary["icc"][kind]
        name = f"icc_{kind.replace(',', '_')}"
        yield Statistic(number, name, f"ICC({kind})", icc["icc"], icc, icc["n_units"])
    for kind, label in (
        ("paper", "expected squared error of a score, as in Sido et al. (2024)"),
        ("unbiased", "expected squared error of a score, unbiased"),
    ):
        bound = summary["error_bound"][kind]
        yield Statistic(
            number, f"error_bound_{kind}", label, bound["value"], bound, bound["n_units"]
        )
        yield Statistic(
            number,
            f"error_bound_{kind}_root",
            f"root of the {label.removesuffix(', a mean square')}",
            bound["root"],
            bound,
            bound["n_units"],
        )
    raters = summary["raters"]
    for kind in ("pearson", "spearman"):
        label = f"typical human, {kind.capitalize()}"
        yield Statistic(
            number,
            f"typical_human_{kind}",
            label,
            raters[kind]["mean"],
            raters,
            raters["n_raters"],
        )
    block = phase["calibration"]
    for name, label in (
        ("rmse", "calibration block, root of the mean squared deviation"),
        ("mean_deviation", "calibration block, mean deviation"),
        ("mean_absolute_deviation", "calibration block, mean size of the deviation"),
    ):
        yield Statistic(number, f"calibration_{name}", label, block[name], block, block["n"])
    majority = phase["aggregates"]
    n_rated = majority["n_rated"]
    share = majority["n_with_majority"] / n_rated if n_rated else None
    yield Statistic(
        number,
        "share_with_majority",
        "share of items with one most frequent rating",
        share,
        majority,
        n_rated,
    )
    earlier = phase["earlier_rating"]
    for kind in ("pearson", "spearman"):
        label = f"correlation with the ratings of the study before, {kind.capitalize()}"
        yield Statistic(
            number, f"earlier_rating_{kind}", label, earlier[kind], earlier, earlier["n"]
        )


class OfPhase(NamedTuple):
    """Figures of a phase: of one kind of agreement, or of one intended class."""

    phase: int
    name: str
    figures: Statistics


def _figure(name: str) -> Callable[[OfPhase], Any]:
    return lambda row: row.figures[name]


def _decision_study(statistics: Statistics) -> ResultTable:
    """How reliable the mean of so many ratings would be, in each phase."""
    records = [
        OfPhase(phase["number"], "", row)
        for phase in statistics["phases"]
        for row in phase["generalizability"]["decision_study"]
    ]
    ends = [
        number_column(
            f"{name}_{end}",
            f"{which} end of the 95 % interval of `{name}`, if it has one",
            _figure(f"{kind}_{end}"),
        )
        for name, kind in (("g", "relative"), ("phi", "absolute"))
        for end, which in (("low", "lower"), ("high", "upper"))
    ]
    return result_table(
        "decision_study",
        "How reliable the mean of so many ratings of an item would be [Brennan2001]. One row for"
        " each phase and number of ratings.",
        [
            Column("phase", "number of the phase", lambda row: row.phase),
            Column("ratings", "number of ratings of each item", _figure("n_raters")),
            number_column(
                "g",
                "reliability of differences between items that the same people rate",
                _figure("relative"),
            ),
            *ends[:2],
            number_column(
                "phi",
                "reliability of the scores: people's levels count as error, too",
                _figure("absolute"),
            ),
            *ends[2:],
        ],
        records,
        printed=("phase", "ratings", "g", "g_low", "g_high", "phi", "phi_low", "phi_high"),
        caption="Reliability of the mean of so many ratings of an item, with 95 % intervals.",
    )


def _calibration(statistics: Statistics) -> ResultTable:
    """The items of the calibration block, in each phase."""
    records = [
        OfPhase(phase["number"], item["item"], item)
        for phase in statistics["phases"]
        for item in phase["calibration"]["items"]
    ]
    return result_table(
        "calibration_items",
        "How people rated each item of the calibration block.",
        [
            Column("phase", "number of the phase", lambda row: row.phase),
            Column("item", "id of the item", lambda row: row.name),
            number_column("expected", "known answer of the item", _figure("expected")),
            Column("n", "number of ratings", _figure("n")),
            number_column("mean", "mean of the ratings", _figure("mean")),
            number_column(
                "sd", "standard deviation of the ratings (n - 1 in the denominator)", _figure("sd")
            ),
        ],
        records,
        printed=("phase", "item", "expected", "n", "mean", "sd"),
        caption="Items of the calibration block (sd: n - 1 in the denominator).",
    )


def _agreement(statistics: Statistics) -> ResultTable:
    """Inter- and intra-annotator agreement of each phase."""
    records = [
        OfPhase(phase["number"], name, figures)
        for phase in statistics["phases"]
        for name, figures in (
            ("inter_with_itself", phase["summary"]["inter_annotator"]["with_itself"]),
            ("inter_without_itself", phase["summary"]["inter_annotator"]["without_itself"]),
            ("intra", phase["summary"]["intra_annotator"]),
            ("intra_earlier_round", phase["repeats"]["earlier_round"]),
        )
    ]
    return result_table(
        "agreement",
        "How well people agree with each other, and with their own ratings of the same item.",
        [
            Column("phase", "number of the phase", lambda row: row.phase),
            Column(
                "agreement",
                "what is compared. `inter_with_itself`: each rating with the mean of all ratings"
                " of the item; `inter_without_itself`: each rating with the mean of the other"
                " ratings; `intra`: a repeated rating with the same person's first rating in the"
                " booklet; `intra_earlier_round`: a rating with the same person's rating in the"
                " earlier round",
                lambda row: row.name,
            ),
            Column("n", "number of compared pairs of values", _figure("n")),
            number_column("pearson", "Pearson's correlation", _figure("pearson")),
            number_column("spearman", "Spearman's correlation", _figure("spearman")),
            number_column("rmse", "root of the mean squared difference", _figure("rmse")),
            number_column("mse", "mean squared difference", _figure("mse")),
            reason_column(lambda row: row.figures),
        ],
        records,
        printed=("phase", "agreement", "n", "pearson", "spearman", "rmse", "mse"),
        caption="Inter- and intra-annotator agreement.",
        words=_WORDS,
    )


def _classes(statistics: Statistics) -> ResultTable:
    """Scores by intended class, in each phase."""
    records = [
        OfPhase(phase["number"], name, figures)
        for phase in statistics["phases"]
        for name, figures in sorted(
            phase["by_class"]["classes"].items(), key=lambda entry: -(entry[1]["mean"] or 0)
        )
    ]
    return result_table(
        "scores_by_class",
        "Scores by intended class, which is the class that an item was chosen for before anybody"
        " rated it.",
        [
            Column("phase", "number of the phase", lambda row: row.phase),
            Column("class", "the intended class", lambda row: row.name),
            Column("n", "number of items with a score", _figure("n")),
            number_column("mean", "mean of the scores", _figure("mean")),
            number_column(
                "sd", "standard deviation of the scores (n - 1 in the denominator)", _figure("sd")
            ),
            number_column("variance", "square of `sd`", _variance),
            reason_column(lambda row: row.figures),
        ],
        records,
        printed=("phase", "class", "n", "mean", "sd", "variance"),
        caption="Scores by intended class (sd and variance: n - 1 in the denominator).",
    )


def _variance(row: OfPhase) -> float | None:
    sd: float | None = row.figures["sd"]
    return None if sd is None else sd**2
