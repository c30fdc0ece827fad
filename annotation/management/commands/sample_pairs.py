"""`manage.py sample_pairs FILE`: pairs for a rating study, from two columns of texts."""

import json
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.errors import AnnotationError
from annotation.items.services.sampled_pairs import EVERY_MEASURE, PairSamplingOptions, sample
from annotation.management.progress import ProgressLine

# By which option each field is given, for what is wrong with it.
OPTIONS = {
    "n_pairs": "--pairs",
    "seed": "--seed",
    "n_bins": "--bins",
    "max_uses": "--max-uses",
    "threshold": "--near",
    "measure": "--measure",
    "model": "--model",
}


class Command(BaseCommand):
    help = (
        "Draw pairs for a rating or label study from two columns of texts (TSV or CSV), so that"
        " bins of similarity are filled evenly; the table can be imported as items. A first line"
        " may name the columns: target, candidate and, where the texts have ids, target_id and"
        " candidate_id. What is there twice, also nearly, is left out and reported."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="two columns of texts, UTF-8")
        parser.add_argument("--pairs", type=int, required=True, help="how many are drawn")
        parser.add_argument("--seed", type=int, required=True, help="whole number, 0 or more")
        parser.add_argument("--output", type=Path, required=True, help="the table of pairs")
        parser.add_argument(
            "--measure",
            choices=EVERY_MEASURE,
            default="words",
            help="shared words (the default) or character trigrams; embedding: the cosine of what"
            " a model makes of the texts; mean: of words and embedding",
        )
        parser.add_argument(
            "--model",
            default="",
            help="for embedding and mean, the sentence encoder: a folder below LIKENESS_MODELS,"
            " or a name of the hub",
        )
        parser.add_argument("--bins", type=int, default=10, help="of similarity (default: 10)")
        parser.add_argument(
            "--max-uses", type=int, default=3, help="pairs that a text is in, at most (default: 3)"
        )
        parser.add_argument(
            "--near",
            type=float,
            default=0.85,
            help="similarity from which texts are nearly the same (default: 0.85)",
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        pair_options = PairSamplingOptions(
            **{name: options[option[2:].replace("-", "_")] for name, option in OPTIONS.items()}
        )
        try:
            pair_options.check(OPTIONS)
        except AnnotationError as error:
            raise CommandError(error.message, returncode=2) from error
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"{path}: there is no such file")
        line = ProgressLine(self.stderr)
        try:
            with TemporaryDirectory() as folder:
                outcome = sample(path, pair_options, line.show, folder=Path(folder))
        except AnnotationError as error:
            raise CommandError(error.message) from error
        finally:
            line.end()
        try:
            options["output"].write_text(outcome.table, encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{options['output']}: {error.strerror}") from error
        figures = outcome.figures
        if options["json"]:
            self.stdout.write(json.dumps(figures, ensure_ascii=False))
            return
        self.stdout.write(f"{figures['n_drawn']} of {figures['n_pairs']} pairs drawn.")
        for counts in figures["bins"]:
            self.stdout.write(
                f"{counts['low']:.2f} to {counts['high']:.2f}: {counts['n_drawn']} of"
                f" {counts['n_candidates']} available pairs, {counts['n_used_up']} with texts"
                " used up"
            )
        self.stdout.write(
            f"Left out as duplicates: {figures['n_duplicate_targets']} of the first column,"
            f" {figures['n_duplicate_candidates']} of the second."
        )
