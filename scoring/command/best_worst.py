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
    "and WorstItem (the items picked); other columns are ignored."
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
    parser.add_argument("file", metavar="FILE", help="table of answers, or - for standard input")
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
        "--seed",
        type=seed,
        default=1,
        help=f"seed of {what}, a whole number of 0 or more (default: 1)",
    )


def _add_counting(commands: "Commands") -> None:
    parser = _command(
        commands,
        "counting",
        says=(
            "Score items by counting.\n"
            "Writes TSV, best item first: item, appearances, best, worst, score (share of best\n"
            "picks minus share of worst picks, from -1 to 1) and rescaled (from 0 to 1)."
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
            "Splits the answers into random halves many times and correlates the scores of the\n"
            "two halves. Writes JSON; low and high are the 2.5 and 97.5 percentiles over the\n"
            "splits. interval is a confidence interval of Spearman's correlation, for the rule\n"
            "random. It comes from leaving out each pool of items that are compared with one\n"
            "another in turn, or each item if there are few pools, and each person if a column\n"
            "Annotator or WorkerId names 30 or more."
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
        help="what is split. random: the answers of each tuple, where an odd one goes to either "
        "half; fixed: as random, but it goes to the second half; balanced: as random, but each "
        "tuple has the same weight in both halves; annotator: the people, which needs a column "
        "Annotator or WorkerId; tuple: the tuples (default: random)",
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
        why_no_spread = "a split has a negative correlation, which the formula exaggerates"
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
        why_undefined = "a single split has no spread"
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
            "Krippendorff's alpha of best-worst answers or ratings.\n"
            "Writes JSON; low and high are the ends of a 95 % interval. It comes from leaving\n"
            "out each pool of items that are compared with one another in turn, or each tuple if\n"
            "there are few pools, and each person if a column Annotator or WorkerId names 30 or\n"
            "more. With --level, FILE is instead a table of ratings with the columns annotator,\n"
            "unit and value. Then units and people are left out, or pools of units and people if\n"
            "a column pool names six or more."
        ),
        example=(
            "alpha answers.csv --on joint --coding slot\n"
            "  python -m scoring alpha ratings.csv --level interval"
        ),
    )
    parser.add_argument(
        "--on",
        choices=get_args(On),
        help="picks to compare. best, worst: only these; stacked: both, as separate units; joint: "
        "both together, which agree only if both are the same (default: joint)",
    )
    parser.add_argument(
        "--coding",
        choices=get_args(Coding),
        help="when two picks are the same. slot: the same place in the row where the set of items "
        "first occurs; item: the same item; uniform: as slot, but chance agreement is that of "
        "random choices (default: slot)",
    )
    parser.add_argument(
        "--level", choices=get_args(Level), help="for ratings: level of measurement"
    )
    parser.set_defaults(run=_alpha)


def _alpha(options: argparse.Namespace) -> None:
    if options.level is not None:
        for name in ("on", "coding"):
            if getattr(options, name) is not None:
                raise InputError(
                    f"argument --{name}: not allowed with argument --level, which is for ratings "
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
            "item first. Items that are connected by a chain of tuples form a pool; utilities of\n"
            "different pools are not on the same scale. If an item never loses or never wins, no\n"
            "estimate exists: such a pool is penalised, and ridge is the strength of the\n"
            "penalty. For other pools, ridge is 0."
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
        help=f"strength of the penalty if one is needed (default: {RIDGE})",
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
            "Writes TSV, lowest first: annotator, answers, pairs, left_out and compliance. An\n"
            "answer implies an order of pairs of items; compliance is the share of these pairs\n"
            "that have the same order in everybody else's scores. Random clicking gives about\n"
            ".5. Needs a column Annotator or WorkerId."
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
