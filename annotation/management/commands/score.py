"""`manage.py score STUDY`: computes the scores of a study in this process."""

import json
import sys
from argparse import ArgumentParser
from typing import Any, get_args

from django.core.management.base import BaseCommand, CommandError

from annotation.core.queries import counted_answers
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_scoring
from annotation.kinds.registry import kind_of
from annotation.kinds.scoring_options import ContextTest
from annotation.management.own_jobs import own_job
from annotation.management.studies import STUDY_HELP, study_named
from annotation.models import Job
from annotation.results.services import scoring


class Command(BaseCommand):
    help = "Compute scores, reliability and agreement, and store them as a result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help=STUDY_HELP)
        parser.add_argument(
            "--source",
            choices=counted_answers.POPULATIONS,
            default="people",
            help="answers of people (real and imported; default) or of simulated people; never"
            " both",
        )
        parser.add_argument(
            "--splits",
            type=int,
            default=scoring.N_SPLITS,
            help="random splits for split-half reliability (default: %(default)s)",
        )
        of_ratings = parser.add_argument_group(
            "rating studies with a phase without and a phase with context"
        )
        of_ratings.add_argument(
            "--test",
            choices=get_args(ContextTest),
            help="t-test of the effect of context; auto: paired if most items were rated by the"
            " same people in both phases, otherwise pooled (default: as in the last result; for"
            " the first one, auto)",
        )
        of_ratings.add_argument(
            "--margin",
            type=float,
            metavar="POINTS",
            help="smallest effect that matters; 0: none (default: as in the last result; for the"
            " first one, none)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        population = options["source"]
        chosen = {name: options[name] for name in ("test", "margin") if options[name] is not None}
        if chosen.get("margin") == 0:
            chosen["margin"] = None
        with own_job(self) as on_start:
            refuse_scoring(study)
            of_ratings = scoring.options_of(study, population, **chosen)
            job = jobs.run_here(
                study=study,
                kind=Job.Kind.SCORE,
                parameters={
                    "population": population,
                    "n_splits": options["splits"],
                    **of_ratings,
                },
                on_start=on_start,
            )
        if job.state != Job.State.DONE:
            raise CommandError("\n".join(job.problems) or job.said)
        result = study.results.filter(job=job).first()
        if result is None:
            raise CommandError("Somebody withdrew while the scores were computed. Score again.")
        json.dump(
            {
                "study": study.slug,
                "population": result.population,
                "judgments": result.n_judgments,
                **kind_of(study).results.headline(result.statistics),
            },
            sys.stdout,
        )
        self.stdout.write("")
        if not result.n_judgments:
            who = "no simulated person" if population == "simulated" else "nobody"
            self.stderr.write(
                f"There was nothing to score: {who} has completed a booklet of {study.slug} whose"
                " answers count (people who withdrew or were excluded are left out)."
            )
