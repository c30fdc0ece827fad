"""Statistics of human judgments from the shell: python -m scoring COMMAND FILE."""

import argparse
import sys

from scoring.command import (
    alternative_annotators,
    best_worst,
    comparing,
    generalizability,
    labels,
    ratings,
)
from shell import OneLineParser, run

DESCRIPTION = """\
Compute statistics of human judgments. The commands read tables as CSV or TSV,
whichever they find, and write TSV or JSON. For an explanation and an example of
a command, type python -m scoring COMMAND --help."""

EXAMPLE = """\
example:
  python -m scoring counting answers.csv
  python -m scoring split-half answers.csv --splits 100 --rule random --seed 1"""

FAMILIES = (best_worst, ratings, generalizability, labels, comparing, alternative_annotators)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run(lambda: _run(arguments))


def _run(arguments: list[str] | None) -> None:
    options = _parser().parse_args(arguments)
    options.run(options)


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m scoring",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for family in FAMILIES:
        family.add_commands(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
