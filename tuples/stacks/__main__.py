"""Draw the stacks of a rating study: python -m tuples.stacks --seed 1."""

import argparse
import string
import sys

from shell import OneLineParser, run, seed
from tuples.command_line import write_certificate, write_lines
from tuples.design import ImpossibleDesignError
from tuples.stacks.certificate import certify_stacks
from tuples.stacks.drawing import make_stacks

DESCRIPTION = """\
Draw who rates which pair, in a study whose pairs come in tuples, such as a
sentence paired with three others. Nobody rates two pairs of the same tuple, and
all people give the same number of ratings (or one more). Writes a header and
one stack per line: the validators of one pair, separated by tabs. The same seed
gives the same stacks."""

EXAMPLE = """\
example:
  python -m tuples.stacks --validators 27 --tuples 50 --ratings 9 --pairs 3 \\
    --arrangement grouped --teams 8 --seed 1 --certificate certificate.json"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run(lambda: _run(_parser().parse_args(arguments)), refusals=(ImpossibleDesignError,))


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m tuples.stacks",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--validators", type=int, default=27, help="validators per team (default: 27)"
    )
    parser.add_argument("--tuples", type=int, default=50, help="tuples per team (default: 50)")
    parser.add_argument("--ratings", type=int, default=9, help="ratings per pair (default: 9)")
    parser.add_argument("--pairs", type=int, default=3, help="pairs per tuple (default: 3)")
    parser.add_argument(
        "--arrangement",
        choices=["free", "grouped"],
        default="free",
        help="free: divide all validators anew for each tuple; grouped: keep fixed groups, whose "
        "members divide a tuple (default: free)",
    )
    parser.add_argument("--teams", type=int, default=1, help="separate teams (default: 1)")
    parser.add_argument(
        "--seed", type=seed, required=True, help="seed, a whole number of 0 or more"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="write the certificate to this file, as JSON"
    )
    return parser


def _run(options: argparse.Namespace) -> None:
    stacks = make_stacks(
        options.validators,
        options.tuples,
        ratings_per_pair=options.ratings,
        pairs_per_tuple=options.pairs,
        arrangement=options.arrangement,
        n_teams=options.teams,
        seed=options.seed,
    )
    # The certificate first: a file that cannot be written leaves no half-finished output behind.
    if options.certificate is not None:
        certificate = certify_stacks(stacks)
        figures = {"seed": options.seed, **certificate.as_dict()}
        write_certificate(options.certificate, figures, certificate.sentences())

    write_lines(["\t".join(["team", "tuple", "pair", *_columns(options.ratings)])])
    names = _names_of_pairs(options.pairs)
    write_lines(
        "\t".join([str(team + 1), str(number + 1), name, *(str(v + 1) for v in members)])
        for number, (team, pairs) in enumerate(
            zip(stacks.team.tolist(), stacks.validators.tolist(), strict=True)
        )
        for name, members in zip(names, pairs, strict=True)
    )


def _columns(n_ratings: int) -> list[str]:
    return [f"validator_{place}" for place in range(1, n_ratings + 1)]


def _names_of_pairs(n_pairs: int) -> list[str]:
    """Name the pairs of a tuple by letters as long as there are some."""
    letters = string.ascii_uppercase
    return (
        list(letters[:n_pairs]) if n_pairs <= len(letters) else [*map(str, range(1, n_pairs + 1))]
    )


if __name__ == "__main__":
    sys.exit(main())
