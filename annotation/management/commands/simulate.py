"""`manage.py simulate STUDY`: lets simulated annotators answer a study."""

import csv
import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.basics.categories import SEPARATOR
from annotation.basics.errors import AnnotationError
from annotation.core.exports.columns import Column, lines
from annotation.kinds.registry import KINDS, kind_of
from annotation.kinds.taste import Taste
from annotation.management.studies import STUDY_HELP, study_named
from annotation.models import Study
from annotation.simulation import over_http, through_services
from annotation.simulation.browser import SimulationError
from annotation.simulation.through_services import SimulationCounts

_USUAL_NOISE = "; ".join(kind.simulation.noise_in_words for kind in KINDS.values())


class Command(BaseCommand):
    help = (
        "Let simulated annotators answer an open study. They have places of their own, and their"
        " answers are never scored or exported together with real ones."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "--annotators",
            type=int,
            default=20,
            help="number of simulated annotators (default: 20)",
        )
        parser.add_argument(
            "--noise",
            type=float,
            help="0: the annotators follow the latent scores; inf: they click at random (default:"
            f" {_USUAL_NOISE})",
        )
        parser.add_argument("--seed", type=int, default=1, help="seed (default: 1)")
        parser.add_argument(
            "--booklets-each",
            type=int,
            default=0,
            help="booklets per annotator (default: as many as the study allows)",
        )
        parser.add_argument("--latent", type=Path, help="TSV with id and latent score to use")
        parser.add_argument(
            "--write-latent", type=Path, help="TSV file to write, with id and latent score"
        )
        parser.add_argument(
            "--over-http", action="store_true", help="use the pages of a running server"
        )
        parser.add_argument(
            "--base-url",
            default=f"http://127.0.0.1:{os.environ.get('PORT') or 8000}/",
            help="address of that server (default: %(default)s)",
        )
        parser.add_argument(
            "--at-once",
            type=int,
            default=50,
            help="with --over-http: maximum number of people at a time (default: 50)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        if options["annotators"] < 1:
            raise CommandError("--annotators: choose 1 or more.")
        if options["seed"] < 0:
            raise CommandError("--seed: choose 0 or more.")
        part = kind_of(study).simulation
        for option, reason in (
            ("latent", part.why_none_are_read),
            ("write_latent", part.why_none_are_written),
        ):
            if options[option] and reason:
                raise CommandError(reason)
        try:
            taste = part.taste(
                study,
                noise=options["noise"],
                seed=options["seed"],
                given=_read_latent(options["latent"]) if options["latent"] else None,
            )
            common: dict[str, Any] = {
                "study": study,
                "taste": taste,
                "n_annotators": options["annotators"],
                "booklets_each": options["booklets_each"],
                "progress": self._show,
            }
            if options["over_http"]:
                done = over_http.answer(
                    **common, base=options["base_url"], at_once=options["at_once"]
                )
            else:
                done = through_services.answer(**common)
        except (AnnotationError, SimulationError) as error:
            raise CommandError(str(error)) from error
        if options["write_latent"]:
            _write_latent(options["write_latent"], study, taste)
        if sys.stderr.isatty():
            self.stderr.write("")
        if done.n_annotators < options["annotators"]:
            self.stderr.write(
                f"Only {done.n_annotators} of {options['annotators']} simulated people took part:"
                " all their places are taken."
            )
        self.stdout.write(
            json.dumps(
                {
                    "study": study.slug,
                    "annotators": done.n_annotators,
                    "booklets": done.n_booklets,
                    "answers": done.n_answers,
                }
            )
        )

    def _show(self, so_far: SimulationCounts) -> None:
        if sys.stderr.isatty():
            self.stderr.write(
                f"\r{so_far.n_booklets} booklets, {so_far.n_answers} answers", ending=""
            )


def _read_latent(path: Path) -> dict[str, float]:
    latent = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.reader(file, delimiter="\t"), start=1):
                if line == 1 and row[1:] == ["latent"]:
                    continue
                try:
                    key, score = row
                    latent[key] = float(score)
                except ValueError:
                    raise CommandError(
                        f"{path}, line {line}: write an item's id, a tab and a number."
                    ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from error
    return latent


def _write_latent(path: Path, study: Study, taste: Taste) -> None:
    latent = taste.latent
    columns = [
        Column("id", "of the item", lambda item: item.key),
        Column("latent", "what simulated people go by", lambda item: _written(latent[item.pk])),
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines(columns, study.items.order_by("number").only("pk", "key")))


def _written(latent: float | Iterable[str]) -> str:
    """A score with all its digits, or categories."""
    return repr(latent) if isinstance(latent, float) else SEPARATOR.join(latent)
