"""`manage.py train STUDY`: a model trained on some items of a study, and tested on others."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnnotationError
from annotation.management.written import named_values, source_of
from annotation.models import Job, Study
from annotation.services import jobs
from annotation.services.baselines import refuse_without_pairs
from annotation.services.training import KINDS, Training
from scoring.neural.training import TrainingSettings

# By name what reads it: int, float or str.
_SETTINGS = {name: type(value) for name, value in asdict(TrainingSettings()).items()}


class Command(BaseCommand):
    help = (
        "Train a bi-encoder (two towers) or a cross-encoder on what people said, test it, and"
        " print what it found as JSON. Models are kept below the folder of models, in trained/."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="short name of the study whose items are trained on")
        parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
        parser.add_argument(
            "--model", required=True, help="what it starts from: a folder, or a name of the hub"
        )
        parser.add_argument("--revision", default="", help="which one of the model it must be")
        parser.add_argument(
            "--people",
            default="result",
            metavar="SOURCE",
            help="what people said: result, phase:1, or column:mean (default: result)",
        )
        parser.add_argument(
            "--where",
            default="",
            help="items to train on; without --tests it is tested on the others",
        )
        parser.add_argument(
            "--tests",
            default="",
            metavar="STUDY",
            help="short name of the study that it is tested on; of ratings the conditions apart,"
            " and the items on which context has an effect",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help=f"a setting ({', '.join(_SETTINGS)}); may be given again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study {options['study']!r}.")
        if study.jobs.filter(kind=Job.Kind.TRAIN, state__in=Job.UNFINISHED).exists():
            raise CommandError(f"A model is being trained on {study.slug} already.")
        try:
            refuse_without_pairs(study)
            training = Training(
                kind=options["kind"],
                model=options["model"],
                people=source_of(options["people"]),
                where=options["where"],
                tests=options["tests"],
                revision=options["revision"],
                settings=_settings(options["set"]),
            )
        except AnnotationError as error:
            raise CommandError(error.message) from error
        job = jobs.run_here(study=study, kind=Job.Kind.TRAIN, parameters=training.as_json())
        if job.state == Job.State.FAILED:
            raise CommandError("\n".join(job.problems))
        self.stdout.write(json.dumps(job.parameters["figures"], indent=1))


def _settings(parts: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in named_values(parts, _SETTINGS, "--set").items():
        try:
            found[name] = _SETTINGS[name](value)
        except ValueError:
            raise CommandError(f"--set: {name} is a number, not {value!r}") from None
    return found
