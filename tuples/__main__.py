"""Make the tuples of a list of items: python -m tuples ITEMS --size 4 --factor 2 --seed 1."""

import argparse
import sys

from shell import InputError, OneLineParser, bytes_of, run, seed
from tuples.certificate import certify
from tuples.command_line import write_certificate, write_lines
from tuples.design import ImpossibleDesignError, make_tuples

DESCRIPTION = """\
Make the tuples of a best-worst study from a list of items, one item per line.
Writes one tuple per line, its items separated by tabs. Every item is in the
same number of tuples (or in one more), no tuple occurs twice, and pairs meet as
evenly as possible. The same seed gives the same tuples."""

EXAMPLE = """\
example:
  printf '%s\\n' one two three four five > items.txt
  python -m tuples items.txt --size 3 --factor 2 --seed 1 --certificate certificate.json"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run(lambda: _run(_parser().parse_args(arguments)), refusals=(ImpossibleDesignError,))


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m tuples",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "items", metavar="ITEMS", help="file of items in UTF-8, or - for standard input"
    )
    parser.add_argument("--size", type=int, default=4, help="items per tuple (default: 4)")
    parser.add_argument(
        "--factor",
        type=float,
        default=2,
        help="number of tuples as a multiple of the items (default: 2)",
    )
    parser.add_argument(
        "--seed", type=seed, required=True, help="seed, a whole number of 0 or more"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="write the certificate to this file, as JSON"
    )
    return parser


def _run(options: argparse.Namespace) -> None:
    items = _items(bytes_of(options.items))
    tuples = make_tuples(len(items), size=options.size, factor=options.factor, seed=options.seed)
    # The certificate first: a file that cannot be written leaves no half-finished output behind.
    if options.certificate is not None:
        certificate = certify(tuples, n_items=len(items))
        figures = {"seed": options.seed, **certificate.as_dict()}
        write_certificate(options.certificate, figures, certificate.sentences())
    write_lines("\t".join(items[i] for i in members) for members in tuples.tolist())


def _items(content: bytes) -> list[str]:
    """Read one item a line; refuse what could not be told apart in the output."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        raise InputError("there are no items")
    first_line: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        try:
            item = line.removesuffix(b"\r").decode()
        except UnicodeDecodeError as error:
            raise InputError(f"line {number}: not UTF-8 ({error.reason})") from error
        if not item.strip():
            raise InputError(f"line {number}: empty; each line holds one item")
        for character, its_name in (("\t", "a tab"), ("\0", "NUL"), ("\r", "a carriage return")):
            if character in item:
                raise InputError(
                    f"line {number}: {its_name} in an item; it could not be told from the "
                    "separators of the output"
                )
        if item in first_line:
            raise InputError(f"line {number}: {item!r} is already on line {first_line[item]}")
        first_line[item] = number
    return list(first_line)


if __name__ == "__main__":
    sys.exit(main())
