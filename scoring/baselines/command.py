"""The command `python -m scoring.baselines`: a table of pairs in, the report of measures out."""

import argparse
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from scoring.arrays import BoolArray, FloatArray
from scoring.baselines.asked import ALL, KINDS, AskedMeasure, lexical_measures, model_measures
from scoring.baselines.expression import FUNCTIONS, DescribedPair, compile_condition
from scoring.baselines.latex import IntervalMethod, latex_by_subset, latex_of_subset
from scoring.baselines.lexical import LEXICAL, lexical_values
from scoring.baselines.pair_table import (
    compute,
    refuse_unwritable,
    side_by_side,
    write_values,
)
from scoring.baselines.pairs import Pair
from scoring.baselines.report import BaselineReport, baseline_report
from scoring.baselines.subsets import by_condition, by_f1_zero, by_label, by_word_overlap, together
from scoring.baselines.tables import correlations_tsv, differences_tsv
from scoring.command.tables import Table, read_table, write_json
from scoring.decimals import decimals_in
from scoring.measures.correlation_tests import DifferenceTest
from scoring.measures.noise_ceiling import NoiseCeiling, noise_ceiling_of_deviations
from scoring.measures.weighted_correlation import Coefficient
from shell import InputError, OneLineParser, at_least_two, run, seed

FORMATS = ("tsv", "differences", "latex", "json")

FUNCTION_LINES = textwrap.fill(", ".join(FUNCTIONS) + ".", 79)
DESCRIPTION = f"""\
Compute measures of how similar two texts are, and compare them with people's
scores of the same pairs.

FILE is a table of pairs, CSV or TSV, whichever is found. Texts are used as they
are: an empty cell is an empty text, and None and nan are words. A pair without
a score from people is left out of the correlations and counted as missing.

Measures that need no model; the second text is the reference:
  {", ".join(list(LEXICAL)[:6])},
  {", ".join(list(LEXICAL)[6:])}
METEOR matches exact words and Porter's stems by default; you can change this,
as in meteor:stemmer=german or meteor:synonyms=wordnet.

Measures that need a model, each with its own --model KIND:NAME. KIND is one of
  {", ".join(KINDS)}
and NAME is a folder or file, as a path or relative to the folder of models.
Settings follow, as in bi_encoder:MODEL,revision=REVISION. python -m
scoring.neural computes these measures; `make models` installs what it needs.

Conditions (--where) are written as in Python, with first, second, columns and
{FUNCTION_LINES}

--columns adds measures that the file already has. If one has the name of a
computed measure, it is reported as "NAME (column)"."""

EXAMPLE = """\
example:
  python -m scoring.baselines pairs.csv --first answer1 --second answer2 \\
    --human label --measures squad_f1,rouge_l,bleu --columns sas \\
    --subset f1-zero --where 'has_digit(first)' --values values.tsv"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    return run(lambda: _run(_parser().parse_args(arguments)))


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m scoring.baselines",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="table of pairs, or - for standard input")
    for name, what in (
        ("first", "column of the first text"),
        ("second", "column of the second text, the reference"),
        ("human", "column of people's scores"),
    ):
        parser.add_argument(f"--{name}", metavar="COLUMN", required=True, help=what)
    parser.add_argument(
        "--measures",
        metavar="KEY,...",
        help=f"measures that need no model, or {ALL} (default: {ALL}, unless others are named)",
    )
    parser.add_argument(
        "--model", metavar="KIND:NAME", action="append", default=[], help="a measure and its model"
    )
    parser.add_argument("--columns", metavar="COLUMN,...", help="columns that hold measures")
    subsets = parser.add_argument_group(
        "subsets of the pairs, besides all pairs; each option can be repeated"
    )
    subsets.add_argument(
        "--subset",
        choices=("word-overlap", "f1-zero"),
        action="append",
        default=[],
        help="subsets by whether the texts share a word, or whether their SQuAD F1 is 0",
    )
    subsets.add_argument(
        "--by",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a subset for each label in this column",
    )
    subsets.add_argument(
        "--where",
        metavar="CONDITION",
        action="append",
        default=[],
        help="subsets by whether a condition holds, such as has_digit(first)",
    )
    figures = parser.add_argument_group("intervals and tests")
    figures.add_argument(
        "--pools",
        metavar="COLUMN",
        help="column of pools: intervals and tests are over pools instead of pairs",
    )
    figures.add_argument(
        "--resamples",
        type=_resamples,
        default=1000,
        help="resamples of the bootstrap (default: 1000); 0: only Fisher's intervals",
    )
    figures.add_argument(
        "--seed",
        type=seed,
        default=1,
        help="seed of the resamples, a whole number of 0 or more (default: 1)",
    )
    figures.add_argument(
        "--test",
        choices=get_args(DifferenceTest),
        default="jackknife",
        help="test of the difference between two measures (default: jackknife)",
    )
    figures.add_argument(
        "--round",
        type=decimals_in,
        metavar="N",
        help="round measures to N decimals before they are correlated (3 in the literature on "
        "STSS-131); every format says so",
    )
    figures.add_argument(
        "--deviation",
        metavar="COLUMN",
        help="column of the standard deviation of people's ratings, for the noise ceiling",
    )
    figures.add_argument(
        "--raters",
        type=at_least_two,
        help="number of people who rated each pair, for the noise ceiling",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=FORMATS,
        default="tsv",
        help="tsv: correlations; differences: differences between every two measures, as TSV; "
        "latex: a table; json: everything (default: tsv)",
    )
    output.add_argument(
        "--coefficient",
        choices=get_args(Coefficient),
        default="pearson",
        help="coefficient in the LaTeX table of several subsets; the table of one subset has all "
        "coefficients (default: pearson)",
    )
    output.add_argument(
        "--interval",
        choices=get_args(IntervalMethod),
        help="interval in the LaTeX table; TSV has all intervals",
    )
    output.add_argument(
        "--values", metavar="FILE", help="write the table with all values of the measures, as TSV"
    )
    models = parser.add_argument_group("location of the models")
    models.add_argument(
        "--models",
        metavar="FOLDER",
        default=os.environ.get("LIKENESS_MODELS", ""),
        help="folder of models (default: LIKENESS_MODELS)",
    )
    models.add_argument(
        "--store", metavar="FOLDER", help="folder in which vectors of texts are kept for reuse"
    )
    return parser


def _resamples(text: str) -> int:
    return 0 if text == "0" else at_least_two(text)


def _run(options: argparse.Namespace) -> None:
    measures = _asked(options)
    column_names = _names("--columns", options.columns)
    if not measures and not column_names:
        raise InputError("argument --measures: no measure is named")
    table = read_table(options.file)
    pairs = [
        Pair(first, second)
        for first, second in zip(
            table.cells(options.first), table.cells(options.second), strict=True
        )
    ]
    human = table.numbers(options.human)
    columns = {name: table.numbers(name) for name in column_names}
    ceiling = _ceiling(options, table, human)
    subsets = _subsets(options, table, pairs)
    if options.pools:
        table.refuse_empty(options.pools)
    if options.values:
        refuse_unwritable(options.values, table_file=options.file)

    computed = compute(
        measures,
        pairs,
        models=Path(options.models) if options.models else None,
        store=Path(options.store) if options.store else None,
        progress=_tell if sys.stderr.isatty() else lambda name, share: None,
    )
    if options.values:
        write_values(options.values, table, computed)
    if options.format == "latex":
        computed = {measure.title: computed[measure.name] for measure in measures}
    try:
        report = baseline_report(
            human,
            side_by_side(computed, columns),
            subsets=subsets,
            pools=np.array(table.cells(options.pools)) if options.pools else None,
            ceilings=ceiling,
            n_resamples=options.resamples,
            test=options.test,
            decimals=options.round,
            rng=np.random.default_rng(options.seed),
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    if options.format == "json":
        write_json(report.as_dict())
    else:
        sys.stdout.buffer.write(_written(report, options).encode())


def _asked(options: argparse.Namespace) -> list[AskedMeasure]:
    """What is to be computed: what is named, or if nothing is, all that needs no model."""
    is_named = options.measures is not None or options.model or options.columns
    lexical = options.measures if is_named else ALL
    measures = [*lexical_measures(lexical or ""), *model_measures(options.model)]
    names = [measure.name for measure in measures]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"argument --measures or --model: {twice[0]} is named twice")
    return measures


def _names(argument: str, text: str | None) -> list[str]:
    names = [] if text is None else text.split(",")
    if len(set(names)) < len(names):
        raise InputError(f"argument {argument}: {text} names a column twice")
    return names


def _subsets(
    options: argparse.Namespace, table: Table, pairs: Sequence[Pair]
) -> dict[str, BoolArray]:
    """The subsets that are asked for, and all pairs at the end."""
    divisions = []
    try:
        for name in dict.fromkeys(options.subset):
            if name == "word-overlap":
                divisions.append(by_word_overlap(pairs))
            else:
                divisions.append(by_f1_zero(lexical_values("squad_f1", pairs)))
        divisions += [by_label(name, table.cells(name)) for name in dict.fromkeys(options.by)]
        for text in dict.fromkeys(options.where):
            condition = compile_condition(text)
            columns = {name: table.cells(name) for name in condition.names}
            selected = condition.select(
                DescribedPair(
                    pair.first,
                    pair.second,
                    {name: cells[place] for name, cells in columns.items()},
                )
                for place, pair in enumerate(pairs)
            )
            for name, n_without in selected.n_without.items():
                _note(f"{n_without} of {len(pairs)} pairs lack {name}, which {text} needs")
            divisions.append(by_condition(condition, selected))
        return together(*divisions, n_items=len(pairs))
    except ValueError as error:
        raise InputError(str(error)) from error


def _ceiling(options: argparse.Namespace, table: Table, human: FloatArray) -> NoiseCeiling | None:
    if options.deviation is None:
        if options.raters is not None:
            raise InputError("argument --raters needs --deviation")
        return None
    try:
        return noise_ceiling_of_deviations(human, table.numbers(options.deviation), options.raters)
    except ValueError as error:
        raise InputError(f"argument --deviation: {error}") from error


def _note(sentence: str) -> None:
    sys.stderr.buffer.write(f"note: {sentence}\n".encode(errors="backslashreplace"))


def _tell(name: str, share: float) -> None:
    """Say on the terminal how much of a measure is done."""
    end = "\n" if share >= 1 else ""
    sys.stderr.write(f"\r{name}: {share:.0%}{end}")
    sys.stderr.flush()


def _written(report: BaselineReport, options: argparse.Namespace) -> str:
    figures = report.as_dict()
    if options.format == "tsv":
        return correlations_tsv(figures)
    if options.format == "differences":
        return differences_tsv(figures)
    if len(report.subsets) > 1:
        return latex_by_subset(figures, coefficient=options.coefficient, interval=options.interval)
    return latex_of_subset(figures, interval=options.interval)
