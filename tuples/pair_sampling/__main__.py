"""Draw pairs of two columns: python -m tuples.pair_sampling FILE --pairs 500 --seed 1."""

import argparse
import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from shell import InputError, OneLineParser, bytes_of, run, seed
from tuples.pair_sampling import MEASURES, Duplicate, Sample, pair_keys, sample_pairs
from tuples.pair_sampling.duplicates import THRESHOLD

DESCRIPTION = """\
Draw pairs for a rating study from two columns of texts (TSV or CSV) so that
bins of similarity of equal width are filled evenly. The columns can have
different lengths. The first line is a header if it names target and candidate,
text1 and text2, or sentence1 and sentence2. If it also names target_id or
candidate_id, the table keeps these ids, and the ids of pairs are made of them.
Writes a table that can be imported as items. Duplicates and near-duplicates
within a column are left out and reported."""

_NAMES = {
    "target": ("target", "text1", "sentence1"),
    "candidate": ("candidate", "text2", "sentence2"),
    "target_id": ("target_id",),
    "candidate_id": ("candidate_id",),
}
_COLUMN_OF = {name: column for column, names in _NAMES.items() for name in names}


@dataclass
class _Side:
    texts: list[str] = field(default_factory=list)
    # None if there is no column of them.
    ids: list[str] | None = None


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
    parser.add_argument(
        "file", metavar="FILE", help="two columns in UTF-8, or - for standard input"
    )
    parser.add_argument("--pairs", type=int, required=True, help="number of pairs to draw")
    parser.add_argument(
        "--measure",
        choices=MEASURES,
        default="words",
        help="similarity by shared words or by shared character trigrams (default: words)",
    )
    parser.add_argument("--bins", type=int, default=10, help="number of bins (default: 10)")
    parser.add_argument(
        "--max-uses", type=int, default=3, help="maximum number of pairs per text (default: 3)"
    )
    parser.add_argument(
        "--near",
        type=float,
        default=THRESHOLD,
        help=f"trigram similarity from which texts are near-duplicates (default: {THRESHOLD})",
    )
    parser.add_argument(
        "--seed", type=seed, required=True, help="seed, a whole number of 0 or more"
    )
    parser.add_argument(
        "--output", metavar="FILE", help="file for the table (default: standard output)"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.json and not options.output:
        raise InputError("--json prints the report: give a file for the table with --output")
    _refuse_numbers(options)
    sides = _columns(bytes_of(options.file))
    targets, candidates = (side.texts for side in sides)
    sampled = sample_pairs(
        targets,
        candidates,
        n_pairs=options.pairs,
        measure=options.measure,
        n_bins=options.bins,
        max_uses=options.max_uses,
        threshold=options.near,
        seed=options.seed,
    )
    sample = sampled.sample
    places = [(pair.target, pair.candidate) for pair in sampled.pairs]
    keys = pair_keys(places, *(side.ids for side in sides))
    header = ["id", "target", "candidate", "similarity"]
    header += [
        f"{name}_id"
        for name, side in zip(("target", "candidate"), sides, strict=True)
        if side.ids is not None
    ]
    rows = [header]
    for key, pair, of_pair in zip(keys, sampled.pairs, places, strict=True):
        row = [key, targets[pair.target], candidates[pair.candidate], f"{pair.similarity:.4f}"]
        row += [
            side.ids[place]
            for side, place in zip(sides, of_pair, strict=True)
            if side.ids is not None
        ]
        rows.append(row)
    _write(options.output, rows)
    report: dict[str, object] = {
        "seed": options.seed,
        "measure": options.measure,
        "duplicate_targets": [_shown(pair, targets) for pair in sampled.duplicate_targets],
        "duplicate_candidates": [
            _shown(pair, candidates) for pair in sampled.duplicate_candidates
        ],
        **_figures(sample),
        "n_targets": sampled.n_targets,
        "n_candidates": sampled.n_candidates,
        "n_looked_at": sampled.n_looked_at,
        "n_possible": sampled.n_possible,
        "n_identical_pairs": sampled.n_identical,
    }
    if options.json:
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=1) + "\n")
        return
    for sentence in [f"{len(sampled.pairs)} pairs drawn", *sample.sentences]:
        sys.stderr.write(f"{sentence}\n")
    for name in ("targets", "candidates"):
        for pair in report[f"duplicate_{name}"]:  # type: ignore[attr-defined] # a list
            sys.stderr.write(f"left out of the {name}: {pair}\n")


def _refuse_numbers(options: argparse.Namespace) -> None:
    """Refuse numbers that are out of range, by the names of their options."""
    for option in ("pairs", "bins", "max_uses"):
        if (number := getattr(options, option)) < 1:
            raise InputError(f"--{option.replace('_', '-')} is {number}: choose 1 or more")
    if not 0 < options.near <= 1:
        raise InputError(f"--near is {options.near:g}: choose a number above 0, at most 1")


def _figures(sample: Sample) -> dict[str, object]:
    return {
        "n_pairs": len(sample.drawn),
        "bins": [vars(bin_) for bin_ in sample.bins],
        "sentences": sample.sentences,
    }


def _shown(duplicate: Duplicate, texts: list[str]) -> dict[str, object]:
    return {
        "left_out": texts[duplicate.left_out],
        "for": texts[duplicate.first],
        "similarity": round(duplicate.similarity, 4),
        "exact": duplicate.is_exact,
    }


def _columns(content: bytes) -> tuple[_Side, _Side]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start + 1}; save the file as UTF-8") from error
    delimiter = "\t" if "\t" in text.split("\n", 1)[0] else ","
    sides = {"target": _Side(), "candidate": _Side()}
    columns = list(sides)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for number, row in enumerate(reader):
            if not row:
                continue
            if number == 0 and (named := _header(row)):
                columns = named
                for name, side in sides.items():
                    side.ids = [] if f"{name}_id" in columns else None
                continue
            if len(row) != len(columns):
                wanted = "two" if len(columns) == 2 else "as many as the first line"
                raise InputError(
                    f"line {reader.line_num}: {len(row)} columns; each line needs {wanted}, and"
                    " those of one text can be empty"
                )
            _add(dict(zip(columns, row, strict=True)), sides, reader.line_num)
    except csv.Error as error:
        raise InputError(f"line {reader.line_num}: {error}; quote it as CSV does") from error
    for name, side in zip(("first", "second"), sides.values(), strict=True):
        if not side.texts:
            raise InputError(f"the {name} column has no text")
    return sides["target"], sides["candidate"]


def _header(cells: Sequence[str]) -> list[str] | None:
    """The columns that a first line names; None if it has texts."""
    named = [_COLUMN_OF.get(cell.strip().lower(), "") for cell in cells]
    if not {"target", "candidate"} <= set(named):
        return None
    for cell, column in zip(cells, named, strict=True):
        if not column or named.count(column) > 1:
            raise InputError(
                f"line 1: the column {cell!r} is unknown or occurs twice; name target, candidate"
                " and optionally target_id and candidate_id"
            )
    return named


def _add(cells: dict[str, str], sides: dict[str, _Side], line: int) -> None:
    for name, side in sides.items():
        text, key = cells[name], cells.get(f"{name}_id", "").strip()
        if side.ids is not None and bool(text.strip()) != bool(key):
            raise InputError(f"line {line}: give the {name} both a text and an id, or neither")
        if text.strip():
            side.texts.append(text)
            if side.ids is not None:
                side.ids.append(key)


def _write(name: str | None, rows: list[list[str]]) -> None:
    made = io.StringIO(newline="")
    csv.writer(made, delimiter="\t", lineterminator="\n").writerows(rows)
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
