"""A generalizability study of ratings from a table with the columns annotator, unit and value."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from scoring.command.ratings import places_of, pools_of, read_ratings
from scoring.command.tables import read_table, write_json
from scoring.ratings.generalizability import generalizability
from shell import OneLineParser

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[OneLineParser]


def add_commands(commands: "Commands") -> None:
    """Add the commands of this family."""
    parser = commands.add_parser(
        "generalizability",
        help="Variance components of ratings, and how many raters a study needs",
        description=(
            "Variance components of ratings, and how many raters a study needs.\n"
            "Writes JSON: the variances of items, people and the residual with their shares,\n"
            "the reliability of the mean of 1 to 20 ratings of each item (relative: G, absolute:\n"
            "Phi) with intervals, and the fewest raters for .7, .8 and .9.\n\n"
            "FILE is a table, CSV or TSV, with the columns annotator, unit and value. Optional\n"
            "columns are order (place in the annotator's order, from 0) and pool (of the unit;\n"
            "for the intervals, six or more pools are left out as a whole). If someone rates a\n"
            "unit twice, only the first rating counts."
        ),
        epilog="example:\n  python -m scoring generalizability ratings.csv",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of ratings, or - for standard input")
    parser.set_defaults(run=_generalizability)


def _generalizability(options: argparse.Namespace) -> None:
    table = read_table(options.file)
    batch = read_ratings(table, "as variance components need").batch
    pool = pools_of(table, batch.unit, n_units=batch.n_units)
    study = generalizability(replace(batch, order=places_of(table)), pool=pool)
    write_json(study.as_dict())
