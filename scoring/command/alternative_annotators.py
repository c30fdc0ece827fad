"""May a model answer in place of people? From a table in which the model is one annotator."""

import argparse
from typing import TYPE_CHECKING

import numpy as np

from scoring.alternative_annotator import EPSILONS, alternative_annotator_test
from scoring.arrays import BoolArray, FloatArray
from scoring.command.labels import read_labels
from scoring.command.ratings import read_ratings
from scoring.command.tables import Table, read_table, write_json
from scoring.labels.labels import Labels
from scoring.ratings.ratings import Ratings
from shell import InputError, OneLineParser

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    parser = commands.add_parser(
        "alternative-annotator",
        help="Test whether a model may answer in place of people",
        description=(
            "Alternative annotator test: whether a model may answer in place of people.\n"
            "Writes JSON: against what share of the people the model wins, and whether it\n"
            "passes. Lists have the order of annotators_named.\n\n"
            "FILE is a table, CSV or TSV, as for the commands ratings (columns annotator, unit\n"
            "and value) or labels (annotator, unit and categories). The model is one of the\n"
            "annotators, and its ratings are on the scale of the people."
        ),
        epilog=(
            "example:\n  python -m scoring alternative-annotator ratings.csv --model gpt "
            "--epsilon 0.15"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of answers, or - for standard input")
    parser.add_argument("--model", metavar="NAME", required=True, help="the annotator to test")
    parser.add_argument(
        "--epsilon",
        type=float,
        default=EPSILONS[0],
        help="bonus of the model: 0.1 if people are a crowd (default), 0.15 if they are trained, "
        "0.2 if they are experts",
    )
    parser.set_defaults(run=_test)


def _test(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    batch, annotators = _answers(table)
    if options.model not in annotators:
        raise InputError(f"argument --model: {options.model!r} is not among the annotators")
    if not 0 <= options.epsilon <= 1:
        raise InputError(f"argument --epsilon: {options.epsilon:g} is not between 0 and 1")
    is_model = batch.annotator == annotators.index(options.model)
    test = alternative_annotator_test(
        batch.of_rows(~is_model), _of_model(batch, is_model), epsilon=options.epsilon
    )
    write_json({"annotators_named": [*annotators], "model": options.model, **test.as_dict()})


def _answers(table: Table) -> tuple[Ratings | Labels, list[str]]:
    if "categories" in table.columns:
        labels = read_labels(table)
        return labels.batch, labels.annotators
    ratings = read_ratings(table, "as the test of a model needs")
    return ratings.batch, ratings.annotators


def _of_model(batch: Ratings | Labels, is_model: BoolArray) -> FloatArray:
    """What the model says of each unit; nan where it says nothing."""
    rows = batch.of_rows(is_model).first_answers()
    values = rows.value if isinstance(rows, Ratings) else rows.chosen.argmax(axis=1)
    of_units = np.full(batch.n_units, np.nan)
    of_units[rows.unit] = values
    return of_units
