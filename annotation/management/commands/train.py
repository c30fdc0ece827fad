"""`manage.py train STUDY`: trains a model on people's scores and tests it on a study's scores."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.baselines.services import training
from annotation.baselines.services.training_requests import LIMITS, TrainingRequest, TrainingSource
from annotation.core.services import jobs
from annotation.management.own_jobs import own_job
from annotation.management.studies import study_named
from annotation.management.written import source_of
from annotation.models import Job
from scoring.neural.trainees import KINDS
from scoring.neural.training_settings import TrainingSettings

# By the option's name; the service checks their values.
WHOLE = {
    "epochs": "how often each pair is seen",
    "batch-size": "pairs per step",
    "seed": "seed of the first run; the next runs have the numbers that follow",
    "runs": "number of runs",
    "max-length": "maximum number of tokens of a text, for a cross-encoder of both; 0: as many as"
    " the model reads",
    "checkpoint-steps": "steps between checkpoints; there is also one after each epoch",
}
NUMBERS = {
    "learning-rate": "the highest learning rate",
    "warmup": "share of the steps in which the learning rate rises",
    "weight-decay": "weight decay of AdamW",
}
DEFAULTS = TrainingSettings()


class Command(BaseCommand):
    help = (
        "Train a model on the pairs of one study, such as a first round, and test it on the scores"
        " of another. Each run stores its model below LIKENESS_MODELS, in"
        " trained/NUMBER/NAME/seed-SEED/model, where NUMBER is the number of the study. The names"
        " of the models are printed at the end."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="short name of the study that tests the model")
        parser.add_argument(
            "--name", required=True, help="name of the trained model and its folder"
        )
        parser.add_argument(
            "--kind",
            choices=KINDS,
            default="bi_encoder",
            help="type of model (default: bi_encoder)",
        )
        parser.add_argument(
            "--model",
            required=True,
            help="base model: a folder below LIKENESS_MODELS or a name on the hub",
        )
        parser.add_argument(
            "--revision", default="", help="revision that the base model must have"
        )
        parser.add_argument(
            "--on",
            default="",
            help="short name of the study to train on (default: a part of the study itself, by"
            " --where or --share)",
        )
        parser.add_argument(
            "--people",
            default="",
            help="scores to train on: phase:1 or column:NAME; not for a selection study",
        )
        parser.add_argument(
            "--within",
            type=int,
            choices=LIMITS,
            help="for a selection study: only the pairs of N1 or N2, whose rating differs by at"
            " most 1 or 2 from what their class leads to",
        )
        parser.add_argument(
            "--where",
            default="",
            help="train only on items that meet this condition, such as split == 'train'; for a"
            " selection study, on columns of train.tsv, such as intended_class == 'similar'",
        )
        parser.add_argument(
            "--tests",
            default="",
            help="without --on: test only on items that meet this condition (default: all others)",
        )
        parser.add_argument(
            "--share",
            type=float,
            help="without --on: train on this share of the items, drawn at random, and test on the"
            " others; items of one pool, dialogue or incident stay together",
        )
        parser.add_argument(
            "--split-seed", type=int, default=1, help="seed of --share (default: 1)"
        )
        for settings, kind in ((WHOLE, int), (NUMBERS, float)):
            for name, meaning in settings.items():
                default = getattr(DEFAULTS, name.replace("-", "_"))
                parser.add_argument(
                    f"--{name}", type=kind, help=f"{meaning} (default: {default:g})"
                )
        parser.add_argument(
            "--loss", default="", help="loss of a cross-encoder, bce (default) or mse"
        )
        parser.add_argument(
            "--search",
            default="",
            help="settings that Optuna tries first, in JSON; see python -m scoring.neural train"
            " --help",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        given = {
            name.replace("-", "_"): options[name.replace("-", "_")] for name in (*WHOLE, *NUMBERS)
        }
        settings = {name: value for name, value in given.items() if value is not None}
        if options["loss"]:
            settings["loss"] = options["loss"]
        with own_job(self) as on_start:
            learnt = TrainingSource(
                study=study_named(options["on"]) if options["on"] else None,
                source=source_of(options["people"]) if options["people"] else None,
                limit=options["within"],
                where=options["where"],
                tests=options["tests"],
                share=options["share"],
                seed=options["split_seed"],
            )
            wanted = TrainingRequest(
                options["name"],
                options["kind"],
                options["model"],
                learnt,
                settings,
                options["revision"],
                _search(options["search"]),
            )
            parameters = training.checked(study, wanted)
            job = jobs.run_here(
                study=study, kind=Job.Kind.TRAIN, parameters=parameters, on_start=on_start
            )
        if job.state != Job.State.DONE:
            raise CommandError("\n".join(job.problems) or job.said)
        trained = job.trainings.get()
        self.stdout.write(
            json.dumps(
                {
                    "name": trained.name,
                    "models": trained.figures["models"],
                    "n_train": trained.figures["n_train"],
                    "n_tests": trained.figures["n_tests"],
                    "tests": trained.figures["tests"],
                }
            )
        )


def _search(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise CommandError(f"--search is not valid JSON: {error}") from error
    if not isinstance(settings, dict):
        raise CommandError('--search must be an object, such as {"trials": 5}')
    return settings
