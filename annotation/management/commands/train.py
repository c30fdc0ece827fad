"""Train a model on what people said, and test it on a study's scores, here and now."""

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

# By the option's name; the service checks their values.
WHOLE = ("epochs", "batch-size", "seed", "runs", "max-length", "checkpoint-steps")
NUMBERS = ("learning-rate", "warmup", "weight-decay")


class Command(BaseCommand):
    help = (
        "Train a model on one study's pairs, such as those of the first round, and test it on the"
        " scores of another. The models are then found below LIKENESS_MODELS, one for each run, as"
        " trained/NUMBER/NAME/seed-SEED/model, where NUMBER is that of the study; their names are"
        " printed at the end."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="short name (slug) of the study it is tested on")
        parser.add_argument("--name", required=True, help="of the trained model, and its folder")
        parser.add_argument("--kind", choices=KINDS, default="bi_encoder")
        parser.add_argument(
            "--model",
            required=True,
            help="from which it starts: a folder of models, or a hub name",
        )
        parser.add_argument("--revision", default="", help="which one that must be")
        parser.add_argument(
            "--on", default="", help="short name of the study to train on; else --where tells"
        )
        parser.add_argument(
            "--people",
            default="",
            help="scores to train on: phase:1, or column:NAME; not of a study of selections",
        )
        parser.add_argument(
            "--within",
            type=int,
            choices=LIMITS,
            help="of selected pairs only N1 or N2: so near to what their class leads to",
        )
        parser.add_argument(
            "--where",
            default="",
            help="only items of which this is true, as split == 'train'; of selected pairs by"
            " the columns of train.tsv, as intended_class == 'similar'",
        )
        parser.add_argument(
            "--tests", default="", help="of the study itself: items that test, else all others"
        )
        parser.add_argument(
            "--share",
            type=float,
            help="of the study itself: train on this share of its items, drawn at random, items"
            " of one pool, dialogue or incident together; the others test",
        )
        parser.add_argument("--split-seed", type=int, default=1, help="of what is drawn")
        for name in WHOLE:
            parser.add_argument(f"--{name}", type=int)
        for name in NUMBERS:
            parser.add_argument(f"--{name}", type=float)
        parser.add_argument("--loss", default="", help="bce or mse, of a cross-encoder")
        parser.add_argument(
            "--search",
            default="",
            help="JSON: settings for Optuna to try; see python -m scoring.neural train --help",
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
        raise CommandError(f"--search is no JSON: {error}") from error
    if not isinstance(settings, dict):
        raise CommandError('--search must be an object, such as {"trials": 5}')
    return settings
