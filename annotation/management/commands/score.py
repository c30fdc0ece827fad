"""Score a study's answers, here and now."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.core.queries import counted_answers
from annotation.core.services import jobs
from annotation.core.services.imported_rules import refuse_scoring
from annotation.management.own_jobs import own_job
from annotation.management.studies import study_named
from annotation.models import Job
from annotation.models.kinds import QuestionKind
from annotation.results.services import scoring


class Command(BaseCommand):
    help = "Compute scores, reliability and agreement, and store them as a result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's short name (slug)")
        parser.add_argument(
            "--source",
            choices=counted_answers.POPULATIONS,
            default="people",
            help="people (real and imported answers) or simulated; never both",
        )
        parser.add_argument("--splits", type=int, default=scoring.N_SPLITS)

    def handle(self, *args: Any, **options: Any) -> None:
        study = study_named(options["study"])
        with own_job(self) as on_start:
            refuse_scoring(study)
            job = jobs.run_here(
                study=study,
                kind=Job.Kind.SCORE,
                parameters={"population": options["source"], "n_splits": options["splits"]},
                on_start=on_start,
            )
        if job.state != Job.State.DONE:
            raise CommandError("\n".join(job.problems) or job.said)
        json.dump(
            {
                "study": study.slug,
                "population": job.result.population,
                "judgments": job.result.n_judgments,
                **_SAID.get(study.kind, _of_best_worst)(job.result.statistics),
            },
            sys.stdout,
        )
        self.stdout.write("")
        if not job.result.n_judgments:
            who = "no simulated person" if options["source"] == "simulated" else "nobody"
            self.stderr.write(
                f"There was nothing to score: {who} has completed a booklet of {study.slug} whose"
                " answers count (excluded and withdrawn people are left out)."
            )


def _of_best_worst(statistics: dict[str, Any]) -> dict[str, Any]:
    overall = statistics["overall"]
    return {
        "split_half_spearman": overall["split_half"]["random"]["spearman"]["mean"],
        "alpha_joint_slot": overall["alpha"]["joint"]["slot"]["alpha"],
    }


def _of_ratings(statistics: dict[str, Any]) -> dict[str, Any]:
    return {
        "phases": [
            {
                "condition": phase["condition"],
                "alpha_interval": phase["summary"]["alpha"]["interval"]["alpha"],
                "icc_1_k": phase["summary"]["icc"]["1,k"]["icc"],
            }
            for phase in statistics["phases"]
        ]
    }


def _of_labels(statistics: dict[str, Any]) -> dict[str, Any]:
    return {
        "phases": [
            {
                "condition": phase["condition"],
                "alpha_nominal": phase["summary"]["alpha"]["nominal"]["alpha"],
                "n_without_label": phase["summary"]["labels"]["n_without_label"],
            }
            for phase in statistics["phases"]
        ]
    }


def _of_selections(statistics: dict[str, Any]) -> dict[str, Any]:
    figures = ("name", "n", "mean", "variance")
    return {
        part: [{name: one[name] for name in figures} for one in statistics[part]]
        for part in ("classes", "sets")
    }


# What is printed, by what the study asks; else that of best-worst studies.
_SAID: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    QuestionKind.RATING: _of_ratings,
    QuestionKind.LABEL: _of_labels,
    QuestionKind.SELECTION: _of_selections,
}
