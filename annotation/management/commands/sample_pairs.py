"""`manage.py sample_pairs FILE`: draws pairs for a study from two columns of texts."""

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
        "Draw pairs for a rating or label study from two columns of texts (TSV or CSV) so that"
        " bins of similarity are filled evenly. The resulting table can be imported as items. The"
        " first line can name the columns target and candidate and, if the texts have ids,"
        " target_id and candidate_id. Duplicates and near-duplicates within a column are left out"
        " and reported."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="two columns of texts, in UTF-8")
        parser.add_argument("--pairs", type=int, required=True, help="number of pairs to draw")
        parser.add_argument(
            "--seed", type=int, required=True, help="seed, a whole number of 0 or more"
        )
        parser.add_argument(
            "--output", type=Path, required=True, help="file for the table of pairs"
        )
        parser.add_argument(
            "--measure",
            choices=EVERY_MEASURE,
            default="words",
            help="measure of similarity. words: shared words (default); characters: shared"
            " character trigrams; embedding: cosine of the model's vectors; mean: mean of words"
            " and embedding",
        )
        parser.add_argument(
            "--model",
            default="",
            help="sentence encoder for embedding and mean: a folder below LIKENESS_MODELS or a"
            " name on the hub",
        )
        parser.add_argument("--bins", type=int, default=10, help="number of bins (default: 10)")
        parser.add_argument(
            "--max-uses", type=int, default=3, help="maximum number of pairs per text (default: 3)"
        )
        parser.add_argument(
            "--near",
            type=float,
            default=0.85,
            help="trigram similarity from which texts are near-duplicates (default: 0.85)",
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
            raise CommandError(f"{path}: no such file")
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
                f" {counts['n_candidates']} available pairs drawn; {counts['n_used_up']} not drawn"
                " because a text is used up"
            )
        self.stdout.write(
            f"Left out as duplicates: {figures['n_duplicate_targets']} of the first column,"
            f" {figures['n_duplicate_candidates']} of the second."
        )
