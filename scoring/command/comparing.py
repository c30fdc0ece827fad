"""Commands that compare measures with people: correlate, compare, compare-raters."""

import argparse
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from scoring.arrays import FloatArray
from scoring.bootstrap import Interval
from scoring.command.tables import read_table, write_json, write_table
from scoring.decimals import decimals_in, rounded
from scoring.measures.correlation_samples import one_sample_t_test, two_sample_t_test
from scoring.measures.correlation_tests import (
    CorrelationTest,
    DependentTest,
    compare_dependent,
    compare_independent,
    compare_with_value,
)
from scoring.measures.difference_intervals import (
    DEFINITIONS,
    interval_against_value,
    interval_of_dependent,
    interval_of_independent,
    interval_of_non_overlapping,
)
from scoring.measures.four_variables import (
    FourCorrelations,
    NonOverlappingTest,
    compare_non_overlapping,
)
from scoring.measures.leaderboard import EVERYTHING, LeaderboardRow, leaderboard, subsets_by_label
from scoring.measures.sample_tests import SampleScale
from scoring.measures.weighted_correlation import Coefficient
from shell import InputError, OneLineParser, at_least_two, seed

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]

NON_OVERLAPPING = {f"non-overlapping-{name}": name for name in get_args(NonOverlappingTest)}
OF_FOUR = ("r12", "r34", "r13", "r14", "r23", "r24")
OF_TEST = {
    **dict.fromkeys(get_args(DependentTest), ("r12", "r13", "r23", "n")),
    "fisher": ("r1", "n1", "r2", "n2"),
    "one-sample": ("r", "n", "value"),
    **dict.fromkeys(NON_OVERLAPPING, (*OF_FOUR, "n")),
}
INTERVALS = ("fisher", "percentile", "bca")


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    _add_correlate(commands)
    _add_compare(commands)
    _add_compare_raters(commands)


def _add_correlate(commands: "Commands") -> None:
    parser = commands.add_parser(
        "correlate",
        help="Correlate measures with people's scores",
        description=(
            "Correlate measures with people's scores, by subset.\n"
            "Writes TSV, a row for each subset and measure: subset, measure, n, n_missing; the\n"
            "value, two-sided p and interval of Pearson, Spearman and Kendall's tau-b; decimals\n"
            "(those of --round) and reason. A measure that is constant in a subset has no value\n"
            "there; reason says so.\n\n"
            "FILE is a table, CSV or TSV. An empty cell is a missing value: the item is left out\n"
            "of the measure's row and counted as missing."
        ),
        epilog=(
            "example:\n"
            "  python -m scoring correlate pairs.csv --human label --measures f1,bleu --by source"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of items, or - for standard input")
    parser.add_argument(
        "--human", metavar="COLUMN", required=True, help="column of people's scores"
    )
    parser.add_argument(
        "--measures", metavar="COLUMN,...", required=True, help="columns of the measures"
    )
    parser.add_argument(
        "--round",
        type=decimals_in,
        metavar="N",
        help="first round the measures to N decimals (3 in the literature on STSS-131)",
    )
    parser.add_argument(
        "--by", metavar="COLUMN", help="make a subset for each label in this column"
    )
    parser.add_argument(
        "--interval",
        choices=INTERVALS,
        help="fisher: Fisher's z (with --pools, its standard error is over pools); percentile,"
        " bca: bootstrap (default: fisher; with --pools, bca)",
    )
    parser.add_argument(
        "--pools",
        metavar="COLUMN",
        help="column of pools: the bootstrap draws whole pools, and p is over pools (default: both"
        " are over items)",
    )
    parser.add_argument(
        "--resamples",
        type=at_least_two,
        default=1000,
        help="resamples of the bootstrap (default: 1000)",
    )
    parser.add_argument(
        "--seed",
        type=seed,
        default=1,
        help="seed of the resamples, a whole number of 0 or more (default: 1)",
    )
    parser.set_defaults(run=_correlate)


def _correlate(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    names = options.measures.split(",")
    if len(set(names)) < len(names):
        raise InputError(f"argument --measures: {options.measures} names a column twice")
    human = table.numbers(options.human)
    measures = {name: rounded(table.numbers(name), options.round) for name in names}
    if options.pools:
        table.refuse_empty(options.pools)
    if options.by and EVERYTHING in (labels := table.cells(options.by)):
        raise InputError(
            f"line {table.lines[labels.index(EVERYTHING)]}: {options.by} {EVERYTHING!r} names all "
            "items together: give that subset another name"
        )
    method = options.interval or ("bca" if options.pools else "fisher")
    is_bootstrap = method != "fisher"
    try:
        rows = leaderboard(
            human,
            measures,
            subsets=subsets_by_label(table.cells(options.by)) if options.by else None,
            n_resamples=options.resamples if is_bootstrap else 0,
            pools=np.array(table.cells(options.pools)) if options.pools else None,
            rng=np.random.default_rng(options.seed),
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    columns = ["subset", "measure", "n", "n_missing"]
    for coefficient in get_args(Coefficient):
        columns += [
            coefficient,
            *(f"{coefficient}_{figure}" for figure in ("p", "low", "high")),
        ]
    decimals = "" if options.round is None else options.round
    write_table(
        (*columns, "decimals", "reason"),
        (_cells(row, method, decimals) for row in rows),
    )


def _cells(row: LeaderboardRow, interval: str, decimals: int | str) -> list[str | int | float]:
    cells: list[str | int | float] = [row.subset, row.measure, row.n, row.n_missing]
    reasons: dict[str, None] = {}
    for correlation in row.correlations.values():
        reach = correlation.intervals[interval]
        cells += [correlation.value, correlation.p_value, reach.low, reach.high]
        for reason in (correlation.reason or reach.reason, correlation.p_reason):
            if reason:
                reasons[reason] = None
    return [*cells, decimals, "; ".join(reasons)]


def _add_compare(commands: "Commands") -> None:
    parser = commands.add_parser(
        "compare",
        help="Test whether two correlations differ",
        description=(
            "Test whether two correlations differ.\n"
            "One set of items (meng, steiger, dunn-clark, williams): r12 against r13, the\n"
            "correlations of people's scores with two measures; r23 is that of the two measures.\n"
            "One set, no variable in common (non-overlapping-...): r12 against r34.\n"
            "Two sets (fisher): r1 of n1 items against r2 of n2 items.\n"
            "A stated value (one-sample): r of n items against value.\n"
            "Writes JSON: the test, the difference and its 95 % interval. A positive statistic\n"
            "with a small p_upper means that the first correlation is higher."
        ),
        epilog=(
            "example:\n"
            "  python -m scoring compare --r12 .636 --r13 .693 --r23 .52 --n 64 --test meng\n"
            "  python -m scoring compare --r1 .4 --n1 100 --r2 .5 --n2 100 --test fisher\n"
            "  python -m scoring compare --r .636 --n 64 --value .825 --test one-sample"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    names = dict.fromkeys(name for of_test in OF_TEST.values() for name in of_test)
    for name in names:
        if name.startswith("n"):
            parser.add_argument(f"--{name}", type=int, help="number of items")
        else:
            parser.add_argument(f"--{name}", type=float, help="correlation, from -1 to 1")
    parser.add_argument(
        "--test", choices=list(OF_TEST), default="meng", help="test (default: meng)"
    )
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    wanted = OF_TEST[options.test]
    others = [name for names in OF_TEST.values() for name in names if name not in wanted]
    for name in (*wanted, *others):
        is_given = getattr(options, name) is not None
        if is_given != (name in wanted):
            all_wanted = ", ".join(f"--{option}" for option in wanted)
            what = "is not used by" if is_given else "is needed by"
            raise InputError(
                f"argument --{name} {what} the test {options.test}, which needs {all_wanted}"
                " (see --help)"
            )
    values = [getattr(options, name) for name in wanted]
    try:
        result, interval = _tested(options.test, values)
    except ValueError as error:
        raise InputError(str(error)) from error
    given = dict(zip(wanted, values, strict=True))
    # Of each test the second correlation is the second that it takes, or the stated value.
    second = next(name for name in ("value", "r34", "r2", "r13") if name in given)
    write_json(
        {
            **result.as_dict(),
            "difference": values[0] - given[second],
            "interval": {**interval.as_dict(), "definition": DEFINITIONS[interval.method]},
            **given,
        }
    )


def _tested(test: str, values: list[Any]) -> tuple[CorrelationTest, Interval]:
    if test == "fisher":
        return compare_independent(*values), interval_of_independent(*values)
    if test == "one-sample":
        r, n, value = values
        return compare_with_value(r, n, value), interval_against_value(r, n, value)
    if test in NON_OVERLAPPING:
        *correlations, n = values
        four = FourCorrelations(*correlations)
        return (
            compare_non_overlapping(four, n, test=NON_OVERLAPPING[test]),
            interval_of_non_overlapping(four, n),
        )
    result = compare_dependent(*values, test=cast("DependentTest", test))
    return result, interval_of_dependent(*values)


def _add_compare_raters(commands: "Commands") -> None:
    parser = commands.add_parser(
        "compare-raters",
        help="Test raters' correlations against a measure's or another group's",
        description=(
            "Test raters' correlations with the mean of the other raters. Their mean is compared\n"
            "with one correlation, such as a measure's (is it as good as a typical person?), or\n"
            "with the mean of another group of raters, by Student's t test. Writes JSON.\n\n"
            "FILE is a table, CSV or TSV, with one rater per row, such as annotators.tsv of an\n"
            "export. A rater with an empty cell is left out."
        ),
        epilog=(
            "example:\n"
            "  python -m scoring compare-raters annotators.tsv --value .636\n"
            "  python -m scoring compare-raters annotators.tsv --other earlier/annotators.tsv"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of raters, or - for standard input")
    parser.add_argument(
        "--column", default="pearson", help="column of the correlations (default: pearson)"
    )
    parser.add_argument("--value", type=float, help="correlation to compare with")
    parser.add_argument("--other", metavar="FILE", help="table of another group of raters")
    parser.add_argument(
        "--phase", help="use only rows with this phase; needed if there are several"
    )
    parser.add_argument(
        "--welch", action="store_true", help="for two groups: do not assume equal variances"
    )
    parser.add_argument(
        "--scale",
        choices=get_args(SampleScale),
        default="raw",
        help="correlations as they are, as STSS-131 does, or as Fisher's z (default: raw)",
    )
    parser.set_defaults(run=_compare_raters)


def _compare_raters(options: argparse.Namespace) -> None:
    if (options.value is None) == (options.other is None):
        raise InputError("argument --value or --other: give exactly one of them")
    if options.welch and options.other is None:
        raise InputError("argument --welch is for two groups: give --other")
    first = _raters(options.file, options)
    try:
        if options.other is None:
            result = one_sample_t_test(first, options.value, scale=options.scale)
        else:
            result = two_sample_t_test(
                first,
                _raters(options.other, options),
                equal_variances=not options.welch,
                scale=options.scale,
            )
    except ValueError as error:
        raise InputError(str(error)) from error
    write_json(result.as_dict())


def _raters(file: str, options: argparse.Namespace) -> FloatArray:
    table = read_table(file)
    correlations = table.numbers(options.column)
    if "phase" not in table.columns:
        if options.phase is not None:
            raise InputError(f"argument --phase: {file} has no column phase")
        return correlations
    phases = table.cells("phase")
    if options.phase is None:
        if len(set(phases)) > 1:
            raise InputError(f"{file} has several phases: name one with --phase")
        return correlations
    if options.phase not in phases:
        raise InputError(f"argument --phase: {file} has no row of phase {options.phase}")
    return correlations[[phase == options.phase for phase in phases]]
