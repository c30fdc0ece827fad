"""Commands that compare measures with people: correlate, compare."""

import argparse
from typing import TYPE_CHECKING, get_args

import numpy as np

from scoring.command.tables import read_table, write_json, write_table
from scoring.correlation_tests import DependentTest, compare_dependent, compare_independent
from scoring.leaderboard import EVERYTHING, LeaderboardRow, leaderboard, subsets_by_label
from scoring.weighted_correlation import Coefficient
from shell import InputError, OneLineParser, seed

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]

TESTS = (*get_args(DependentTest), "fisher")
OF_TEST = {
    "fisher": ("r1", "n1", "r2", "n2"),
    **dict.fromkeys(get_args(DependentTest), ("r12", "r13", "r23", "n")),
}
INTERVALS = ("fisher", "percentile", "bca")


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    _add_correlate(commands)
    _add_compare(commands)


def _add_correlate(commands: "Commands") -> None:
    parser = commands.add_parser(
        "correlate",
        help="Correlate measures with people's scores",
        description=(
            "Correlate measures with people's scores, by subset.\n"
            "Writes TSV, a row for each subset and measure: subset, measure, n, n_missing, and\n"
            "of Pearson, Spearman and Kendall's tau-b the value, two-sided p and the interval.\n"
            "A measure that is constant in a subset has no value there; reason says so.\n\n"
            "FILE is a table, CSV or TSV. An empty cell is a missing value: that item is left\n"
            "out of the measure's row, and counted. - reads the standard input."
        ),
        epilog=(
            "example:\n"
            "  python -m scoring correlate pairs.csv --human label --measures f1,bleu --by source"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of items; - reads the input")
    parser.add_argument("--human", metavar="COLUMN", required=True, help="people's scores")
    parser.add_argument(
        "--measures", metavar="COLUMN,...", required=True, help="columns of the measures"
    )
    parser.add_argument("--by", metavar="COLUMN", help="a subset for each label in this column")
    parser.add_argument(
        "--interval",
        choices=INTERVALS,
        default="fisher",
        help="Fisher's z, or the bootstrap by percentile or BCa (default: fisher)",
    )
    parser.add_argument(
        "--pools",
        metavar="COLUMN",
        help="draw these whole in the bootstrap; without it, items are drawn",
    )
    parser.add_argument(
        "--resamples", type=_at_least_two, default=1000, help="of the bootstrap (default: 1000)"
    )
    parser.add_argument(
        "--seed", type=seed, default=1, help="whole number that fixes the resamples (default: 1)"
    )
    parser.set_defaults(run=_correlate)


def _at_least_two(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 2 or more")
    return int(text)


def _correlate(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    names = options.measures.split(",")
    if len(set(names)) < len(names):
        raise InputError(f"argument --measures: {options.measures} names a column twice")
    human = table.numbers(options.human)
    measures = {name: table.numbers(name) for name in names}
    if options.pools:
        table.refuse_empty(options.pools)
    if options.by and EVERYTHING in (labels := table.cells(options.by)):
        raise InputError(
            f"line {table.lines[labels.index(EVERYTHING)]}: {options.by} {EVERYTHING!r} names all "
            "items together: give that subset another name"
        )
    is_bootstrap = options.interval != "fisher"
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
    write_table((*columns, "reason"), (_cells(row, options.interval) for row in rows))


def _cells(row: LeaderboardRow, interval: str) -> list[str | int | float]:
    cells: list[str | int | float] = [row.subset, row.measure, row.n, row.n_missing]
    reasons: dict[str, None] = {}
    for correlation in row.correlations.values():
        reach = correlation.intervals[interval]
        cells += [correlation.value, correlation.p_value, reach.low, reach.high]
        if reason := correlation.reason or reach.reason:
            reasons[reason] = None
    return [*cells, "; ".join(reasons)]


def _add_compare(commands: "Commands") -> None:
    parser = commands.add_parser(
        "compare",
        help="Test whether two correlations differ",
        description=(
            "Test whether two correlations differ.\n"
            "Of one set of items (meng, steiger, dunn-clark, williams): r12 against r13,\n"
            "people's scores with either measure; r23 is that of the measures with each other.\n"
            "Of two sets (fisher): r1 of n1 items against r2 of n2. Writes JSON. A positive\n"
            "statistic, and a small p_upper, speak for the first being higher."
        ),
        epilog=(
            "example:\n"
            "  python -m scoring compare --r12 .636 --r13 .693 --r23 .52 --n 64 --test meng\n"
            "  python -m scoring compare --r1 .4 --n1 100 --r2 .5 --n2 100 --test fisher"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for name in ("r12", "r13", "r23"):
        parser.add_argument(f"--{name}", type=float, help="correlation, from -1 to 1")
    parser.add_argument("--n", type=int, help="items that all three were computed from")
    for place in ("1", "2"):
        parser.add_argument(f"--r{place}", type=float, help="of fisher: correlation")
        parser.add_argument(f"--n{place}", type=int, help="of fisher: its items")
    parser.add_argument("--test", choices=TESTS, default="meng", help="(default: meng)")
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    wanted = OF_TEST[options.test]
    for name in (name for names in OF_TEST.values() for name in names):
        is_given = getattr(options, name) is not None
        if is_given != (name in wanted):
            all_wanted = ", ".join(f"--{one}" for one in wanted)
            what = "is not of" if is_given else "is needed by"
            raise InputError(
                f"argument --{name} {what} the test {options.test}, which takes {all_wanted}"
                " (see --help)"
            )
    values = [getattr(options, name) for name in wanted]
    try:
        if options.test == "fisher":
            result = compare_independent(*values)
        else:
            result = compare_dependent(*values, test=options.test)
    except ValueError as error:
        raise InputError(str(error)) from error
    given = dict(zip(wanted, values, strict=True))
    write_json({**result.as_dict(), **given})
