"""Commands for best-worst answers: counting, split-half, alpha, rank, compliance."""

import argparse
from typing import TYPE_CHECKING, get_args

import numpy as np

from scoring.best_worst.agreement import Coding, On, alpha
from scoring.best_worst.agreement_interval import alpha_interval
from scoring.best_worst.compliance import compliance
from scoring.best_worst.counting import count
from scoring.best_worst.half_draws import Rule
from scoring.best_worst.half_interval import half_interval
from scoring.best_worst.newton import NotConvergedError
from scoring.best_worst.pools import pools_by_comparison
from scoring.best_worst.ranking import RIDGE, Model, rank
from scoring.best_worst.reliability import OverSplits, split_half
from scoring.command.answers import NamedAnswers, read_answers
from scoring.command.ratings import print_alpha_of_ratings
from scoring.command.tables import write_json, write_table
from scoring.disagreement import Level
from scoring.json_values import JsonObject, json_number
from shell import InputError, OneLineParser, seed

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]

COLUMNS = (
    "FILE is a table, CSV or TSV, with the columns Item1, Item2 ... (the items shown), BestItem\n"
    "and WorstItem (those picked); other columns are ignored. - reads the standard input."
)


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    _add_counting(commands)
    _add_split_half(commands)
    _add_alpha(commands)
    _add_rank(commands)
    _add_compliance(commands)


def _command(commands: "Commands", name: str, *, says: str, example: str) -> OneLineParser:
    parser = commands.add_parser(
        name,
        help=says.split(".", maxsplit=1)[0],
        description=f"{says}\n\n{COLUMNS}",
        epilog=f"example:\n  python -m scoring {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of answers; - reads the input")
    return parser


def _at_least_one(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)


def _above_zero(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def _add_seed(parser: OneLineParser, what: str) -> None:
    parser.add_argument(
        "--seed", type=seed, default=1, help=f"whole number that fixes {what} (default: 1)"
    )


def _add_counting(commands: "Commands") -> None:
    parser = _command(
        commands,
        "counting",
        says=(
            "Score items by counting.\n"
            "Writes TSV, best item first: item, appearances, best, worst, score (share of best\n"
            "less share of worst picks, from -1 to 1) and rescaled (from 0 to 1)."
        ),
        example="counting answers.csv > scores.tsv",
    )
    parser.set_defaults(run=_counting)


def _counting(options: argparse.Namespace) -> None:
    answers = read_answers(options.file)
    counts = count(answers.batch)
    columns = (counts.appearances, counts.best, counts.worst, counts.scores(), counts.rescaled())
    rows = zip(answers.items, *(column.tolist() for column in columns), strict=True)
    best_first = sorted(rows, key=lambda row: (-row[4], row[0]))
    write_table(("item", "appearances", "best", "worst", "score", "rescaled"), best_first)


def _add_split_half(commands: "Commands") -> None:
    parser = _command(
        commands,
        "split-half",
        says=(
            "Split-half reliability of the counting scores.\n"
            "Splits the answers at random into halves, again and again, and correlates the\n"
            "scores from both. Writes JSON; low and high: 2.5 and 97.5 percentiles over splits.\n"
            "interval (of Spearman by the rule random) is the confidence interval: each pool of\n"
            "items that are compared with one another is left out in turn, or each item of few\n"
            "pools, and each person if a column Annotator or WorkerId names 30 or more."
        ),
        example="split-half answers.csv --splits 100 --rule random --seed 1",
    )
    parser.add_argument(
        "--splits", type=_at_least_one, default=100, help="number of splits (default: 100)"
    )
    parser.add_argument(
        "--rule",
        choices=get_args(Rule),
        default="random",
        help="what is split: each tuple's answers, an odd one going to either half (random) or "
        "to the second (fixed); the people, which needs a column Annotator or WorkerId; or the "
        "tuples (default: random)",
    )
    _add_seed(parser, "the splits")
    parser.set_defaults(run=_split_half)


def _split_half(options: argparse.Namespace) -> None:
    answers = read_answers(options.file, needs_people=options.rule == "annotator").batch
    of_halves, of_interval = np.random.default_rng(options.seed).spawn(2)
    result = split_half(answers, rule=options.rule, n_splits=options.splits, rng=of_halves)
    interval = None
    if options.rule == "random":
        pool = pools_by_comparison(answers)
        interval = half_interval(answers, pool=pool, rng=of_interval).as_dict()
    stepped = result.spearman_brown
    over_splits = stepped.over_splits or OverSplits(np.full(options.splits, np.nan))
    why_no_spread: str | None = stepped.reason
    if why_no_spread is None and np.isnan(over_splits.mean):
        why_no_spread = "a split correlates negatively, where the formula exaggerates"
    write_json(
        {
            "rule": result.rule,
            "n_splits": result.n_splits,
            "seed": options.seed,
            "n_items": result.n_items,
            "spearman": _over_splits(result.spearman, result.reason),
            "pearson": _over_splits(result.pearson, result.reason),
            "spearman_brown": {
                "value": json_number(stepped.value),
                **_over_splits(over_splits, why_no_spread),
            },
            "interval": interval,
            "reason": result.reason,
            "note": result.note,
            "definition": result.definition,
        }
    )


def _over_splits(values: OverSplits, why_undefined: str | None) -> JsonObject:
    if why_undefined is None and np.isnan(values.sd):
        why_undefined = "one split has no spread"
    return {
        "mean": json_number(values.mean),
        "sd": json_number(values.sd),
        "low": json_number(values.low),
        "high": json_number(values.high),
        "reason": why_undefined,
    }


def _add_alpha(commands: "Commands") -> None:
    parser = _command(
        commands,
        "alpha",
        says=(
            "Krippendorff's alpha, of best-worst answers or of ratings.\n"
            "Writes JSON; low and high are an interval of 95 %: each pool of items that are\n"
            "compared with one another is left out in turn, or each tuple of few pools, and each\n"
            "person if a column Annotator or WorkerId names 30 or more. With --level,\n"
            "FILE is a table of ratings instead, with the columns annotator, unit and value:\n"
            "then units and people are left out, or pools of units and people if a column pool\n"
            "(of the unit) names six or more."
        ),
        example=(
            "alpha answers.csv --on joint --coding slot\n"
            "  python -m scoring alpha ratings.csv --level interval"
        ),
    )
    parser.add_argument(
        "--on",
        choices=get_args(On),
        help="the picks compared; joint: both, the same only if both are (default: joint)",
    )
    parser.add_argument(
        "--coding",
        choices=get_args(Coding),
        help="what is the same pick: its place in the row where the set of items first occurs, "
        "or the item; uniform: against a random choice (default: slot)",
    )
    parser.add_argument(
        "--level", choices=get_args(Level), help="of ratings: level of measurement"
    )
    parser.set_defaults(run=_alpha)


def _alpha(options: argparse.Namespace) -> None:
    if options.level is not None:
        for name in ("on", "coding"):
            if getattr(options, name) is not None:
                raise InputError(
                    f"argument --{name}: not allowed with argument --level, which is of ratings "
                    "(see --help)"
                )
        print_alpha_of_ratings(options)
        return

    answers = read_answers(options.file).batch
    on: On = options.on or "joint"
    coding: Coding = options.coding or "slot"
    figures = alpha(answers, on=on, coding=coding).as_dict()
    of_interval = alpha_interval(answers, on=on, coding=coding).as_dict()
    write_json(
        {
            "alpha": figures.pop("alpha"),
            "low": of_interval.pop("low"),
            "high": of_interval.pop("high"),
            "n_units": figures.pop("n_units"),
            "n_values": figures.pop("n_values"),
            **figures,
            "interval": of_interval,
        }
    )


def _add_rank(commands: "Commands") -> None:
    parser = _command(
        commands,
        "rank",
        says=(
            "Rank items by utilities fitted to the answers.\n"
            "Writes TSV: item, pool, rank, utility, standard_error and ridge, pool by pool, best\n"
            "item first. Items that a chain of tuples connects are one pool; utilities of two\n"
            "pools are not on one scale. Where an item never loses, or never wins, the estimate\n"
            "does not exist: such a pool is penalised, and ridge is the strength, otherwise 0."
        ),
        example="rank answers.csv --model maxdiff",
    )
    parser.add_argument(
        "--model",
        choices=get_args(Model),
        default="maxdiff",
        help="a Bradley-Terry model of the implied pairs, or the max-diff logit "
        "(default: maxdiff)",
    )
    parser.add_argument(
        "--ridge",
        type=_above_zero,
        default=RIDGE,
        help=f"strength of the penalty where it is needed (default: {RIDGE})",
    )
    parser.set_defaults(run=_rank)


def _rank(options: argparse.Namespace) -> None:
    answers = read_answers(options.file)
    try:
        ranking = rank(answers.batch, model=options.model, ridge=options.ridge)
    except NotConvergedError as error:
        raise InputError(str(error)) from error
    write_table(
        ("item", "pool", "rank", "utility", "standard_error", "ridge"),
        (
            row
            for fit in ranking.fits
            for row in _ranked(
                answers,
                np.flatnonzero(ranking.pool == fit.pool).tolist(),
                ranking.utilities.tolist(),
                ranking.standard_errors.tolist(),
                (fit.pool + 1, fit.ridge),
            )
        ),
    )


def _ranked(
    answers: NamedAnswers,
    of_pool: list[int],
    utilities: list[float],
    errors: list[float],
    pool_and_ridge: tuple[int, float],
) -> list[tuple[str | int | float, ...]]:
    pool, ridge = pool_and_ridge
    by_utility = sorted(of_pool, key=lambda i: (-utilities[i], answers.items[i]))
    return [
        (answers.items[i], pool, place, utilities[i], errors[i], ridge)
        for place, i in enumerate(by_utility, start=1)
    ]


def _add_compliance(commands: "Commands") -> None:
    parser = _command(
        commands,
        "compliance",
        says=(
            "Agreement of each annotator with everybody else.\n"
            "Writes TSV, lowest first: annotator, answers, pairs, left_out and compliance, the\n"
            "share of the pairs implied by the answers that are in the order of the scores from\n"
            "everybody else. Random clicking gives about .5. Needs a column Annotator or WorkerId."
        ),
        example="compliance answers.csv",
    )
    parser.set_defaults(run=_compliance)


def _compliance(options: argparse.Namespace) -> None:
    answers = read_answers(options.file, needs_people=True)
    result = compliance(answers.batch)
    rows = zip(
        (answers.annotators[a] for a in result.annotator.tolist()),
        result.n_judgments.tolist(),
        result.n_pairs.tolist(),
        result.n_left_out.tolist(),
        result.share.tolist(),
        strict=True,
    )
    # nan, of somebody who cannot be compared, sorts after all shares.
    lowest_first = sorted(rows, key=lambda row: (np.isnan(row[4]), row[4], row[0]))
    write_table(("annotator", "answers", "pairs", "left_out", "compliance"), lowest_first)
