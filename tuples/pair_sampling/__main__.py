"""Draw pairs of two columns: python -m tuples.pair_sampling FILE --pairs 500 --seed 1."""

import argparse
import csv
import io
import json
import sys

from shell import InputError, OneLineParser, bytes_of, run, seed
from tuples.pair_sampling import MEASURES, Duplicate, Sample, sample_pairs
from tuples.pair_sampling.duplicates import THRESHOLD

DESCRIPTION = """\
Draw pairs for a rating study from two columns of texts (TSV or CSV; they need
not be equally long), so that equally wide bins of similarity are filled evenly.
A first line is a header if it says target and candidate, text1 and text2 or
sentence1 and sentence2. Writes a table that can be imported as items. What is
there twice, also nearly, is left out and reported."""

_HEADERS = {("target", "candidate"), ("text1", "text2"), ("sentence1", "sentence2")}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run(lambda: _run(_parser().parse_args(arguments)), refusals=(ValueError,))


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m tuples.pair_sampling",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="two columns, UTF-8; - reads the input")
    parser.add_argument("--pairs", type=int, required=True, help="how many are drawn")
    parser.add_argument("--measure", choices=MEASURES, default="words", help="default: words")
    parser.add_argument("--bins", type=int, default=10, help="of similarity (default: 10)")
    parser.add_argument(
        "--max-uses", type=int, default=3, help="pairs that a text is in, at most (default: 3)"
    )
    parser.add_argument(
        "--near",
        type=float,
        default=THRESHOLD,
        help=f"similarity of trigrams from which texts are nearly the same (default: {THRESHOLD})",
    )
    parser.add_argument("--seed", type=seed, required=True, help="whole number, 0 or more")
    parser.add_argument("--output", metavar="FILE", help="the table (default: standard output)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.json and not options.output:
        raise InputError("--json prints the report: name a file for the table with --output")
    targets, candidates = _columns(bytes_of(options.file))
    found = sample_pairs(
        targets,
        candidates,
        n_pairs=options.pairs,
        measure=options.measure,
        n_bins=options.bins,
        max_uses=options.max_uses,
        threshold=options.near,
        seed=options.seed,
    )
    sample = found.sample
    rows = [
        (
            f"p{number}",
            targets[one.target],
            candidates[one.candidate],
            f"{one.similarity:.4f}",
        )
        for number, one in enumerate(found.pairs, start=1)
    ]
    _write(options.output, rows)
    report: dict[str, object] = {
        "seed": options.seed,
        "measure": options.measure,
        "duplicate_targets": [_shown(one, targets) for one in found.duplicate_targets],
        "duplicate_candidates": [_shown(one, candidates) for one in found.duplicate_candidates],
        **_figures(sample),
        "n_targets": found.n_targets,
        "n_candidates": found.n_candidates,
        "n_looked_at": found.n_looked_at,
        "n_possible": found.n_possible,
        "n_identical_pairs": found.n_identical,
    }
    if options.json:
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=1) + "\n")
        return
    for said in [f"{len(rows)} pairs drawn", *sample.sentences]:
        sys.stderr.write(f"{said}\n")
    for name in ("targets", "candidates"):
        for one in report[f"duplicate_{name}"]:  # type: ignore[attr-defined] # a list
            sys.stderr.write(f"left out of the {name}: {one}\n")


def _figures(sample: Sample) -> dict[str, object]:
    return {
        "n_pairs": len(sample.drawn),
        "bins": [vars(one) for one in sample.bins],
        "sentences": sample.sentences,
    }


def _shown(one: Duplicate, texts: list[str]) -> dict[str, object]:
    return {
        "left_out": texts[one.left_out],
        "for": texts[one.kept],
        "similarity": round(one.similarity, 4),
        "exact": one.is_exact,
    }


def _columns(content: bytes) -> tuple[list[str], list[str]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from error
    delimiter = "\t" if "\t" in text.split("\n", 1)[0] else ","
    columns: tuple[list[str], list[str]] = ([], [])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for number, row in enumerate(reader):
            if not row:
                continue
            if len(row) != 2:
                raise InputError(
                    f"line {reader.line_num}: {len(row)} columns; each line needs two, of which"
                    " one may be empty"
                )
            if number == 0 and tuple(cell.strip().lower() for cell in row) in _HEADERS:
                continue
            for cell, column in zip(row, columns, strict=True):
                if cell.strip():
                    column.append(cell)
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}; quote it as CSV does") from error
    for name, column in zip(("first", "second"), columns, strict=True):
        if not column:
            raise InputError(f"the {name} column has no text")
    return columns


def _write(name: str | None, rows: list[tuple[str, str, str, str]]) -> None:
    made = io.StringIO(newline="")
    writer = csv.writer(made, delimiter="\t", lineterminator="\n")
    writer.writerow(("id", "target", "candidate", "similarity"))
    writer.writerows(rows)
    if name is None:
        sys.stdout.buffer.write(made.getvalue().encode())
        return
    try:
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(made.getvalue())
    except OSError as error:
        raise InputError(f"cannot write {name}: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main())
